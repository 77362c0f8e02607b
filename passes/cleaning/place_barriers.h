// The pass place-barriers.
#ifndef PASSES_CLEANING_PLACE_BARRIERS_H_
#define PASSES_CLEANING_PLACE_BARRIERS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Puts optimization barriers before and after the instructions that option instructions names, so that passes neither
// change them nor join them with others: a means to find out which of them gives other numbers once it is optimized.
//   before: n = f32[4] negate(a)     after: b = f32[4] opt-barrier(a)  n = f32[4] negate(b)  c = f32[4] opt-barrier(n)
// remove-barriers removes them again. InvalidArgument if no instruction has the name. A barrier that cannot be is
// left out with a warning: in a fusion or a reducer, between the start and the end of an asynchronous operation, of a
// token.
absl::StatusOr<bool> PlaceBarriers(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_CLEANING_PLACE_BARRIERS_H_
