// Makes conditionals smaller, or does without them.
#ifndef PASSES_LOOPS_SIMPLIFY_CONDITIONALS_H_
#define PASSES_LOOPS_SIMPLIFY_CONDITIONALS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// - A conditional whose selector is a constant, or all of whose branches are the same, is that branch.
// - One whose branches are cheap and have no side effects computes them all and selects.
//   before: c = f32[8] conditional(p, x, x), branches negate and abs     after: c = f32[8] select(p, negate(x), abs(x))
// A selector out of range takes the last branch. What branches have in common is for hoist-common-code.
absl::StatusOr<bool> SimplifyConditionals(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_LOOPS_SIMPLIFY_CONDITIONALS_H_
