// dynamic-update-slice: the first operand with a window of it, at a position known at run time, replaced by the second.
//
//   operands: the array, the update (same type and rank, no dimension larger), then one scalar start index per
//             dimension, all of one integer type (old files: one array of rank 1 with all of them)
//
// Each start is clamped to [0, dimension - update dimension]. Written in place when this is the last use of the array,
// so that a loop that fills an array pays for the updates only. With dynamic dimensions the valid part of the update is
// written to the valid part of the array, whose run-time sizes stay.
// Source: StableHLO spec, section `dynamic_update_slice`.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/dimension_checks.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_storage.h"
#include "xla_core/ops/start_indices.h"
#include "xla_core/ops/strided_copy.h"
#include "xla_core/ops/valid_elements.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// The result is the operand's shape; the update may not be larger in any dimension.
absl::StatusOr<Shape> InferShapeOfDynamicUpdateSlice(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckBoundedArrays(instruction));
  const Shape& operand = instruction.operand(0)->shape();
  const Shape& update = instruction.operand(1)->shape();
  if (operand.element_type() != update.element_type() || operand.rank() != update.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("operand ", operand.ToString(), " and update ", update.ToString(),
                                                   " must have one element type and one rank"));
  }
  for (int d = 0; d < operand.rank(); ++d) {
    if (update.dimension(d) <= operand.dimension(d)) continue;
    return absl::InvalidArgumentError(absl::StrCat("update ", update.ToString(), " does not fit into operand ",
                                                   operand.ToString(), ": dimension ", d, " is ", update.dimension(d),
                                                   ", expected at most ", operand.dimension(d)));
  }
  RETURN_IF_ERROR(CheckStartIndices(instruction, 2, operand.rank()));
  return operand.WithoutLayout();
}

// In place if the operand is used for the last time and its memory is not shared. Only the valid part of a dynamic
// update is written.
absl::StatusOr<Literal> EvaluateDynamicUpdateSlice(const HloInstruction& instruction, OperandValues& operands,
                                                   EvalContext& context) {
  const Shape& shape = instruction.shape();
  const int rank = shape.rank();
  const DimensionVector update_sizes = RuntimeSizes(operands[1]);
  const DimensionVector starts = ReadStartIndices(operands, 2, RuntimeSizes(operands[0]), update_sizes);
  const DimensionVector strides = RowMajorStrides(shape);
  const DimensionVector update_strides = RowMajorStrides(operands[1].shape());
  CopyDimensions copy(rank);
  int64_t first = 0;
  for (int d = 0; d < rank; ++d) {
    copy[d] = {std::min(update_sizes[d], operands[0].dynamic_size(d)), update_strides[d], strides[d]};
    first += starts[d] * strides[d];
  }
  Literal result = TakeOperand(instruction, operands, 0);
  RETURN_IF_ERROR(result.MakeWritable(context.memory_budget()));
  RETURN_IF_ERROR(StridedCopy(shape.element_type(), copy)
                      .Run(operands[1].untyped_data(),
                           ElementAt(result.untyped_mutable_data(), first, shape.element_type()), context));
  return result;
}

}  // namespace

OpDefinition Define_kDynamicUpdateSlice() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = -1;
  op.infer_shape = &InferShapeOfDynamicUpdateSlice;
  op.evaluate = &EvaluateDynamicUpdateSlice;
  return op;
}

}  // namespace xla
