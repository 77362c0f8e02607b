// dynamic-slice: a window of fixed size at a position known at run time.
//
//   operands: the array, then one scalar start index per dimension, all of one integer type (old files: one array of
//             rank 1 with all of them)
//   dynamic_slice_sizes  size of the window per dimension, 0 <= size <= dimension
//
// Each start is clamped to [0, dimension - size], so that the window lies within the array. Along a dynamic dimension
// the window is kept within the valid elements where it fits. A window as long as the dimension has its run-time size;
// any other result dimension, and one of size 1, is static.
// Source: StableHLO spec, section `dynamic_slice` (the XLA operation semantics of 2017 wrap around instead, and say
// that this may change).
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

// A dimension that is taken whole stays dynamic; one of a smaller size is static, as the window always fits.
absl::StatusOr<Shape> InferShapeOfDynamicSlice(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckBoundedArrays(instruction));
  const Shape& operand = instruction.operand(0)->shape();
  const auto& sizes = instruction.attributes<DynamicSliceAttributes>().slice_sizes;
  RETURN_IF_ERROR(CheckStartIndices(instruction, 1, operand.rank()));
  if (static_cast<int>(sizes.size()) != operand.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("dynamic_slice_sizes=", ListToString(sizes),
                                                   " must give a size for each of ", operand.rank(),
                                                   " dimensions of the operand ", operand.ToString()));
  }
  Shape result = Shape::Scalar(operand.element_type());
  for (int d = 0; d < operand.rank(); ++d) {
    if (sizes[d] < 0 || sizes[d] > operand.dimension(d)) {
      return absl::InvalidArgumentError(absl::StrCat("dynamic_slice_sizes=", ListToString(sizes), ": size ", sizes[d],
                                                     " for dimension ", d, " of the operand ", operand.ToString(),
                                                     " must be between 0 and ", operand.dimension(d)));
    }
    const bool whole = sizes[d] == operand.dimension(d) && sizes[d] > 1;
    result.AddDimension(sizes[d], whole && operand.is_dynamic_dimension(d));
  }
  return result;
}

// Start indices are clamped so that the window is within the run-time sizes, not only within the bounds.
absl::StatusOr<Literal> EvaluateDynamicSlice(const HloInstruction& instruction, OperandValues& operands,
                                             EvalContext& context) {
  const Shape& shape = instruction.shape();
  const Literal& operand = operands[0];
  const int rank = shape.rank();
  // One element of a dynamic dimension of one is a static dimension of the result.
  if (operand.shape().Compatible(shape) && !operand.has_dynamic_sizes()) return TakeOperand(instruction, operands, 0);
  const DimensionVector starts = ReadStartIndices(operands, 1, RuntimeSizes(operand), shape.dimensions());
  const DimensionVector operand_strides = RowMajorStrides(operand.shape());
  const DimensionVector result_strides = RowMajorStrides(shape);
  CopyDimensions copy(rank);
  int64_t first = 0;
  for (int d = 0; d < rank; ++d) {
    copy[d] = {shape.dimension(d), operand_strides[d], result_strides[d]};
    first += starts[d] * operand_strides[d];
  }
  ASSIGN_OR_RETURN(Literal result, context.Allocate(shape));
  RETURN_IF_ERROR(
      StridedCopy(shape.element_type(), copy)
          .Run(ElementAt(operand.untyped_data(), first, shape.element_type()), result.untyped_mutable_data(), context));
  for (int d = 0; operand.has_dynamic_sizes() && d < rank; ++d) {
    const bool whole = shape.dimension(d) == operand.shape().dimension(d) && shape.dimension(d) > 1;
    if (whole) result.SetDynamicSize(d, operand.dynamic_size(d));
  }
  return result;
}

}  // namespace

OpDefinition Define_kDynamicSlice() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<DynamicSliceAttributes>;
  op.infer_shape = &InferShapeOfDynamicSlice;
  op.evaluate = &EvaluateDynamicSlice;
  return op;
}

}  // namespace xla
