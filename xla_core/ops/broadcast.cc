// broadcast: repeats an array along new dimensions.
//
//   f32[2,3] -> f32[2,4,3] with dimensions={0,2}: result[i,k,j] = operand[i,j]
//
//   dimensions  for each operand dimension the result dimension it becomes, in any order, each result dimension at most
//               once; sizes must be equal (a size of 1 is not stretched: that is for builders to lower)
// The result shape must be written, save for a scalar that stays one. A dynamic operand dimension makes its result
// dimension dynamic, with the same run-time size.
// Source: StableHLO spec, section `broadcast_in_dim`.
#include "absl/strings/str_cat.h"
#include "xla_core/ops/dimension_checks.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_storage.h"
#include "xla_core/ops/strided_copy.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::Status CheckSameSizes(const Shape& operand, const Shape& result, absl::Span<const int64_t> dimensions) {
  for (int i = 0; i < operand.rank(); ++i) {
    if (operand.dimension(i) == result.dimension(dimensions[i])) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("operand dimension ", i, " of ", operand.ToString(), " becomes result dimension ", dimensions[i],
                     " of ", result.ToString(), ", so both must have one size, got ", operand.dimension(i), " and ",
                     result.dimension(dimensions[i]), "; to stretch a dimension of size 1, reshape it away first"));
  }
  return absl::OkStatus();
}

// The written shape decides the sizes of dimensions that are added; the others have those of the operand, dynamic or
// not.
absl::StatusOr<Shape> InferShapeOfBroadcast(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckBoundedArrays(instruction));
  const Shape& operand = instruction.operand(0)->shape();
  const Shape& written = instruction.shape();
  const DimensionVector& dimensions = instruction.attributes<BroadcastAttributes>().dimensions;
  if (written.element_type() == PRIMITIVE_TYPE_INVALID && operand.rank() == 0 && dimensions.empty()) {
    return operand.WithoutLayout();
  }
  RETURN_IF_ERROR(CheckWrittenArray(instruction));
  if (static_cast<int>(dimensions.size()) != operand.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("dimensions=", ListToString(dimensions),
                                                   " must give a result dimension for each of ", operand.rank(),
                                                   " dimensions of the operand ", operand.ToString()));
  }
  RETURN_IF_ERROR(CheckDistinctDimensions("dimensions", dimensions, {"the result", written.rank(), &written}));
  RETURN_IF_ERROR(CheckSameSizes(operand, written, dimensions));
  Shape result = written.WithoutLayout();
  result.set_element_type(operand.element_type());
  for (int i = 0; i < operand.rank(); ++i) {
    result.set_dynamic_dimension(static_cast<int>(dimensions[i]), operand.is_dynamic_dimension(i));
  }
  return result;
}

// True if the elements of the result are those of the operand in the same order: only dimensions of size 1 are new or
// change places.
bool IsReshape(const Shape& operand, const Shape& result, absl::Span<const int64_t> dimensions) {
  if (operand.ElementCount() != result.ElementCount()) return false;
  int64_t previous = -1;
  for (int i = 0; i < operand.rank(); ++i) {
    if (operand.dimension(i) == 1) continue;
    if (dimensions[i] < previous) return false;
    previous = dimensions[i];
  }
  return true;
}

void CarryDynamicSizes(const Literal& operand, absl::Span<const int64_t> dimensions, Literal& result) {
  if (!operand.has_dynamic_sizes()) return;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    result.SetDynamicSize(static_cast<int>(dimensions[i]), operand.dynamic_size(static_cast<int>(i)));
  }
}

// A copy with stride 0 along the dimensions that are added; none at all if only dimensions of size 1 are.
absl::StatusOr<Literal> EvaluateBroadcast(const HloInstruction& instruction, OperandValues& operands,
                                          EvalContext& context) {
  const Shape& shape = instruction.shape();
  const Literal& operand = operands[0];
  const DimensionVector& dimensions = instruction.attributes<BroadcastAttributes>().dimensions;
  if (!operand.has_dynamic_sizes() && IsReshape(operand.shape(), shape, dimensions)) {
    return TakeStorage(instruction, operands, 0);
  }
  const DimensionVector operand_strides = RowMajorStrides(operand.shape());
  const DimensionVector result_strides = RowMajorStrides(shape);
  CopyDimensions copy(shape.rank());
  for (int d = 0; d < shape.rank(); ++d) copy[d] = {shape.dimension(d), 0, result_strides[d]};
  for (size_t i = 0; i < dimensions.size(); ++i) copy[dimensions[i]].from_stride = operand_strides[i];
  ASSIGN_OR_RETURN(Literal result, context.Allocate(shape));
  RETURN_IF_ERROR(
      StridedCopy(shape.element_type(), copy).Run(operand.untyped_data(), result.untyped_mutable_data(), context));
  CarryDynamicSizes(operand, dimensions, result);
  return result;
}

}  // namespace

OpDefinition Define_kBroadcast() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<BroadcastAttributes>;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShapeOfBroadcast;
  op.evaluate = &EvaluateBroadcast;
  return op;
}

}  // namespace xla
