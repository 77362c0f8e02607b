// dynamic-reshape: reshape to sizes known at run time.
//
//   operands: the array, then one s32 scalar per result dimension with its size
// The result shape must be written: the operand's type, and bounds with the operand's element count. The valid elements
// of the operand, in row-major order, become the valid elements of the result, which must be as many; a size outside
// [0, bound] is an error.
// Source: StableHLO spec, section `dynamic_reshape`.
#include "absl/strings/str_cat.h"
#include "xla_core/ops/dimension_checks.h"
#include "xla_core/ops/index_values.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/valid_elements.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// One s32 scalar for each dimension of the result, static ones included.
absl::Status CheckSizeOperands(const HloInstruction& instruction) {
  const int rank = instruction.shape().rank();
  if (instruction.operand_count() != 1 + rank) {
    return absl::InvalidArgumentError(absl::StrCat("expected one size operand for each of ", rank,
                                                   " dimensions of the result ", instruction.shape().ToString(),
                                                   ", got ", instruction.operand_count() - 1));
  }
  for (int i = 1; i <= rank; ++i) {
    const Shape& size = instruction.operand(i)->shape();
    if (size.IsScalarOf(S32)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("size operand ", i, " must be s32[], got ", size.ToString(), "; convert or reshape it"));
  }
  return absl::OkStatus();
}

// Only the number of elements within the bounds is checked here; whether the sizes hold as many is known at run time.
absl::StatusOr<Shape> InferShapeOfDynamicReshape(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckBoundedArrays(instruction));
  RETURN_IF_ERROR(CheckWrittenArray(instruction));
  RETURN_IF_ERROR(CheckSizeOperands(instruction));
  const Shape& operand = instruction.operand(0)->shape();
  const Shape& written = instruction.shape();
  ASSIGN_OR_RETURN(const int64_t operand_count, CheckedElementCount(operand));
  ASSIGN_OR_RETURN(const int64_t result_count, CheckedElementCount(written));
  if (operand_count != result_count || operand.element_type() != written.element_type()) {
    return absl::InvalidArgumentError(absl::StrCat("operand ", operand.ToString(), " and result ", written.ToString(),
                                                   " must have one element type and the same number of elements in ",
                                                   "their bounds, got ", operand_count, " and ", result_count));
  }
  return written.WithoutLayout();
}

// Valid elements keep their row-major order, and places beyond the sizes are zero.
absl::StatusOr<Literal> EvaluateDynamicReshape(const HloInstruction& instruction, OperandValues& operands,
                                               EvalContext& context) {
  const Shape& shape = instruction.shape();
  ASSIGN_OR_RETURN(Literal result, context.AllocateZeros(shape));
  for (int d = 0; d < shape.rank(); ++d) {
    const int64_t size = ReadIndex(operands[1 + d], 0);
    if (size < 0 || size > shape.dimension(d)) {
      return absl::InvalidArgumentError(absl::StrCat("size ", size, " for dimension ", d, " of ", shape.ToString(),
                                                     " is not in [0, ", shape.dimension(d), "]"));
    }
    result.SetDynamicSize(d, size);
  }
  if (ValidElementCount(result) != ValidElementCount(operands[0])) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the sizes given for ", shape.ToString(), " hold ", ValidElementCount(result), " elements, but the operand ",
        operands[0].shape().ToString(), " has ", ValidElementCount(operands[0]), " at run time"));
  }
  RETURN_IF_ERROR(CopyValidElements(operands[0], result, context));
  return result;
}

}  // namespace

OpDefinition Define_kDynamicReshape() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.infer_shape = &InferShapeOfDynamicReshape;
  op.evaluate = &EvaluateDynamicReshape;
  return op;
}

}  // namespace xla
