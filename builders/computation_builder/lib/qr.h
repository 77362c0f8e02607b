// QR decomposition by Householder's reflections.
#ifndef BUILDERS_COMPUTATION_BUILDER_LIB_QR_H_
#define BUILDERS_COMPUTATION_BUILDER_LIB_QR_H_

#include "builders/computation_builder/computation_builder.h"

namespace xla {

// R in the upper triangle of q_and_r. Below the diagonal, column j holds the vector v_j of reflection H_j = I - tau_j
// v_j v_j^H, without its 1 on the diagonal; Q = H_0 H_1 ..., as in LAPACK's geqrf.
struct QrDecomposition {
  XlaOp q_and_r;
  XlaOp taus;
};

// The decomposition a = QR in this form.
//   Shapes: a T[.., m, n] -> q_and_r T[.., m, n], taus T[.., min(m, n)]; T: f32, f64, c64, c128
//   Errors: another type; less than two dimensions. Both results are invalid then.
//   HLO: while
QrDecomposition Qr(XlaOp a, SourceLocation loc = SourceLocation::Current());

// The first n columns of H_0 H_1 ... from the vectors below the diagonal of `a`, which is Qr's q_and_r or of its form.
//   Shapes: a T[.., m, n], taus T[.., k], k <= min(m, n) -> T[.., m, n]
//   Errors: as Qr; taus of other dimensions or another type.
//   HLO: while
XlaOp ProductOfElementaryHouseholderReflectors(XlaOp a, XlaOp taus, SourceLocation loc = SourceLocation::Current());

// a = QR with Q orthogonal (unitary), R upper triangular.
//   Shapes: a T[.., m, n] -> q T[.., m, k], r T[.., k, n], k = min(m, n), or m if full_matrices
//   Errors: as Qr.
//   Example: QrExplicit({{3}, {4}}, false, q, r) gives q = {{-0.6}, {-0.8}}, r = {{-5}}
//   HLO: while
void QrExplicit(XlaOp a, bool full_matrices, XlaOp& q, XlaOp& r, SourceLocation loc = SourceLocation::Current());

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_LIB_QR_H_
