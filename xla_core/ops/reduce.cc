// Combines the elements along `dimensions` with a function of scalars:
//   reduce(x T[d0..dr-1], init T[]), dimensions={...}, to_apply=f  ->  T[the other dimensions]
//   result = f(... f(f(init, x_0), x_1) ..., x_m) over the reduced indices in row-major order
// With n arrays of equal dimensions and n initial values, f takes n accumulators and n elements, and the result is a
// tuple of n arrays. Nothing to reduce yields init, which is applied exactly once. Elements past a dynamic size are
// skipped.
// Errors: InvalidArgument if the operands are not n arrays of equal dimensions and n scalars of their types, if a
// dimension is out of range or repeated, or if f has another signature.
// Source: hlo-opcodes.md section 3.5 and [D]; StableHLO spec, section `reduce`.
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_checks.h"
#include "xla_core/ops/reducer_checks.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<std::vector<bool>> ReducedDimensions(const HloInstruction& reduce) {
  const Shape& operand = reduce.operand(0)->shape();
  std::vector<bool> reduced(operand.rank(), false);
  for (int64_t dimension : reduce.attributes<DimensionsAttributes>().dimensions) {
    RETURN_IF_ERROR(CheckDimension("dimension to reduce", dimension, operand));
    if (reduced[dimension]) {
      return absl::InvalidArgumentError(absl::StrCat("dimension ", dimension, " to reduce is given twice"));
    }
    reduced[dimension] = true;
  }
  return reduced;
}

// `operand` without the reduced dimensions.
Shape ReducedShape(const Shape& operand, const std::vector<bool>& reduced) {
  Shape result = Shape::Scalar(operand.element_type());
  for (int i = 0; i < operand.rank(); ++i) {
    if (!reduced[i]) result.AddDimension(operand.dimension(i), operand.is_dynamic_dimension(i));
  }
  return result;
}

absl::StatusOr<Shape> InferShape(const HloInstruction& reduce) {
  RETURN_IF_ERROR(CheckReducedArrays(reduce));
  ASSIGN_OR_RETURN(const std::vector<bool> reduced, ReducedDimensions(reduce));
  std::vector<Shape> results;
  for (int i = 0; i < ReducedArrayCount(reduce); ++i) {
    results.push_back(ReducedShape(reduce.operand(i)->shape(), reduced));
  }
  return ArrayOrTuple(std::move(results));
}

void Verify(const HloInstruction& reduce, Violations& violations) {
  if (CheckReducedArrays(reduce).ok()) CheckReducer(reduce, /*mixed_precision=*/false, violations);
}

}  // namespace

OpDefinition Define_kReduce() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<DimensionsAttributes>;
  op.called_computations = {"to_apply"};
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShape;
  op.verify = &Verify;
  return op;
}

}  // namespace xla
