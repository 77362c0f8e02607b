// Writes calls of LAPACK as loops of ordinary operations.
#ifndef PASSES_EXPANDING_EXPAND_LINEAR_ALGEBRA_CALLS_H_
#define PASSES_EXPANDING_EXPAND_LINEAR_ALGEBRA_CALLS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// lapack_{s,d,c,z}ROUTINE_ffi of the routines in the option `ops`, one row or column of each matrix of the batch per
// turn, with LAPACK's choice of pivots and signs, its info, its zeros and NaN. Layouts of operands and results say
// nothing about values and end at the edges of what is made.
//
// Not LAPACK's: the contents of a factor whose info is not 0 (potrf), which depend on the block size there; the order
// of sums in products and norms (geqrf, orgqr) and where trsm counts backwards; and NaN where an infinity meets a zero
// that only some of its blocks pass over (getrf).
//
// Other calls of LAPACK stay, counted as `lapack-call-left`; with the option unknown=warn or fail somebody is told.
absl::StatusOr<bool> ExpandLinearAlgebraCalls(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_EXPAND_LINEAR_ALGEBRA_CALLS_H_
