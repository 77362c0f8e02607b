// Writes calls of LAPACK as loops of ordinary operations.
#ifndef PASSES_EXPANDING_EXPAND_LINEAR_ALGEBRA_CALLS_H_
#define PASSES_EXPANDING_EXPAND_LINEAR_ALGEBRA_CALLS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// lapack_{s,d,c,z}ROUTINE_ffi of the routines in the option `ops`, and XLA's Qr (geqrf) and
// ProductOfElementaryHouseholderReflectors (orgqr) of the same types, one row or column of each matrix of the batch per
// iteration, with LAPACK's rules for pivots, signs and info, its zeros and NaN. Layouts of operands and results say
// nothing about values and end at the edges of what is made.
//
// Not LAPACK's are the last bits: the order of sums in products and norms (geqrf, orgqr, ormqr), where trsm counts
// backwards, and what its blocks and its products of complex numbers round otherwise. Where they decide, results may
// differ by more: the signs that geqrf gives to columns that depend on those before them, the pivots of getrf among
// elements of nearly the same size or of a matrix that is nearly singular, and whether potrf takes a minor that is
// nearly zero for positive. Other too are the contents of a factor whose info is not 0 (potrf), which depend on the
// block size there, and where NaN come from infinities that meet zeros which only some of its blocks pass over (getrf).
//
// syevd, which is not in `ops` unless asked for, is by Jacobi rotations: eigenvalues within the rounding error of the
// largest one, in ascending order, and vectors of length 1 at right angles. Vectors are unique except for their signs
// (phases), and those of equal eigenvalues only as the space they span, so that a program may tell the expansion from
// LAPACK. With mode N the array of vectors, in which LAPACK leaves what it likes, is the operand. Matrices with NaN or
// infinities give NaN and info -4 as in the interpreter; info n says that 60 sweeps were not enough.
//
// Other calls of LAPACK stay, counted as `lapack-call-left`; with the option unknown=warn or fail the user is told.
absl::StatusOr<bool> ExpandLinearAlgebraCalls(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_EXPAND_LINEAR_ALGEBRA_CALLS_H_
