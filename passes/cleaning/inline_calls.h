// The pass inline-calls.
#ifndef PASSES_CLEANING_INLINE_CALLS_H_
#define PASSES_CLEANING_INLINE_CALLS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Inlines called computations.
//   before: c = f32[4] call(x), to_apply=f, where f returns negate(its parameter)     after: c = f32[4] negate(x)
// Left alone are calls with control edges, a sharding, a backend configuration or the frontend attribute
// inlineable="false"; callees of more than max-instructions that are called from several places, and smaller ones where
// copies would make the program larger than CopyBudget allows; and callees that send, receive or meet other devices if
// they are called from several places, because which place it was would then matter.
absl::StatusOr<bool> InlineCalls(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_CLEANING_INLINE_CALLS_H_
