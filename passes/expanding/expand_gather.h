// Writes gather as a loop over its windows.
#ifndef PASSES_EXPANDING_EXPAND_GATHER_H_
#define PASSES_EXPANDING_EXPAND_GATHER_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// A while loop copies one window per iteration, by dynamic-slice, which clamps starts as gather does. Option
// max-iterations leaves gathers of more windows alone (-1: none).
absl::StatusOr<bool> ExpandGather(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_EXPAND_GATHER_H_
