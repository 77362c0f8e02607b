// slice: every stride-th element of a range in each dimension.
//
//   slice={[2:8:3]}: result[i] = operand[2 + 3 * i], of size ceil((8 - 2) / 3) = 2
//
//   slice  start, limit and stride per dimension: 0 <= start <= limit <= size, stride >= 1; start = limit gives size 0
// Along a dynamic dimension the result keeps what of the range is valid, so the whole range keeps the run-time size;
// a result of size 1 is never dynamic.
// Source: StableHLO spec, section `slice` (the XLA operation semantics of 2017 require limit > start; today equal is
// allowed).
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/dimension_checks.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_storage.h"
#include "xla_core/ops/strided_copy.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// slice: 0 <= start <= limit <= size, stride >= 1
absl::Status CheckRangeWithin(const SliceRange& range, int d, const Shape& operand) {
  const char* problem = nullptr;
  if (range.start < 0) {
    problem = "start must not be negative";
  } else if (range.limit > operand.dimension(d)) {
    problem = "limit must not exceed the size";
  } else if (range.start > range.limit) {
    problem = "start must not exceed limit";
  } else if (range.stride <= 0) {
    problem = "stride must be positive";
  } else {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("slice [", range.start, ":", range.limit, ":", range.stride,
                                                 "] of dimension ", d, " of the operand ", operand.ToString(), ": ",
                                                 problem));
}

absl::StatusOr<Shape> InferShapeOfSlice(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckBoundedArrays(instruction));
  const Shape& operand = instruction.operand(0)->shape();
  const auto& ranges = instruction.attributes<SliceAttributes>().ranges;
  if (static_cast<int>(ranges.size()) != operand.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("slice must give a range for each of ", operand.rank(),
                                                   " dimensions of the operand ", operand.ToString(), ", got ",
                                                   ranges.size()));
  }
  Shape result = Shape::Scalar(operand.element_type());
  for (int d = 0; d < operand.rank(); ++d) {
    RETURN_IF_ERROR(CheckRangeWithin(ranges[d], d, operand));
    const int64_t size = CeilDiv(ranges[d].limit - ranges[d].start, ranges[d].stride);
    result.AddDimension(size, operand.is_dynamic_dimension(d) && size != 1);
  }
  return result;
}

void SetValidSizes(const HloInstruction& instruction, const Literal& operand, Literal& result) {
  if (!operand.has_dynamic_sizes()) return;
  const auto& ranges = instruction.attributes<SliceAttributes>().ranges;
  for (int d = 0; d < result.shape().rank(); ++d) {
    if (result.shape().dimension(d) == 1) continue;
    const int64_t valid = std::min(operand.dynamic_size(d), ranges[d].limit) - ranges[d].start;
    result.SetDynamicSize(d, valid <= 0 ? 0 : CeilDiv(valid, ranges[d].stride));
  }
}

// A strided copy from the first element on; a slice of everything shares the operand's memory.
absl::StatusOr<Literal> EvaluateSlice(const HloInstruction& instruction, OperandValues& operands,
                                      EvalContext& context) {
  const Shape& shape = instruction.shape();
  const Literal& operand = operands[0];
  if (operand.shape().Compatible(shape)) return TakeOperand(instruction, operands, 0);  // a full slice
  const auto& ranges = instruction.attributes<SliceAttributes>().ranges;
  const DimensionVector operand_strides = RowMajorStrides(operand.shape());
  const DimensionVector result_strides = RowMajorStrides(shape);
  CopyDimensions copy(shape.rank());
  int64_t first = 0;
  for (int d = 0; d < shape.rank(); ++d) {
    // A range of one element may have any stride; its product with the array's might not fit.
    const int64_t step = shape.dimension(d) > 1 ? ranges[d].stride * operand_strides[d] : 0;
    copy[d] = {shape.dimension(d), step, result_strides[d]};
    first += ranges[d].start * operand_strides[d];
  }
  ASSIGN_OR_RETURN(Literal result, context.Allocate(shape));
  RETURN_IF_ERROR(
      StridedCopy(shape.element_type(), copy)
          .Run(ElementAt(operand.untyped_data(), first, shape.element_type()), result.untyped_mutable_data(), context));
  SetValidSizes(instruction, operand, result);
  return result;
}

}  // namespace

OpDefinition Define_kSlice() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<SliceAttributes>;
  op.infer_shape = &InferShapeOfSlice;
  op.evaluate = &EvaluateSlice;
  return op;
}

}  // namespace xla
