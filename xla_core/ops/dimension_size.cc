// get-dimension-size and set-dimension-size: the run-time sizes of dynamic dimensions.
//
// get-dimension-size: s32[] with the run-time size of a dimension; of a static one its size, which must fit in s32.
// set-dimension-size (array, s32[]): the array with a dimension marked dynamic, of which the first n elements are
// valid.
//   The dimension keeps its size as the bound; n outside [0, bound] is an error at run time.
//   dimensions={d}  the dimension, for both
// Source: StableHLO spec, section `get_dimension_size`; XLA operation semantics, section `SetDimensionSize`.
#include <limits>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/dimension_checks.h"
#include "xla_core/ops/index_values.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_checks.h"
#include "xla_core/ops/operand_storage.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

int DimensionOf(const HloInstruction& instruction) {
  return static_cast<int>(instruction.attributes<DimensionAttributes>().dimension);
}

absl::Status CheckArrayWithDimension(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckBoundedArrays(instruction));
  return CheckDimension("dimension to ask or set the size of", instruction.attributes<DimensionAttributes>().dimension,
                        instruction.operand(0)->shape());
}

absl::StatusOr<Shape> InferGetShape(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckArrayWithDimension(instruction));
  const Shape& operand = instruction.operand(0)->shape();
  if (operand.dimension(DimensionOf(instruction)) > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat("the size of dimension ", DimensionOf(instruction),
                                                   " of the operand ", operand.ToString(),
                                                   " must fit in the s32[] result"));
  }
  return Shape::Scalar(S32);
}

absl::StatusOr<Literal> EvaluateGet(const HloInstruction& instruction, OperandValues& operands, EvalContext& context) {
  ASSIGN_OR_RETURN(Literal result, context.Allocate(instruction.shape()));
  result.mutable_data<int32_t>()[0] = static_cast<int32_t>(operands[0].dynamic_size(DimensionOf(instruction)));
  return result;
}

absl::StatusOr<Shape> InferSetShape(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckArrayWithDimension(instruction));
  const Shape& size = instruction.operand(1)->shape();
  if (!size.IsScalarOf(S32)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the size (operand 1) must be s32[], got ", size.ToString(), "; convert or reshape it"));
  }
  Shape result = instruction.operand(0)->shape().WithoutLayout();
  result.set_dynamic_dimension(DimensionOf(instruction), true);
  return result;
}

absl::StatusOr<Literal> EvaluateSet(const HloInstruction& instruction, OperandValues& operands, EvalContext&) {
  const int64_t size = ReadIndex(operands[1], 0);
  const int dimension = DimensionOf(instruction);
  const int64_t bound = instruction.shape().dimension(dimension);
  if (size < 0 || size > bound) {
    return absl::InvalidArgumentError(absl::StrCat("size ", size, " for dimension ", dimension, " of ",
                                                   instruction.shape().ToString(), " is not in [0, ", bound, "]"));
  }
  Literal result = TakeOperand(instruction, operands, 0);
  result.SetDynamicSize(dimension, size);
  return result;
}

}  // namespace

OpDefinition Define_kGetDimensionSize() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<DimensionAttributes>;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferGetShape;
  op.evaluate = &EvaluateGet;
  return op;
}

OpDefinition Define_kSetDimensionSize() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.make_attributes = &MakeAttributes<DimensionAttributes>;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferSetShape;
  op.evaluate = &EvaluateSet;
  return op;
}

}  // namespace xla
