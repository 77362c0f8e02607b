// The pass simplify-tuples.
#ifndef PASSES_CLEANING_SIMPLIFY_TUPLES_H_
#define PASSES_CLEANING_SIMPLIFY_TUPLES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/base/pass_context.h"
#include "passes/base/rewrite_rule.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Takes elements of tuples where they come from, and whole tuples instead of copies of them.
//   before: t = (f32[4], s32[]) tuple(a, b)  x = f32[4] get-tuple-element(t), index=0  y = f32[4] negate(x)
//   after:  y = f32[4] negate(a)
absl::StatusOr<bool> SimplifyTuples(HloModule& module, PassContext& context);
std::vector<const RewriteRule*> SimplifyTuplesRules(absl::string_view pass);

}  // namespace xla

#endif  // PASSES_CLEANING_SIMPLIFY_TUPLES_H_
