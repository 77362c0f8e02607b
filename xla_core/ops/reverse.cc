// reverse: turns the order of the elements around along some dimensions.
//
//   dimensions={1}: result[i,j] = operand[i, n-1-j]
//
//   dimensions  the reversed dimensions, each once, in any order
// Along a dynamic dimension the valid elements are reversed and stay in front.
// Source: StableHLO spec, section `reverse`.
#include "xla_core/ops/dimension_checks.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_storage.h"
#include "xla_core/ops/strided_copy.h"
#include "xla_core/ops/valid_elements.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<Shape> InferShapeOfReverse(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckBoundedArrays(instruction));
  RETURN_IF_ERROR(CheckDistinctDimensions("dimensions", instruction.attributes<DimensionsAttributes>().dimensions,
                                          DimensionsOfOperand(instruction)));
  return instruction.operand(0)->shape().WithoutLayout();
}

// Negative strides, from the last valid element on; arrays without elements to turn share the operand's memory.
absl::StatusOr<Literal> EvaluateReverse(const HloInstruction& instruction, OperandValues& operands,
                                        EvalContext& context) {
  const Literal& operand = operands[0];
  const DimensionVector sizes = RuntimeSizes(operand);
  const DimensionVector strides = RowMajorStrides(operand.shape());
  const PrimitiveType type = operand.shape().element_type();
  CopyDimensions copy(sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) copy[d] = {sizes[d], strides[d], strides[d]};
  int64_t last = 0;  // offset of the element that comes first in the result
  bool changes = false;
  for (int64_t d : instruction.attributes<DimensionsAttributes>().dimensions) {
    if (sizes[d] <= 1) continue;
    changes = true;
    last += (sizes[d] - 1) * strides[d];
    copy[d].from_stride = -strides[d];
  }
  if (!changes || ValidElementCount(operand) == 0) return TakeOperand(instruction, operands, 0);
  ASSIGN_OR_RETURN(Literal result, AllocateFor(instruction.shape(), operand.has_dynamic_sizes(), context));
  RETURN_IF_ERROR(StridedCopy(type, copy)
                      .Run(ElementAt(operand.untyped_data(), last, type), result.untyped_mutable_data(), context));
  result.CopyDynamicSizesFrom(operand);
  return result;
}

}  // namespace

OpDefinition Define_kReverse() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<DimensionsAttributes>;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShapeOfReverse;
  op.evaluate = &EvaluateReverse;
  return op;
}

}  // namespace xla
