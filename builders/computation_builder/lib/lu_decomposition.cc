// LuDecomposition of solve.h: column by column, each step takes the outer product of a column of L and a row of U from
// what is left.
#include <algorithm>
#include <vector>

#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/lib/lib_call.h"
#include "builders/computation_builder/lib/loops.h"
#include "builders/computation_builder/lib/matrix_steps.h"
#include "builders/computation_builder/lib/reductions.h"
#include "builders/computation_builder/lib/slicing.h"
#include "builders/computation_builder/lib/solve.h"

namespace xla {
namespace {

// The row, at or below j, of the element of greatest modulus in column j: s32[.., 1].
XlaOp FindPivot(ComputationBuilder* b, XlaOp a, XlaOp j) {
  const XlaOp magnitude = b->Abs(ColumnAt(b, a, j));
  const XlaOp candidate = b->Ge(RowNumbers(b, magnitude), j);
  const XlaOp candidates = b->Select(candidate, magnitude, FullLike(magnitude, -1));
  return ArgMax(candidates, S32, b->ShapeOrInvalid(magnitude).rank() - 2);
}

// x with rows j and `pivot` exchanged; the pivot, s32[.., 1, 1], is another one in each matrix of the batch.
XlaOp ExchangeRows(ComputationBuilder* b, XlaOp x, XlaOp j, XlaOp pivot) {
  const XlaOp rows = RowNumbers(b, x);
  const XlaOp is_pivot = b->Eq(rows, StretchTo(b, pivot, rows));
  const XlaOp chosen = b->Select(is_pivot, x, ZerosLike(x));
  const XlaOp pivot_row = ReduceSum(chosen, {b->ShapeOrInvalid(x).rank() - 2}, /*keep_dimensions=*/true);
  const XlaOp upper = SelectStretched(b, b->Eq(rows, j), pivot_row, x);
  return SelectStretched(b, is_pivot, RowAt(b, x, j), upper);
}

// Makes column j zero below the diagonal, and puts the factors there.
XlaOp Eliminate(ComputationBuilder* b, XlaOp a, XlaOp j) {
  const XlaOp column = ColumnAt(b, a, j), row = RowAt(b, a, j), pivot = ElementAt(b, a, j, j);
  // A pivot of 0 has nothing but zeros below.
  const XlaOp divisor = b->Select(b->Eq(pivot, ZerosLike(pivot)), OnesLike(pivot), pivot);
  const XlaOp below = b->Gt(RowNumbers(b, column), j);
  const XlaOp factors = b->Select(below, b->Div(column, divisor), ZerosLike(column));
  const XlaOp rest_of_row = b->Select(b->Gt(ColumnNumbers(b, row), j), row, ZerosLike(row));
  const XlaOp reduced = b->Sub(a, b->Mul(factors, rest_of_row));
  const XlaOp holds_factor = b->And(b->Eq(ColumnNumbers(b, a), j), b->Gt(RowNumbers(b, a), j));
  return SelectStretched(b, holds_factor, factors, reduced);
}

std::vector<XlaOp> LuStep(ComputationBuilder* b, XlaOp j, ArraySlice<XlaOp> values) {
  const XlaOp pivot = FindPivot(b, values[0], j);
  Shape as_element = b->ShapeOrInvalid(pivot);
  as_element.AddDimension(1);
  const XlaOp element = b->Reshape(pivot, as_element.dimensions());
  return {Eliminate(b, ExchangeRows(b, values[0], j, element), j), DynamicUpdateSliceInMinorDims(values[1], pivot, {j}),
          ExchangeRows(b, values[2], j, element)};
}

}  // namespace

// LU with partial pivoting by a loop over columns; the pivots are rows that were exchanged, in order, and the
// permutation is their product.
LuDecompositionResult LuDecomposition(XlaOp a, SourceLocation loc) {
  LibCall call("LuDecomposition", {a}, loc);
  if (!CheckDecomposable(call, a)) return {};
  const Shape shape = call.shape(a);
  DimensionVector dimensions(shape.dimensions().begin(), shape.dimensions().end() - 1);
  const int64_t count = std::min(dimensions.back(), shape.dimension(shape.rank() - 1));
  Shape column = Shape::Array(S32, dimensions);
  column.AddDimension(1);
  const XlaOp permutation = call->Iota(column, column.rank() - 2);
  DimensionVector pivot_dimensions = dimensions;
  pivot_dimensions.back() = count;
  const XlaOp pivots = Zeros(call.builder(), Shape::Array(S32, pivot_dimensions));
  const auto step = [](XlaOp j, ArraySlice<XlaOp> values, ComputationBuilder* b) { return LuStep(b, j, values); };
  const auto results = ForEachIndex(count, S32, step, {a, pivots, permutation}, "lu", call.builder());
  if (results.empty()) return {};
  return {results[0], results[1], call->Reshape(results[2], dimensions)};
}

}  // namespace xla
