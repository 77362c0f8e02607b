// The pass split-collectives.
#ifndef PASSES_COLLECTIVES_SPLIT_COLLECTIVES_H_
#define PASSES_COLLECTIVES_SPLIT_COLLECTIVES_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Splits collectives into a start and a done, so that what is independent runs while the devices exchange values:
//   before: s = f32[4] all-reduce(x)  y = f32[4] negate(z)  t = f32[4] add(s, y)
//   after:  b = f32[4] all-reduce-start(x)  y = f32[4] negate(z)  s = f32[4] all-reduce-done(b)  t = f32[4] add(s, y)
// Orders the computation for that: independent work moves between a start and its done, starts and what they need come
// forward, and what reads a result waits until the exchange should have ended (overlap_order.h). Several collectives
// may be under way. Options growth-percent and growth-bytes bound what this costs: the most bytes that are live at once
// (memory_model.h) grow by no more than the larger of the two. Where nothing would run in between, and on one device,
// everything stays as it is; so does a computation that has asynchronous operations already, whose order says what runs
// meanwhile. all-reduce, all-gather and collective-permute have starts of their own; all-to-all, collective-broadcast,
// ragged-all-to-all and reduce-scatter are wrapped in async-start and async-done. Control edges and the order of side
// effects are kept; no collective passes a custom call that has side effects, or, where devices may take different ways
// through the program, anything that has. Option ops names what is split.
absl::StatusOr<bool> SplitCollectives(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_COLLECTIVES_SPLIT_COLLECTIVES_H_
