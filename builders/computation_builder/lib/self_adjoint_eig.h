// Eigenvalues of symmetric matrices, and singular values of any, by Jacobi's rotations.
#ifndef BUILDERS_COMPUTATION_BUILDER_LIB_SELF_ADJOINT_EIG_H_
#define BUILDERS_COMPUTATION_BUILDER_LIB_SELF_ADJOINT_EIG_H_

#include <cstdint>

#include "builders/computation_builder/computation_builder.h"

namespace xla {

// a v = v diag(w).
struct SelfAdjointEigResult {
  XlaOp v;  // eigenvectors in columns, orthonormal
  XlaOp w;  // eigenvalues
};

// Eigenvalues and eigenvectors of the symmetric matrix that has the lower or upper triangle of a: sweeps of rotations,
// each of which makes one element zero, until the elements beside the diagonal are together less than tol times all
// elements (as square roots of sums of squares), or max_iter sweeps were done.
//   sort_eigenvalues: ascending
//   Shapes: a T[.., n, n] -> v T[.., n, n], w T[.., n]; T: f32, f64
//   Errors: another type; a matrix that is not square; max_iter < 0. The results are invalid then.
//   Example: SelfAdjointEig({{2, 1}, {1, 2}}).w = {1, 3}
//   HLO: while
//   Source: G. Golub and C. Van Loan, Matrix Computations, section 8.5
SelfAdjointEigResult SelfAdjointEig(XlaOp a, bool lower = true, int64_t max_iter = 15, float tol = 1e-12f,
                                    bool sort_eigenvalues = true, SourceLocation loc = SourceLocation::Current());

// a = u diag(d) v^T.
struct SVDResult {
  XlaOp u;  // orthonormal columns
  XlaOp d;  // singular values, descending, none negative
  XlaOp v;  // orthonormal columns
};

// Singular values and vectors: rotations of pairs of columns, until all are orthogonal up to the cosine epsilon, or
// max_iter sweeps were done.
//   Shapes: a T[.., m, n] -> u T[.., m, k], d T[.., k], v T[.., n, k], k = min(m, n); T: f32, f64
//   Errors: another type; less than two dimensions; max_iter < 0. The results are invalid then.
//   Example: SVD({{3, 0}, {0, -4}}).d = {4, 3}
//   HLO: while
//   Source: as above, section 8.6 (one-sided Jacobi)
SVDResult SVD(XlaOp a, int64_t max_iter = 30, float epsilon = 1e-6f, SourceLocation loc = SourceLocation::Current());

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_LIB_SELF_ADJOINT_EIG_H_
