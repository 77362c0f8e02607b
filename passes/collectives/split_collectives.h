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
// The start follows the last of its operands, the done before the first instruction that reads the result; tuples
// and their elements move with either. Where nothing would run in between, and on one device, the collective stays as it is. all-reduce,
// all-gather and collective-permute have starts of their own; all-to-all, collective-broadcast, ragged-all-to-all and
// reduce-scatter are wrapped in async-start and async-done. A start stays after custom calls that have side effects,
// and, where devices may take different ways through the program, after all that has.
// Option ops names what is split.
absl::StatusOr<bool> SplitCollectives(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_COLLECTIVES_SPLIT_COLLECTIVES_H_
