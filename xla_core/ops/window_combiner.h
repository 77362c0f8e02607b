// WindowCombiner: current = f(current, update) over the elements of a window, for scatter.
//
// The functions that nearly all programs use do not go through ScalarFunction, whose preparations cost more than one
// element: overwriting is a strided copy, addition in types that the machine adds is a loop, and any other single
// operation is its elementwise kernel.
#ifndef XLA_CORE_OPS_WINDOW_COMBINER_H_
#define XLA_CORE_OPS_WINDOW_COMBINER_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "xla_core/ops/elementwise_kernel.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/ops/grid_walk.h"
#include "xla_core/ops/scalar_function.h"
#include "xla_core/ops/strided_copy.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

// Made once for a scatter and called for each window. `function` and `computation` outlive it.
class WindowCombiner {
 public:
  // `function` is that of `computation`. `window`: its dimensions in row-major order, from_stride those of the updates,
  // to_stride those of the arrays.
  WindowCombiner(const HloComputation& computation, const ScalarFunction& function, const CopyDimensions& window);

  // Array k in order, of as many as the function has results.
  void AddArray(PrimitiveType type, const void* updates, void* array);

  // Applies the function to the window that begins at these elements of every pair of updates and array.
  absl::Status Combine(int64_t update_offset, int64_t array_offset, EvalContext& context) const;

 private:
  using AddKernel = void (*)(const void* updates, int64_t update_stride, void* array, int64_t array_stride, int64_t n);
  struct Array {
    PrimitiveType type;
    const void* updates;
    void* array;
  };

  static AddKernel AddKernelFor(PrimitiveType type);
  absl::Status CombineLine(int64_t update_offset, int64_t array_offset, EvalContext& context) const;
  absl::Status ApplyFunction(int64_t n, int64_t update_offset, int64_t array_offset, EvalContext& context) const;

  const ScalarFunction& function_;
  CopyDimensions window_;
  GridWalk<2>::Dimensions lines_;  // all dimensions but the last
  int64_t line_count_ = 1;
  CopyDimension line_ = {1, 0, 0};  // the last
  absl::InlinedVector<Array, 2> arrays_;
  absl::optional<StridedCopy> overwrite_;     // if that is what the function does
  AddKernel add_ = nullptr;                   // if the function adds and the type is fit
  absl::optional<ElementwiseKernel> kernel_;  // if it is one operation on both
};

}  // namespace xla

#endif  // XLA_CORE_OPS_WINDOW_COMBINER_H_
