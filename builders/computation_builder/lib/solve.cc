#include "builders/computation_builder/lib/solve.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/lib/lib_call.h"
#include "builders/computation_builder/lib/matrix.h"
#include "builders/computation_builder/lib/matrix_steps.h"
#include "builders/computation_builder/lib/reductions.h"
#include "builders/computation_builder/lib/take.h"

namespace xla {
namespace {

bool CheckEquations(LibCall& call, absl::string_view a_name, XlaOp a, XlaOp b) {
  if (!CheckDecomposable(call, a) || !call.CheckSquareMatrix(a_name, a)) return false;
  if (!call.CheckSameType(a_name, a, "b", b) || !call.CheckMatrix("b", b)) return false;
  Shape expected = call.shape(a);
  const Shape given = call.shape(b);
  expected.set_dimension(expected.rank() - 1, given.dimension(given.rank() - 1));
  if (given.SameDimensions(expected)) return true;
  call.Fail(absl::StrCat("b must have the batch dimensions and the rows of ", call.shape(a).ToString(), ", got ",
                         given.ToString()));
  return false;
}

XlaOp SolveBy(LibCall& call, const LuDecompositionResult& lu, XlaOp b) {
  if (!call.ok()) return XlaOp();
  Shape column = call.shape(lu.permutation);
  column.AddDimension(1);
  const XlaOp rows = call->Reshape(lu.permutation, column.dimensions());
  const XlaOp permuted = TakeAlongAxis(b, rows, column.rank() - 2);
  const XlaOp y = call->TriangularSolve(lu.lu, permuted, /*left_side=*/true, /*lower=*/true, /*unit_diagonal=*/true,
                                        TransposeA::kNoTranspose);
  return call->TriangularSolve(lu.lu, y, /*left_side=*/true, /*lower=*/false, /*unit_diagonal=*/false,
                               TransposeA::kNoTranspose);
}

SignAndLogDet DeterminantOf(LibCall& call, XlaOp a) {
  const LuDecompositionResult lu = LuDecomposition(a);
  const XlaOp diagonal = GetMatrixDiagonal(lu.lu);
  if (!call.ok()) return {};
  const int64_t last = call.shape(diagonal).rank() - 1;
  // Each exchange of two rows changes the sign.
  const XlaOp exchanged = call->Ne(lu.pivots, call->Iota(call.shape(lu.pivots), last));
  const XlaOp flips = call->Select(exchanged, FullLike(diagonal, -1), OnesLike(diagonal));
  const XlaOp sign = ReduceProduct(call->Mul(call->Sign(diagonal), flips), {last});
  return {sign, ReduceSum(call->Log(call->Abs(diagonal)), {last})};
}

}  // namespace

XlaOp Solve(XlaOp a, XlaOp b, SourceLocation loc) {
  LibCall call("Solve", {a, b}, loc);
  return CheckEquations(call, "a", a, b) ? SolveBy(call, LuDecomposition(a), b) : XlaOp();
}

XlaOp CholeskySolve(XlaOp cholesky, XlaOp b, bool lower, SourceLocation loc) {
  LibCall call("CholeskySolve", {cholesky, b}, loc);
  if (!CheckEquations(call, "cholesky", cholesky, b)) return XlaOp();
  const auto solve = [&](XlaOp rhs, TransposeA transpose) {
    return call->TriangularSolve(cholesky, rhs, /*left_side=*/true, lower, /*unit_diagonal=*/false, transpose);
  };
  // a = L L^H = U^H U
  const TransposeA first = lower ? TransposeA::kNoTranspose : TransposeA::kAdjoint;
  const TransposeA second = lower ? TransposeA::kAdjoint : TransposeA::kNoTranspose;
  return solve(solve(b, first), second);
}

XlaOp Inverse(XlaOp a, SourceLocation loc) {
  LibCall call("Inverse", {a}, loc);
  if (!CheckDecomposable(call, a) || !call.CheckSquareMatrix("a", a)) return XlaOp();
  const int64_t n = call.shape(a).dimension(call.shape(a).rank() - 1);
  return SolveBy(call, LuDecomposition(a), IdentityLike(call.builder(), a, n, n));
}

SignAndLogDet SLogDet(XlaOp a, SourceLocation loc) {
  LibCall call("SLogDet", {a}, loc);
  if (!CheckDecomposable(call, a) || !call.CheckSquareMatrix("a", a)) return {};
  return DeterminantOf(call, a);
}

XlaOp LogDet(XlaOp a, SourceLocation loc) {
  LibCall call("LogDet", {a}, loc);
  if (!CheckDecomposable(call, a, /*real_only=*/true) || !call.CheckSquareMatrix("a", a)) return XlaOp();
  const SignAndLogDet determinant = DeterminantOf(call, a);
  const XlaOp negative = call.ok() ? call->Lt(determinant.sign, ZerosLike(determinant.sign)) : XlaOp();
  return call.ok() ? call->Select(negative, FullLike(determinant.logdet, std::nan("")), determinant.logdet) : XlaOp();
}

}  // namespace xla
