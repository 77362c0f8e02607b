// ScalarState: the state of a loop over nothing but scalars, in the form in which a ScalarFunction takes and gives it.
//
// Each leaf has a cell of 16 bytes. There are two sets of cells: an iteration reads one and writes the other.
#ifndef XLA_CORE_EVALUATOR_SCALAR_STATE_H_
#define XLA_CORE_EVALUATOR_SCALAR_STATE_H_

#include <vector>

#include "absl/types/span.h"
#include "xla_core/ops/scalar_function.h"
#include "xla_core/types/literal.h"

namespace xla {

// Loops over a few scalars then run without a Literal being made: only Store writes to the state.
class ScalarState {
 public:
  // `state` is a scalar or a tuple, nested or not, of scalars; it outlives this object.
  explicit ScalarState(Literal* state);

  absl::Span<const LaneInput> inputs() const { return inputs_[current_]; }
  absl::Span<void* const> results() const { return results_[1 - current_]; }
  // The results become the inputs.
  void Advance() { current_ = 1 - current_; }
  // Writes the inputs back to the literal.
  void Store() const;

 private:
  struct alignas(16) Cell {
    unsigned char bytes[16] = {};
  };

  std::vector<Literal*> leaves_;
  std::vector<Cell> cells_[2];
  std::vector<LaneInput> inputs_[2];
  std::vector<void*> results_[2];
  int current_ = 0;
};

}  // namespace xla

#endif  // XLA_CORE_EVALUATOR_SCALAR_STATE_H_
