// concatenate: arrays one after the other along one dimension.
//
//   operands: one or more arrays of one element type and rank, equal in all dimensions but the given one
//   dimensions={d}  the dimension along which sizes add up
// With dynamic operands the valid elements follow each other without gaps; along the other dimensions the run-time size
// is the smallest of the operands', as in elementwise operations.
// Source: StableHLO spec, section `concatenate`.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/dimension_checks.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_checks.h"
#include "xla_core/ops/operand_storage.h"
#include "xla_core/ops/strided_copy.h"
#include "xla_core/ops/valid_elements.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

int ConcatenatedDimension(const HloInstruction& instruction) {
  return static_cast<int>(instruction.attributes<DimensionAttributes>().dimension);
}

// Operand i differs from operand 0 in dimension d only.
absl::Status CheckMatch(const HloInstruction& instruction, int i, int d) {
  const Shape& first = instruction.operand(0)->shape();
  const Shape& shape = instruction.operand(i)->shape();
  bool match = first.element_type() == shape.element_type() && first.rank() == shape.rank();
  for (int k = 0; match && k < first.rank(); ++k) match = k == d || first.dimension(k) == shape.dimension(k);
  if (match) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("operands must agree in element type, rank and all dimensions but ", d,
                                                 ": operand 0 is ", first.ToString(), ", operand ", i, " is ",
                                                 shape.ToString()));
}

// Sizes add up along the dimension; the others must agree. A dimension that is dynamic in one operand is so in the
// result.
absl::StatusOr<Shape> InferShapeOfConcatenate(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckBoundedArrays(instruction));
  RETURN_IF_ERROR(CheckDimension("dimension to concatenate along",
                                 instruction.attributes<DimensionAttributes>().dimension,
                                 instruction.operand(0)->shape()));
  const int d = ConcatenatedDimension(instruction);
  Shape result = instruction.operand(0)->shape().WithoutLayout();
  for (int i = 1; i < instruction.operand_count(); ++i) {
    RETURN_IF_ERROR(CheckMatch(instruction, i, d));
    const Shape& operand = instruction.operand(i)->shape();
    int64_t size;
    if (!CheckedAdd(result.dimension(d), operand.dimension(d), &size)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the sizes of dimension ", d, " add up to more than fits in 63 bits"));
    }
    result.set_dimension(d, size);
    for (int k = 0; k < operand.rank(); ++k) {
      if (operand.is_dynamic_dimension(k)) result.set_dynamic_dimension(k, true);
    }
  }
  RETURN_IF_ERROR(ValidateShape(result));
  return result;
}

bool HasDynamicSizes(const OperandValues& operands) {
  for (int i = 0; i < operands.size(); ++i) {
    if (operands[i].has_dynamic_sizes()) return true;
  }
  return false;
}

void CarryOtherSizes(const Literal& operand, int concatenated, Literal& result) {
  for (int d = 0; d < operand.shape().rank(); ++d) {
    if (d != concatenated) result.SetDynamicSize(d, std::min(result.dynamic_size(d), operand.dynamic_size(d)));
  }
}

// Dynamic operands are packed: each begins where the valid elements of the one before end, not at its bound.
absl::StatusOr<Literal> EvaluateConcatenate(const HloInstruction& instruction, OperandValues& operands,
                                            EvalContext& context) {
  if (operands.size() == 1) return TakeOperand(instruction, operands, 0);
  const int d = ConcatenatedDimension(instruction);
  const Shape& shape = instruction.shape();
  const DimensionVector result_strides = RowMajorStrides(shape);
  const bool dynamic = HasDynamicSizes(operands);
  ASSIGN_OR_RETURN(Literal result, AllocateFor(shape, dynamic, context));
  int64_t start = 0;  // where the next operand begins along the dimension
  for (int i = 0; i < operands.size(); ++i) {
    const Literal& operand = operands[i];
    const DimensionVector operand_strides = RowMajorStrides(operand.shape());
    CopyDimensions copy(shape.rank());
    for (int k = 0; k < shape.rank(); ++k) copy[k] = {operand.dynamic_size(k), operand_strides[k], result_strides[k]};
    RETURN_IF_ERROR(StridedCopy(shape.element_type(), copy)
                        .Run(operand.untyped_data(),
                             ElementAt(result.untyped_mutable_data(), start * result_strides[d], shape.element_type()),
                             context));
    start += operand.dynamic_size(d);
    if (dynamic) CarryOtherSizes(operand, d, result);
  }
  if (dynamic) result.SetDynamicSize(d, start);
  return result;
}

}  // namespace

OpDefinition Define_kConcatenate() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<DimensionAttributes>;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShapeOfConcatenate;
  op.evaluate = &EvaluateConcatenate;
  return op;
}

}  // namespace xla
