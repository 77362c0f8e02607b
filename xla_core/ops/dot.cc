// Generalised matrix product: result[b, i, j] = sum over k of lhs[b, i, k] * rhs[b, j, k], where b, i, j and k each
// stand for any number of dimensions.
//   lhs T[...], rhs U[...]; lhs_batch_dims[n] pairs with rhs_batch_dims[n], lhs_contracting_dims[n] with
//   rhs_contracting_dims[n]; result V[batch, free of lhs, free of rhs]. V is the written type, so that s8 times s8 may
//   be s32. Reals are summed in double, complex numbers in complex double, integers wrap at 64 bits, pred is an or of
//   ands; the sum is rounded once. operand_precision and algorithm ask for less than that, and are not looked at.
// Errors: see CompleteDotDimensions and ProductElementType.
// Source: StableHLO spec, section `dot_general`.
#include "xla_core/ops/dot_dimensions.h"
#include "xla_core/ops/dot_product.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<Shape> InferDotShape(const HloInstruction& instruction) {
  const Shape& lhs = instruction.operand(0)->shape();
  const Shape& rhs = instruction.operand(1)->shape();
  DotDimensions dims = DotDimensionsOf(instruction.attributes<DotAttributes>());
  RETURN_IF_ERROR(CompleteDotDimensions(lhs, rhs, dims));
  ASSIGN_OR_RETURN(const PrimitiveType type, ProductElementType(instruction));
  Shape result = Shape::Scalar(type);
  AppendDotDimensions(lhs, rhs, dims, result);
  return result;
}

void VerifyDot(const HloInstruction& instruction, Violations& violations) {
  VerifyProductTypes(instruction, violations);
  violations.Add(CheckPrecisionCount(instruction.attributes<DotAttributes>().operand_precision, 2));
}

absl::StatusOr<Literal> EvaluateDotOp(const HloInstruction& instruction, OperandValues& operands,
                                      EvalContext& context) {
  DotDimensions dims = DotDimensionsOf(instruction.attributes<DotAttributes>());
  RETURN_IF_ERROR(CompleteDotDimensions(operands[0].shape(), operands[1].shape(), dims));
  ASSIGN_OR_RETURN(Literal result, context.Allocate(instruction.shape()));
  RETURN_IF_ERROR(EvaluateDot(dims, operands[0], operands[1], result, context));
  return result;
}

}  // namespace

OpDefinition Define_kDot() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.make_attributes = &MakeAttributes<DotAttributes>;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferDotShape;
  op.verify = &VerifyDot;
  op.evaluate = &EvaluateDotOp;
  return op;
}

}  // namespace xla
