// A dot of two operands that carry scales: each operand is multiplied by its scale, whose elements are repeated along
// every dimension until they cover it, and the products are contracted as by dot.
//   lhs T[m, k], rhs U[n, k] (any dimension numbers with one contracting dimension); lhs_scale [m', k'] with m'
//   dividing m and k' dividing k, likewise rhs_scale; a scalar scale applies to all elements. Result as of dot.
// Scaling happens in double and is not rounded before the product.
// Errors: InvalidArgument, besides dot's, unless there is exactly one contracting dimension, each scale is a scalar or
// has dimensions that divide its operand's, at least one scale is not a scalar, and all are real numbers.
// Source: XLA's HloScaledDotInstruction.
#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/dot_dimensions.h"
#include "xla_core/ops/dot_product.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/scratch_reservation.h"
#include "xla_core/ops/wide_elements.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<Shape> InferScaledDotShape(const HloInstruction& instruction) {
  const Shape& lhs = instruction.operand(0)->shape();
  const Shape& rhs = instruction.operand(1)->shape();
  DotDimensions dims = DotDimensionsOf(instruction.attributes<DotAttributes>());
  RETURN_IF_ERROR(CompleteDotDimensions(lhs, rhs, dims));
  ASSIGN_OR_RETURN(const PrimitiveType type, ProductElementType(instruction));
  Shape result = Shape::Scalar(type);
  AppendDotDimensions(lhs, rhs, dims, result);
  return result;
}

// A scale has one element for each block of the operand: in every dimension its size divides the operand's.
absl::Status CheckScale(absl::string_view side, const Shape& operand, const Shape& scale) {
  if (!IsFloat(operand.element_type()) || !IsFloat(scale.element_type())) {
    return absl::InvalidArgumentError(
        absl::StrCat(side, " and its scale must be floats, got ", operand.ToString(), " and ", scale.ToString()));
  }
  if (scale.rank() == 0) return absl::OkStatus();
  if (scale.rank() != operand.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("the scale of ", side, " must be a scalar or have the ",
                                                   operand.rank(), " dimensions of ", operand.ToString(), ", got ",
                                                   scale.ToString()));
  }
  for (int d = 0; d < scale.rank(); ++d) {
    const int64_t size = operand.dimension(d), blocks = scale.dimension(d);
    if (size == blocks || (blocks > 0 && size % blocks == 0)) continue;
    return absl::InvalidArgumentError(absl::StrCat("dimension ", d, " of ", side, " ", operand.ToString(),
                                                   " must be a multiple of that of its scale ", scale.ToString()));
  }
  return absl::OkStatus();
}

// Two scalar scales are refused: a dot and a product say the same.
void VerifyScaledDot(const HloInstruction& instruction, Violations& violations) {
  const auto& attributes = instruction.attributes<DotAttributes>();
  VerifyProductTypes(instruction, violations);
  // XLA writes one precision for each of the four operands or for the two that are multiplied.
  if (attributes.operand_precision.size() != 4) {
    violations.Add(CheckPrecisionCount(attributes.operand_precision, 2));
  }
  if (attributes.lhs_contracting_dims.size() != 1) {
    violations.Add(
        absl::StrCat("there must be exactly one contracting dimension, got ", attributes.lhs_contracting_dims.size()));
  }
  for (const HloInstruction* operand : instruction.operands()) {
    if (!operand->shape().IsArray()) return violations.Add("operands and scales must be arrays");
  }
  const Shape& lhs_scale = instruction.operand(2)->shape();
  const Shape& rhs_scale = instruction.operand(3)->shape();
  violations.Add(CheckScale("lhs", instruction.operand(0)->shape(), lhs_scale));
  violations.Add(CheckScale("rhs", instruction.operand(1)->shape(), rhs_scale));
  if (lhs_scale.rank() == 0 && rhs_scale.rank() == 0 &&
      (instruction.operand(0)->shape().rank() > 0 || instruction.operand(1)->shape().rank() > 0)) {
    violations.Add("both scales are scalars; use dot, and multiply its result");
  }
}

// `operand` times its scale, as f64.
absl::StatusOr<Literal> Scale(const Literal& operand, const Literal& scale, EvalContext& context) {
  const Shape& shape = operand.shape();
  Shape wide_shape = shape.WithoutLayout();
  wide_shape.set_element_type(F64);
  ASSIGN_OR_RETURN(Literal result, context.Allocate(wide_shape));
  double* const values = result.mutable_data<double>();
  ReadWide(shape.element_type(), operand.untyped_data(), 0, operand.element_count(), values);
  ASSIGN_OR_RETURN(const auto reservation,
                   ScratchReservation::Make(static_cast<double>(scale.element_count()), sizeof(double), context));
  std::vector<double> scales(scale.element_count());
  ReadWide(scale.shape().element_type(), scale.untyped_data(), 0, scale.element_count(), scales.data());

  const DimensionVector strides = RowMajorStrides(scale.shape().dimensions());
  DimensionVector index(shape.rank(), 0);
  for (int64_t i = 0; i < operand.element_count(); ++i) {
    int64_t offset = 0;
    for (int d = 0; d < scale.shape().rank(); ++d) {
      offset += index[d] / (shape.dimension(d) / scale.shape().dimension(d)) * strides[d];
    }
    values[i] *= scales[offset];
    for (int d = shape.rank() - 1; d >= 0 && ++index[d] == shape.dimension(d); --d) index[d] = 0;
  }
  if (operand.has_dynamic_sizes()) result.CopyDynamicSizesFrom(operand);
  return result;
}

absl::StatusOr<Literal> EvaluateScaledDot(const HloInstruction& instruction, OperandValues& operands,
                                          EvalContext& context) {
  DotDimensions dims = DotDimensionsOf(instruction.attributes<DotAttributes>());
  RETURN_IF_ERROR(CompleteDotDimensions(operands[0].shape(), operands[1].shape(), dims));
  ASSIGN_OR_RETURN(const Literal lhs, Scale(operands[0], operands[2], context));
  ASSIGN_OR_RETURN(const Literal rhs, Scale(operands[1], operands[3], context));
  ASSIGN_OR_RETURN(Literal result, context.Allocate(instruction.shape()));
  RETURN_IF_ERROR(EvaluateDot(dims, lhs, rhs, result, context));
  return result;
}

}  // namespace

OpDefinition Define_kScaledDot() {
  OpDefinition op;
  op.min_operands = 4;
  op.max_operands = 4;
  op.make_attributes = &MakeAttributes<DotAttributes>;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferScaledDotShape;
  op.verify = &VerifyScaledDot;
  op.evaluate = &EvaluateScaledDot;
  return op;
}

}  // namespace xla
