// The pass remove-no-ops.
#ifndef PASSES_CLEANING_REMOVE_NO_OPS_H_
#define PASSES_CLEANING_REMOVE_NO_OPS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/base/pass_context.h"
#include "passes/base/rewrite_rule.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Removes what passes a value on and does nothing else: copies to the same layout, domains, dependencies on nothing,
// barriers of barriers.
//   before: c = f32[4]{0} copy(a)  n = f32[4]{0} negate(c)     after: n = f32[4]{0} negate(a)
// Runs before copies are inserted to keep buffers apart, which look just as useless. Leaves scheduled modules alone,
// because there they have been.
absl::StatusOr<bool> RemoveNoOps(HloModule& module, PassContext& context);
std::vector<const RewriteRule*> RemoveNoOpsRules(absl::string_view pass);

}  // namespace xla

#endif  // PASSES_CLEANING_REMOVE_NO_OPS_H_
