// SelfAdjointEig and SVD. Both sweep over all pairs of columns until a measure is small enough.
#include "builders/computation_builder/lib/self_adjoint_eig.h"

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/lib/jacobi.h"
#include "builders/computation_builder/lib/lib_call.h"
#include "builders/computation_builder/lib/loops.h"
#include "builders/computation_builder/lib/matrix.h"
#include "builders/computation_builder/lib/matrix_steps.h"
#include "builders/computation_builder/lib/qr.h"
#include "builders/computation_builder/lib/reductions.h"
#include "builders/computation_builder/lib/slicing.h"
#include "builders/computation_builder/lib/sorting.h"
#include "builders/computation_builder/lib/take.h"

namespace xla {
namespace {

int64_t RankOf(ComputationBuilder* b, XlaOp x) { return b->ShapeOrInvalid(x).rank(); }
int64_t ColumnCount(ComputationBuilder* b, XlaOp x) { return b->ShapeOrInvalid(x).dimension(RankOf(b, x) - 1); }

XlaOp SumOfSquares(ComputationBuilder* b, XlaOp x) {
  return ReduceSum(b->Mul(x, x), {RankOf(b, x) - 2, RankOf(b, x) - 1});
}

bool CheckSweeps(LibCall& call, int64_t max_iter) {
  if (max_iter < 0) call.Fail(absl::StrCat("max_iter must be at least 0, got ", max_iter));
  return call.ok();
}

// values = sweep(values), while `goes_on` of them, but max_iter times at most.
using Sweep = std::function<std::vector<XlaOp>(ComputationBuilder*, ArraySlice<XlaOp>)>;
using GoesOn = std::function<XlaOp(ComputationBuilder*, ArraySlice<XlaOp>)>;
// Repeats sweeps as long as `goes_on` holds, at most max_iter times.
std::vector<XlaOp> SweepWhile(LibCall& call, int64_t max_iter, const GoesOn& goes_on, const Sweep& sweep,
                              ArraySlice<XlaOp> values, const char* name) {
  std::vector<XlaOp> state = {call.Integer(S64, 0)};
  state.insert(state.end(), values.begin(), values.end());
  const auto condition = [&](ArraySlice<XlaOp> state, ComputationBuilder* b) {
    return b->And(b->Lt(state[0], b->ConstantR0<int64_t>(max_iter)), goes_on(b, state.subspan(1)));
  };
  const auto body = [&](ArraySlice<XlaOp> state, ComputationBuilder* b) {
    std::vector<XlaOp> next = sweep(b, state.subspan(1));
    next.insert(next.begin(), b->Add(state[0], b->ConstantR0<int64_t>(1)));
    return next;
  };
  std::vector<XlaOp> results = WhileLoopHelper(condition, body, state, name, call.builder());
  if (!results.empty()) results.erase(results.begin());
  return results;
}

// values: the matrix, which becomes diagonal, and the product of all rotations.
std::vector<XlaOp> DiagonalizePair(ComputationBuilder* b, XlaOp p, XlaOp q, ArraySlice<XlaOp> values) {
  const XlaOp a = values[0];
  const Rotation rotation =
      DiagonalizingRotation(b, ElementAt(b, a, p, p), ElementAt(b, a, p, q), ElementAt(b, a, q, q));
  XlaOp rotated = RotateColumns(b, RotateRows(b, a, p, q, rotation), p, q, rotation);
  // What rounding left there.
  const XlaOp zero = ZerosLike(ElementAt(b, a, p, q));
  rotated = DynamicUpdateSliceInMinorDims(rotated, zero, {p, q});
  rotated = DynamicUpdateSliceInMinorDims(rotated, zero, {q, p});
  return {rotated, RotateColumns(b, values[1], p, q, rotation)};
}

// The columns of `matrix` in the order that `indices` lists.
XlaOp TakeColumns(ComputationBuilder* b, XlaOp matrix, XlaOp indices) {
  const Shape shape = b->ShapeOrInvalid(matrix);
  Shape row = shape;
  row.set_dimension(shape.rank() - 2, 1);
  return TakeAlongAxis(matrix, b->Reshape(indices, row.dimensions()), shape.rank() - 1);
}

// values: the matrix, whose columns become orthogonal, the product of all rotations, and the greatest cosine of the
// angle between two columns that was met.
std::vector<XlaOp> OrthogonalizePair(ComputationBuilder* b, XlaOp p, XlaOp q, ArraySlice<XlaOp> values) {
  const int64_t rank = RankOf(b, values[0]);
  const auto product = [&](XlaOp x, XlaOp y) { return ReduceSum(b->Mul(x, y), {rank - 2}, /*keep_dimensions=*/true); };
  const XlaOp at_p = ColumnAt(b, values[0], p), at_q = ColumnAt(b, values[0], q);
  const XlaOp pp = product(at_p, at_p), pq = product(at_p, at_q), qq = product(at_q, at_q);
  const Rotation rotation = DiagonalizingRotation(b, pp, pq, qq);
  const XlaOp norms = b->Mul(b->Sqrt(pp), b->Sqrt(qq));
  const XlaOp cosine = b->Select(b->Eq(pq, ZerosLike(pq)), ZerosLike(pq), b->Div(b->Abs(pq), norms));
  const XlaOp greatest = ReduceMax(cosine, FirstDimensions(rank));
  return {RotateColumns(b, values[0], p, q, rotation), RotateColumns(b, values[1], p, q, rotation),
          b->Max(values[2], greatest)};
}

// For m >= n.
SVDResult TallSvd(LibCall& call, XlaOp a, int64_t max_iter, float epsilon) {
  ComputationBuilder* const b = call.builder();
  const int64_t n = ColumnCount(b, a);
  const PrimitiveType type = call.type(a);
  const auto goes_on = [&](ComputationBuilder* b, ArraySlice<XlaOp> values) {
    return b->Gt(values[2], ScalarLike(values[2], epsilon));
  };
  const auto sweep = [&](ComputationBuilder* b, ArraySlice<XlaOp> values) {
    return ForEachPair(b, n, OrthogonalizePair, {values[0], values[1], ZerosLike(values[2])});
  };
  const auto swept =
      SweepWhile(call, max_iter, goes_on, sweep, {a, IdentityLike(b, a, n, n), call.Number(type, 1)}, "svd");
  if (swept.empty()) return {};
  // Columns in the order of their lengths, which are the singular values. The reflections of QR make orthonormal
  // columns of them also where they are zero; R is diagonal then.
  const XlaOp lengths = ReduceSum(b->Mul(swept[0], swept[0]), {RankOf(b, a) - 2});
  const XlaOp order = ArgSort(lengths, -1, /*descending=*/true);
  XlaOp q, r;
  QrExplicit(TakeColumns(b, swept[0], order), /*full_matrices=*/false, q, r);
  if (!call.ok()) return {};
  const XlaOp diagonal = GetMatrixDiagonal(r);
  const XlaOp sign = b->Select(b->Lt(diagonal, ZerosLike(diagonal)), FullLike(diagonal, -1), OnesLike(diagonal));
  DimensionVector columns = FirstDimensions(RankOf(b, a) - 2);
  columns.push_back(RankOf(b, a) - 1);
  return {b->Mul(q, sign, columns), b->Abs(diagonal), TakeColumns(b, swept[1], order)};
}

}  // namespace

// Jacobi's method: rotates all pairs of rows and columns in each sweep until what is beside the diagonal is small in
// relation to the whole matrix.
SelfAdjointEigResult SelfAdjointEig(XlaOp a, bool lower, int64_t max_iter, float tol, bool sort_eigenvalues,
                                    SourceLocation loc) {
  LibCall call("SelfAdjointEig", {a}, loc);
  if (!CheckDecomposable(call, a, /*real_only=*/true) || !call.CheckSquareMatrix("a", a)) return {};
  if (!CheckSweeps(call, max_iter)) return {};
  const int64_t n = ColumnCount(call.builder(), a);
  const auto goes_on = [&](ComputationBuilder* b, ArraySlice<XlaOp> values) {
    const XlaOp beside = b->Select(GetDiagonalMask(values[0]), ZerosLike(values[0]), values[0]);
    const XlaOp limit = b->Mul(SumOfSquares(b, values[0]), ScalarLike(values[0], static_cast<double>(tol) * tol));
    return Any(b->Gt(SumOfSquares(b, beside), limit));
  };
  const auto sweep = [n](ComputationBuilder* b, ArraySlice<XlaOp> values) {
    return ForEachPair(b, n, DiagonalizePair, values);
  };
  const auto swept = SweepWhile(call, max_iter, goes_on, sweep,
                                {Symmetrize(a, lower), IdentityLike(call.builder(), a, n, n)}, "self_adjoint_eig");
  if (swept.empty()) return {};
  const XlaOp w = GetMatrixDiagonal(swept[0]);
  if (!sort_eigenvalues || n == 0) return {swept[1], w};
  const XlaOp order = ArgSort(w);
  return {TakeColumns(call.builder(), swept[1], order), TakeAlongAxis(w, order, call.shape(w).rank() - 1)};
}

SVDResult SVD(XlaOp a, int64_t max_iter, float epsilon, SourceLocation loc) {
  LibCall call("SVD", {a}, loc);
  if (!CheckDecomposable(call, a, /*real_only=*/true) || !CheckSweeps(call, max_iter)) return {};
  const Shape shape = call.shape(a);
  if (shape.dimension(shape.rank() - 2) >= shape.dimension(shape.rank() - 1)) {
    return TallSvd(call, a, max_iter, epsilon);
  }
  const SVDResult transposed = TallSvd(call, TransposeInMinorDims(a), max_iter, epsilon);
  return {transposed.v, transposed.d, transposed.u};
}

}  // namespace xla
