// The pass combine-collectives.
#ifndef PASSES_COLLECTIVES_COMBINE_COLLECTIVES_H_
#define PASSES_COLLECTIVES_COMBINE_COLLECTIVES_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Joins all-reduces, all-gathers or reduce-scatters among the same devices to one of several arrays: devices meet once
// and exchange few large messages rather than many small ones.
//   before: s = f32[4] all-reduce(x)  t = f32[2] all-reduce(y)       after: (f32[4], f32[2]) all-reduce(x, y)
// Two are joined if they say the same but for operands, channel, metadata and sharding, and neither needs the other,
// nor does anything between them that has side effects need the first: the meeting of all is where the last one was,
// and what comes between keeps its order. A reduction joins arrays of one type and function, an all-gather arrays of
// any types along one dimension. Of options max-bytes and max-operands the first that is reached ends a meeting.
absl::StatusOr<bool> CombineCollectives(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_COLLECTIVES_COMBINE_COLLECTIVES_H_
