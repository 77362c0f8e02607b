// ScalarFunction: a computation of scalars (the to_apply of reduce, map, sort, scatter ...), compiled once and applied
// to many elements at a time.
//
// A computation that holds only elementwise operations on scalars, parameters, constants, tuples and calls of the same
// kind becomes a straight line of elementwise kernels over a few lanes of scratch, so that applying it to n elements
// costs n times a few nanoseconds per instruction, and to one element some ten nanoseconds per instruction. Anything
// else (a while loop in a reducer) is run through EvalContext::Call, element by element.
//
// Parameters and results that are tuples count as their leaves, flattened in order: a while body whose parameter is
// (s32[], f32[]) has two parameters and two results here.
#ifndef XLA_CORE_OPS_SCALAR_FUNCTION_H_
#define XLA_CORE_OPS_SCALAR_FUNCTION_H_

#include <cstdint>
#include <memory>
#include <vector>

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

// Immutable and, if is_compiled(), thread-safe. Counts of parameters and results are of leaves.
class ScalarFunction {
 public:
  // What a caller may shortcut. `op` is set when the whole computation is one binary operation of its two parameters in
  // order (or in any order if it commutes): add, multiply, maximum, minimum, and, or ... `kSecond`: it returns
  // parameter 1 (scatter's overwrite), `kFirst` parameter 0.
  struct Known {
    enum class Kind { kOther, kBinary, kFirst, kSecond } kind = Kind::kOther;
    HloOpcode op = HloOpcode::kAdd;  // of kBinary
    // The comparison, if op is kCompare: of parameters 0 and 1 in order. A comparator of several arrays that looks at
    // the first one only is known too; then there are more than two parameters.
    const HloInstruction* compare = nullptr;
  };

  virtual ~ScalarFunction() = default;
  // Never fails for a verified computation whose parameters and results are scalar arrays, or tuples of such. The
  // computation must outlive the function.
  static absl::StatusOr<std::unique_ptr<ScalarFunction>> Compile(const HloComputation& computation);

  // Leaves, if there are tuples.
  int parameter_count() const { return static_cast<int>(parameter_types_.size()); }
  int result_count() const { return static_cast<int>(result_types_.size()); }
  PrimitiveType parameter_type(int i) const { return parameter_types_[i]; }
  PrimitiveType result_type(int i) const { return result_types_[i]; }
  const Known& known() const { return known_; }
  // False if applying it needs EvalContext::Call, which is slow and must stay on one thread.
  bool is_compiled() const { return is_compiled_; }
  // Instructions that one application to one element stands for, where is_compiled(): for whoever counts steps.
  int64_t step_count() const { return step_count_; }

  // Applies it to n sets of elements: result k of set i goes to results[k] + i * width. Results may be the same memory
  // as inputs of equal width and stride; with n = 1, as any inputs. Thread-safe if is_compiled().
  virtual absl::Status Apply(int64_t n, absl::Span<const LaneInput> inputs, absl::Span<void* const> results,
                             EvalContext& context) const = 0;

 protected:
  std::vector<PrimitiveType> parameter_types_;
  std::vector<PrimitiveType> result_types_;
  bool is_compiled_ = false;
  int64_t step_count_ = 0;
  Known known_;
};

}  // namespace xla

#endif  // XLA_CORE_OPS_SCALAR_FUNCTION_H_
