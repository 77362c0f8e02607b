// Writes short loops out.
#ifndef PASSES_LOOPS_UNROLL_LOOPS_H_
#define PASSES_LOOPS_UNROLL_LOOPS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Replaces a loop whose number of iterations is known by that many copies of its body, if these are few instructions:
// iterations then fuse with each other and with what is around the loop. Loops with side effects stay.
//   before: w = s32[] while(x), body adds 3, two iterations      after: a = s32[] add(x, 3)  w = s32[] add(a, 3)
absl::StatusOr<bool> UnrollLoops(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_LOOPS_UNROLL_LOOPS_H_
