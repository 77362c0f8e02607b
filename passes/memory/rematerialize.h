// rematerialize: computes cheap values a second time instead of keeping them.
#ifndef PASSES_MEMORY_REMATERIALIZE_H_
#define PASSES_MEMORY_REMATERIALIZE_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Does nothing unless more than the option memory-limit, in bytes, is live at once (liveness.h; 0: no limit). Otherwise
// looks at the worst place, and lets the late users of what is only kept there, the largest first, use a copy of it
// that is computed just before them, as long as that lowers what is live beyond the limit.
//   before: b = broadcast(x)  y = f(b)  z = (something large) ... r = g(z, b)
//   after:  b = broadcast(x)  y = f(b)  z = ...  b.1 = broadcast(x)  r = g(z, b.1)
// Cheap are elementwise operations that are not functions like exp, operations that move data, and fusions of those; up
// to a few of them are computed again together. Shards are gathered again rather than kept gathered, by a synchronous
// all-gather of one array, unless its channel is that of another collective, too. Runs after the order of instructions
// is chosen, on computations that are each called from one place.
absl::StatusOr<bool> Rematerialize(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_MEMORY_REMATERIALIZE_H_
