// LU decomposition, and what it gives: solutions of linear equations, inverses, determinants.
#ifndef BUILDERS_COMPUTATION_BUILDER_LIB_SOLVE_H_
#define BUILDERS_COMPUTATION_BUILDER_LIB_SOLVE_H_

#include "builders/computation_builder/computation_builder.h"

namespace xla {

// P a = L U: L unit lower triangular and U upper triangular, both in `lu`.
struct LuDecompositionResult {
  XlaOp lu;
  XlaOp pivots;       // s32[.., min(m, n)]: in step i, rows i and pivots[i] were exchanged
  XlaOp permutation;  // s32[.., m]: row i of P a is row permutation[i] of a
};

// Gaussian elimination with partial pivoting: the pivot is the element of greatest modulus, the first of equals. Of a
// singular matrix U has zeros on the diagonal.
//   Shapes: T[.., m, n] -> lu T[.., m, n]; T: f32, f64, c64, c128
//   Errors: another type; less than two dimensions. The results are invalid then.
//   HLO: while
LuDecompositionResult LuDecomposition(XlaOp a, SourceLocation loc = SourceLocation::Current());

// x with a x = b. Infinite or NaN if a is singular.
//   Shapes: a T[.., n, n], b T[.., n, k] -> T[.., n, k]; T as above; equal batch dimensions
//   Errors: as above; a matrix a that is not square; another type or other dimensions of b.
//   Example: Solve({{2, 0}, {0, 4}}, {{2}, {2}}) = {{1}, {0.5}}
//   HLO: while, gather, triangular-solve
XlaOp Solve(XlaOp a, XlaOp b, SourceLocation loc = SourceLocation::Current());
// x with a x = b, from the result of Cholesky(a, lower), for a symmetric (Hermitian) positive definite.
//   Shapes: cholesky T[.., n, n], b T[.., n, k] -> T[.., n, k]
//   Errors: as Solve.
//   HLO: triangular-solve, twice
XlaOp CholeskySolve(XlaOp cholesky, XlaOp b, bool lower = true, SourceLocation loc = SourceLocation::Current());
// The matrix that times a is the unit matrix.
//   Shapes: T[.., n, n] -> same; T as above
//   Errors: as Solve.
//   Example: Inverse({{2, 0}, {0, 4}}) = {{0.5, 0}, {0, 0.25}}
//   HLO: as Solve
XlaOp Inverse(XlaOp a, SourceLocation loc = SourceLocation::Current());

// det(a) = sign * e^logdet; sign is -1, 0 or 1, or of modulus 1 for complex numbers.
struct SignAndLogDet {
  XlaOp sign;
  XlaOp logdet;
};
// The determinant, which itself might overflow; 0 and -inf if a is singular.
//   Shapes: T[.., n, n] -> sign T[..], logdet real T[..]; T as above
//   Errors: as Solve.
//   HLO: while, reduce
SignAndLogDet SLogDet(XlaOp a, SourceLocation loc = SourceLocation::Current());
// The logarithm of the determinant; NaN if it is negative.
//   Shapes: T[.., n, n] -> T[..]; T: f32, f64
//   Errors: as Solve.
//   HLO: as SLogDet
XlaOp LogDet(XlaOp a, SourceLocation loc = SourceLocation::Current());

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_LIB_SOLVE_H_
