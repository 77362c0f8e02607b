// Combines the elements along `dimensions` with a function of scalars:
//   reduce(x T[d0..dr-1], init T[]), dimensions={...}, to_apply=f  ->  T[the other dimensions]
//   result = f(... f(f(init, x_0), x_1) ..., x_m) over the reduced indices in row-major order
// With n arrays of equal dimensions and n initial values, f takes n accumulators and n elements, and the result is a
// tuple of n arrays. So it is for n = 1 if f returns a tuple of one. Nothing to reduce yields init, which is applied
// exactly once. Elements past a dynamic size are skipped. Floats may be reduced in another float type than that of
// arrays, initial values and results, that of f. Errors: InvalidArgument if the operands are not n arrays of
// equal dimensions and n scalars of their types, if a dimension is out of range or repeated, or if f has another
// signature. Source: StableHLO spec, section `reduce`.
//
// How: neighbouring dimensions that are both reduced or both kept are one to the loops (reduce_nest.h). A reducer of
// known_reducer.h runs over contiguous rows, eight accumulators a row, where the innermost dimension is reduced, and
// else adds contiguous rows to a row of accumulators. Any other is applied to kMaxLanes results at a time. Which
// elements meet in which order follows from the shapes alone, never from the number of threads.
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/lane_fold.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_checks.h"
#include "xla_core/ops/reduce_loops.h"
#include "xla_core/ops/reduce_nest.h"
#include "xla_core/ops/reduced_arrays.h"
#include "xla_core/ops/reducer_checks.h"
#include "xla_core/ops/variadic_result.h"
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

// `operand` without the reduced dimensions, of another element type.
Shape ReducedShape(const Shape& operand, const std::vector<bool>& reduced, PrimitiveType type) {
  Shape result = Shape::Scalar(type);
  for (int i = 0; i < operand.rank(); ++i) {
    if (!reduced[i]) result.AddDimension(operand.dimension(i), operand.is_dynamic_dimension(i));
  }
  return result;
}

absl::StatusOr<Shape> InferShapeOfReduce(const HloInstruction& reduce) {
  RETURN_IF_ERROR(CheckReducedArrays(reduce));
  ASSIGN_OR_RETURN(const std::vector<bool> reduced, ReducedDimensions(reduce));
  const std::vector<PrimitiveType> types = ReducedTypes(reduce);
  std::vector<Shape> results;
  for (int i = 0; i < ReducedArrayCount(reduce); ++i) {
    results.push_back(ReducedShape(reduce.operand(i)->shape(), reduced, types[i]));
  }
  return ArrayOrTuple(std::move(results), GivesTuple(reduce));
}

void VerifyReduce(const HloInstruction& reduce, Violations& violations) {
  if (CheckReducedArrays(reduce).ok()) CheckReducer(reduce, violations);
}

// The kept dimensions of the result are as large as those of the operand.
void SetDynamicSizes(const Literal& operand, const DimensionVector& sizes, const std::vector<bool>& reduced,
                     Literal& result) {
  if (!operand.has_dynamic_sizes()) return;
  int kept = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!reduced[i]) result.SetDynamicSize(kept++, sizes[i]);
  }
}

// Sets every result to its initial value.
void FillWithInit(const FoldedArray& array, int64_t count) {
  const int64_t width = ByteWidth(array.type);
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(static_cast<char*>(array.result) + i * width, array.init, width);
  }
}

absl::Status Fold(const ReduceNest& nest, const ScalarFunction& reducer, absl::Span<const FoldedArray> arrays,
                  EvalContext& context) {
  const ScalarFunction::Known& known = reducer.known();
  if (arrays.size() == 1 && known.kind == ScalarFunction::Known::Kind::kBinary &&
      HasKnownFold(known.op, arrays[0].type)) {
    return FoldByKnownReducer(nest, known.op, arrays[0], context);
  }
  return FoldByFunction(nest, reducer, arrays, context);
}

// Nothing to reduce gives the initial value; nothing to keep gives an empty result. Sizes are run-time sizes.
absl::StatusOr<Literal> EvaluateReduce(const HloInstruction& reduce, OperandValues& operands, EvalContext& context) {
  ASSIGN_OR_RETURN(const std::vector<bool> reduced, ReducedDimensions(reduce));
  ASSIGN_OR_RETURN(const ScalarFunction* reducer, context.GetScalarFunction(*reduce.called_computation(0)));
  ASSIGN_OR_RETURN(ReducedArrays arrays, ReducedArrays::Make(reduce, operands, context));

  DimensionVector sizes;
  for (int d = 0; d < operands[0].shape().rank(); ++d) sizes.push_back(operands[0].dynamic_size(d));
  for (size_t i = 0; i < arrays.results().size(); ++i) {
    SetDynamicSizes(operands[static_cast<int>(i)], sizes, reduced, arrays.results()[i]);
  }
  const std::vector<FoldedArray> folded = arrays.Folded();
  const ReduceNest nest(operands[0].shape().dimensions(), sizes, reduced);
  if (nest.reduced_count == 0) {
    for (size_t i = 0; i < folded.size(); ++i) FillWithInit(folded[i], arrays.results()[i].element_count());
  } else if (nest.kept_count != 0) {
    RETURN_IF_ERROR(Fold(nest, *reducer, folded, context));
  }
  return arrays.TakeResult(context);
}

}  // namespace

OpDefinition Define_kReduce() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<DimensionsAttributes>;
  op.called_computations = {"to_apply"};
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShapeOfReduce;
  op.verify = &VerifyReduce;
  op.evaluate = &EvaluateReduce;
  return op;
}

}  // namespace xla
