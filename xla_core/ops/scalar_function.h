// ScalarFunction: a computation of scalars (the to_apply of reduce, map, sort, scatter ...), compiled once and applied
// to many elements at a time.
//
// A computation that holds only elementwise operations on scalars, parameters, constants, tuples and calls of the same
// kind becomes a straight line of elementwise kernels over a few lanes of scratch, so that applying it to n elements
// costs n times a few nanoseconds per instruction. Anything else (a while loop in a reducer) is run through
// EvalContext::Call, element by element.
#ifndef XLA_CORE_OPS_SCALAR_FUNCTION_H_
#define XLA_CORE_OPS_SCALAR_FUNCTION_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

// The array that one parameter reads: element i is at data + i * stride bytes. Stride 0: the same scalar for all.
struct LaneInput {
  const void* data;
  int64_t stride;
};

class ScalarFunction {
 public:
  // What a caller may shortcut. `op` is set when the whole computation is one binary operation of its two parameters in
  // order (or in any order if it commutes): add, multiply, maximum, minimum, and, or ... `kSecond`: it returns
  // parameter 1 (scatter's overwrite), `kFirst` parameter 0.
  struct Known {
    enum class Kind { kOther, kBinary, kFirst, kSecond } kind = Kind::kOther;
    HloOpcode op = HloOpcode::kAdd;           // of kBinary
    const HloInstruction* compare = nullptr;  // the root, if it compares its two parameters: op is kCompare
  };

  virtual ~ScalarFunction() = default;
  // Never fails for a verified computation whose parameters and results are scalar arrays.
  static absl::StatusOr<std::unique_ptr<ScalarFunction>> Compile(const HloComputation& computation);

  int parameter_count() const { return parameter_count_; }
  int result_count() const { return result_count_; }
  const Known& known() const { return known_; }
  // False if applying it needs EvalContext::Call, which is slow and must stay on one thread.
  bool is_compiled() const { return is_compiled_; }

  // Applies it to n sets of elements: result k of set i goes to results[k] + i * width. Results may be the same memory
  // as inputs of equal width and stride. Thread-safe if is_compiled().
  virtual absl::Status Apply(int64_t n, absl::Span<const LaneInput> inputs, absl::Span<void* const> results,
                             EvalContext& context) const = 0;

 protected:
  int parameter_count_ = 0;
  int result_count_ = 0;
  bool is_compiled_ = false;
  Known known_;
};

}  // namespace xla

#endif  // XLA_CORE_OPS_SCALAR_FUNCTION_H_
