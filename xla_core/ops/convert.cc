// convert: the same values in another element type.
//
//   operand T[d0..dn] -> U[d0..dn], U as the instruction says. A complex type converts to complex types only.
// Rounding and ranges: convert_elements.h. Source: StableHLO spec, section `convert`.
#include "absl/strings/str_cat.h"
#include "xla_core/ops/convert_elements.h"
#include "xla_core/ops/elementwise_op.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Everything converts to everything, except complex numbers to reals, where it would not be clear what is kept.
absl::StatusOr<Shape> InferShapeOfConvert(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckOperandClasses(instruction, element_class::kAny));
  const PrimitiveType to = instruction.shape().element_type();
  if (!IsArrayType(to)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the result must be an array, got ", instruction.shape().ToString()));
  }
  Shape shape = instruction.operand(0)->shape().WithoutLayout();
  if (!CanConvert(shape.element_type(), to)) {
    return absl::InvalidArgumentError(absl::StrCat("cannot convert ", shape.ToString(), " to the real type ",
                                                   PrimitiveTypeName(to),
                                                   "; take `real` or `abs` of the complex number first"));
  }
  shape.set_element_type(to);
  return shape;
}

absl::StatusOr<Literal> EvaluateConvert(const HloInstruction& instruction, OperandValues& operands,
                                        EvalContext& context) {
  const bool same_type = operands[0].shape().element_type() == instruction.shape().element_type();
  if (same_type) return EvaluateIdentity(instruction, operands, context);
  return EvaluateElementwise(instruction, operands, context);
}

}  // namespace

OpDefinition Define_kConvert() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.infer_shape = &InferShapeOfConvert;
  op.evaluate = &EvaluateConvert;
  return op;
}

}  // namespace xla
