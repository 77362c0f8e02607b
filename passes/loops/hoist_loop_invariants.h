// Moves work out of loops that is the same in every iteration.
#ifndef PASSES_LOOPS_HOIST_LOOP_INVARIANTS_H_
#define PASSES_LOOPS_HOIST_LOOP_INVARIANTS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Computes before a loop what its body computes from state that it passes on unchanged; the result becomes an element
// of the state. Broadcasts and other operations that cost nothing stay inside, so that the state does not grow for
// them.
//   before: body: e = exponential(x), x passed on      after: e = exponential(x) before the loop, passed on with x
// What is hoisted also runs if the loop makes no iteration, so nothing with a side effect or that may not end is.
absl::StatusOr<bool> HoistLoopInvariants(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_LOOPS_HOIST_LOOP_INVARIANTS_H_
