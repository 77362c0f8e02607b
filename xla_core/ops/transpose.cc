// transpose: permutes dimensions.
//
//   f32[2,3,5] -> f32[5,2,3] with dimensions={2,0,1}: result[k,i,j] = operand[i,j,k]
//
//   dimensions  a permutation p: result dimension i is operand dimension p[i]
// Run-time sizes of dynamic dimensions move with them.
// Source: StableHLO spec, section `transpose`.
#include "absl/strings/str_cat.h"
#include "xla_core/ops/dimension_checks.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_storage.h"
#include "xla_core/ops/strided_copy.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Dimension i of the result is dimension permutation[i] of the operand.
absl::StatusOr<Shape> InferShapeOfTranspose(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckBoundedArrays(instruction));
  const Shape& operand = instruction.operand(0)->shape();
  const DimensionVector& permutation = instruction.attributes<DimensionsAttributes>().dimensions;
  if (static_cast<int>(permutation.size()) != operand.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("dimensions=", ListToString(permutation), " must name each of the ",
                                                   operand.rank(), " dimensions of the operand ", operand.ToString(),
                                                   " once"));
  }
  RETURN_IF_ERROR(CheckDistinctDimensions("dimensions", permutation, DimensionsOfOperand(instruction)));
  Shape result = Shape::Scalar(operand.element_type());
  for (int64_t d : permutation) {
    result.AddDimension(operand.dimension(static_cast<int>(d)), operand.is_dynamic_dimension(static_cast<int>(d)));
  }
  return result;
}

// True if only dimensions of size 1 change places.
bool KeepsElementOrder(const Shape& operand, absl::Span<const int64_t> permutation) {
  int64_t previous = -1;
  for (int64_t d : permutation) {
    if (operand.dimension(static_cast<int>(d)) == 1) continue;
    if (d < previous) return false;
    previous = d;
  }
  return true;
}

// A permutation that moves only dimensions of size 1 shares the operand's memory.
absl::StatusOr<Literal> EvaluateTranspose(const HloInstruction& instruction, OperandValues& operands,
                                          EvalContext& context) {
  const Shape& shape = instruction.shape();
  const Literal& operand = operands[0];
  const DimensionVector& permutation = instruction.attributes<DimensionsAttributes>().dimensions;
  if (!operand.has_dynamic_sizes() && KeepsElementOrder(operand.shape(), permutation)) {
    return TakeStorage(instruction, operands, 0);
  }
  const DimensionVector operand_strides = RowMajorStrides(operand.shape());
  const DimensionVector result_strides = RowMajorStrides(shape);
  CopyDimensions copy(shape.rank());
  for (int d = 0; d < shape.rank(); ++d) {
    copy[d] = {shape.dimension(d), operand_strides[permutation[d]], result_strides[d]};
  }
  ASSIGN_OR_RETURN(Literal result, context.Allocate(shape));
  RETURN_IF_ERROR(
      StridedCopy(shape.element_type(), copy).Run(operand.untyped_data(), result.untyped_mutable_data(), context));
  for (int d = 0; operand.has_dynamic_sizes() && d < shape.rank(); ++d) {
    result.SetDynamicSize(d, operand.dynamic_size(static_cast<int>(permutation[d])));
  }
  return result;
}

}  // namespace

OpDefinition Define_kTranspose() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<DimensionsAttributes>;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShapeOfTranspose;
  op.evaluate = &EvaluateTranspose;
  return op;
}

}  // namespace xla
