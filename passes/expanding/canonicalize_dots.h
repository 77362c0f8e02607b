// Brings dots to one form.
#ifndef PASSES_EXPANDING_CANONICALIZE_DOTS_H_
#define PASSES_EXPANDING_CANONICALIZE_DOTS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Every dot becomes [batch.., m, k] x [batch.., k, n] -> [batch.., m, n], with transposes and reshapes around it. m and
// n are 1 where an operand has no free dimension. Option merge-batch: at most one batch dimension. Option strided: dots
// stay whose operands already are matrices at fixed distances in memory (see passes/analyses/strided_dot.h).
absl::StatusOr<bool> CanonicalizeDots(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_CANONICALIZE_DOTS_H_
