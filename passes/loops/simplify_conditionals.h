// Makes conditionals smaller, or does without them.
#ifndef PASSES_LOOPS_SIMPLIFY_CONDITIONALS_H_
#define PASSES_LOOPS_SIMPLIFY_CONDITIONALS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// - A conditional whose selector is a constant, or all of whose branches are the same, is that branch.
// - One whose branches are cheap and have no side effects computes them all and selects.
// - What all branches do first with the same operands is done before; what all do last is done after.
//   before: c = f32[8] conditional(p, x, x), branches negate and abs     after: c = f32[8] select(p, negate(x), abs(x))
// A selector out of range takes the last branch.
absl::StatusOr<bool> SimplifyConditionals(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_LOOPS_SIMPLIFY_CONDITIONALS_H_
