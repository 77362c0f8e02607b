// The values that reduce and reduce-window work on. They meet in the types of the reducer, which may be other float
// types than those of the arrays: these are converted before, and the results rounded after.
#ifndef XLA_CORE_OPS_REDUCED_ARRAYS_H_
#define XLA_CORE_OPS_REDUCED_ARRAYS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/ops/lane_fold.h"
#include "xla_core/types/literal.h"

namespace xla {

// Owns the converted copies; arrays that already have the reducer's types are shared with the operands. Lives for one
// evaluation of the instruction.
class ReducedArrays {
 public:
  static absl::StatusOr<ReducedArrays> Make(const HloInstruction& instruction, const OperandValues& operands,
                                            EvalContext& context);

  // Of the reducer's types, and zero.
  std::vector<Literal>& results() { return results_; }
  // To fold `results`; they must not be moved meanwhile.
  std::vector<FoldedArray> Folded();
  // The value of the instruction. The results are taken from here.
  absl::StatusOr<Literal> TakeResult(EvalContext& context);

 private:
  explicit ReducedArrays(const HloInstruction& instruction) : instruction_(instruction) {}

  const HloInstruction& instruction_;
  std::vector<Literal> elements_;
  std::vector<Literal> inits_;
  std::vector<Literal> results_;
};

}  // namespace xla

#endif  // XLA_CORE_OPS_REDUCED_ARRAYS_H_
