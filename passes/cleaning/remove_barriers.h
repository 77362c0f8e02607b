// The pass remove-barriers.
#ifndef PASSES_CLEANING_REMOVE_BARRIERS_H_
#define PASSES_CLEANING_REMOVE_BARRIERS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Takes optimization barriers away, at the end of a pipeline, when nothing is left to hold back.
//   before: b = f32[4] opt-barrier(a)  c = f32[4] negate(b)     after: c = f32[4] negate(a)
// Barriers with control edges stay.
absl::StatusOr<bool> RemoveBarriers(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_CLEANING_REMOVE_BARRIERS_H_
