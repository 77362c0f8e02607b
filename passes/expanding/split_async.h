// Makes asynchronous operations synchronous.
#ifndef PASSES_EXPANDING_SPLIT_ASYNC_H_
#define PASSES_EXPANDING_SPLIT_ASYNC_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Chains async-start -> async-update -> async-done become a call of the wrapped computation where the done stood, and
// the pairs of copy, all-reduce, all-gather and collective-permute the operation itself. Left alone: chains with
// control edges, and those of which anything but the result is used.
absl::StatusOr<bool> SplitAsync(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_SPLIT_ASYNC_H_
