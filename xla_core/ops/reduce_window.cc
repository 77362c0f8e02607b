// Combines the elements under a window that moves over all dimensions of an array:
//   reduce-window(x T[d0..dr-1], init T[]), window={size=.. stride=.. pad=.. lhs_dilate=.. rhs_dilate=..}, to_apply=f
//   result[o] = f(... f(f(init, x_0), x_1) ..., x_m) over the window at o in row-major order
// Output sizes: window_shape.h. Padding and the holes of base dilation contribute nothing, as do elements past a
// dynamic size; a window over nothing else yields init. With n arrays and n initial values as in reduce. A float array
// may be reduced in another float type than its own, that of f.
// Errors: InvalidArgument if the operands are not n arrays of equal dimensions and n scalars of their types, if the
// window does not have a dimension for each of theirs, is reversed, or has sizes, strides or dilations less than 1 or
// beyond 63 bits, or if f has another signature.
// Source: hlo-opcodes.md section 3.5 and [J]; StableHLO spec, section `reduce_window`.
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_checks.h"
#include "xla_core/ops/reducer_checks.h"
#include "xla_core/ops/window_shape.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<Shape> InferShape(const HloInstruction& reduce_window) {
  RETURN_IF_ERROR(CheckReducedArrays(reduce_window));
  const Window& window = reduce_window.attributes<WindowAttributes>().window;
  ASSIGN_OR_RETURN(Shape result, WindowOutputShape(window, reduce_window.operand(0)->shape()));
  std::vector<Shape> results;
  for (PrimitiveType type : AccumulatorTypes(reduce_window, /*mixed_precision=*/true)) {
    result.set_element_type(type);
    results.push_back(result);
  }
  return ArrayOrTuple(std::move(results));
}

void Verify(const HloInstruction& reduce_window, Violations& violations) {
  violations.Add(CheckNoWindowReversal(reduce_window.attributes<WindowAttributes>().window));
  if (CheckReducedArrays(reduce_window).ok()) CheckReducer(reduce_window, /*mixed_precision=*/true, violations);
}

}  // namespace

OpDefinition Define_kReduceWindow() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<WindowAttributes>;
  op.called_computations = {"to_apply"};
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShape;
  op.verify = &Verify;
  return op;
}

}  // namespace xla
