// The gradient of a pooling by selection: each element of `source` goes to the operand position that its window
// selects.
//   select-and-scatter(x T[d0..dr-1], source T[o0..or-1], init T[]), window={size=.. stride=.. pad=..},
//       select=(T[], T[]) -> pred[], scatter=(T[], T[]) -> T[]   ->   T[d0..dr-1], which starts as init everywhere
// For each position of source in row-major order: the selected element is the first one of its window that lies inside
// x; each next element c inside replaces it if select(selected, c) is false. Then
// result[selected] = scatter(result[selected], source[position]). The order of scatter's arguments is that of the
// specification; XLA's interpreter has them the other way round. A window that lies wholly in padding scatters nothing.
// Errors: InvalidArgument if source is not of the type of x and the window's output shape, init not a scalar of it, if
// the window has not one dimension for each of x, is dilated or reversed, or if a function has another signature.
// Source: hlo-opcodes.md section 3.5 and [K]; StableHLO spec, section `select_and_scatter`.
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/callee_signature.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_checks.h"
#include "xla_core/ops/window_shape.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int kOperand = 0;
constexpr int kSource = 1;
constexpr int kInit = 2;

absl::Status CheckNoDilation(const Window& window) {
  for (size_t i = 0; i < window.dimensions.size(); ++i) {
    if (window.dimensions[i].base_dilation != 1 || window.dimensions[i].window_dilation != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("the window must not be dilated (lhs_dilate, rhs_dilate), but dimension ", i, " is"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Shape> InferShape(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction, kOperand, kSource));
  return instruction.operand(kOperand)->shape().WithoutLayout();
}

absl::Status CheckSource(const HloInstruction& instruction, const Window& window) {
  ASSIGN_OR_RETURN(const Shape expected, WindowOutputShape(window, instruction.operand(kOperand)->shape()));
  const Shape& source = instruction.operand(kSource)->shape();
  if (source.Compatible(expected)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("source must have one element for each window over ",
                                                 instruction.operand(kOperand)->shape().ToString(), ", so ",
                                                 expected.ToString(), ", got ", source.ToString()));
}

absl::Status CheckInit(const HloInstruction& instruction, PrimitiveType type) {
  const Shape& init = instruction.operand(kInit)->shape();
  if (init.IsScalarOf(type)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the initial value must be ", Shape::Scalar(type).ToString(), ", got ", init.ToString()));
}

void Verify(const HloInstruction& instruction, Violations& violations) {
  if (!CheckArrayOperands(instruction, kOperand, kSource).ok()) return;
  const Window& window = instruction.attributes<WindowAttributes>().window;
  const PrimitiveType type = instruction.operand(kOperand)->shape().element_type();
  violations.Add(CheckNoDilation(window));
  violations.Add(CheckNoWindowReversal(window));
  violations.Add(CheckSource(instruction, window));
  violations.Add(CheckInit(instruction, type));
  if (instruction.called_computations().size() != 2) return;
  CheckScalarCallee("select", *instruction.called_computation(0), {type, type}, {PRED}, violations);
  CheckScalarCallee("scatter", *instruction.called_computation(1), {type, type}, {type}, violations);
}

}  // namespace

OpDefinition Define_kSelectAndScatter() {
  OpDefinition op;
  op.min_operands = 3;
  op.max_operands = 3;
  op.make_attributes = &MakeAttributes<WindowAttributes>;
  op.called_computations = {"select", "scatter"};
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShape;
  op.verify = &Verify;
  return op;
}

}  // namespace xla
