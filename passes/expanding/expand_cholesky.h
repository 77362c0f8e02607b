// Writes cholesky as a loop over columns.
#ifndef PASSES_EXPANDING_EXPAND_CHOLESKY_H_
#define PASSES_EXPANDING_EXPAND_CHOLESKY_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// One column of the factor per iteration, in f64 or c128, rounded once; NaN throughout for a matrix that is not
// positive definite, zeros in the other triangle: as ops/cholesky.cc, except for the order of sums.
absl::StatusOr<bool> ExpandCholesky(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_EXPAND_CHOLESKY_H_
