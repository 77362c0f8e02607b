// Writes map as operations on whole arrays.
#ifndef PASSES_EXPANDING_EXPAND_MAP_H_
#define PASSES_EXPANDING_EXPAND_MAP_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// map(x, y), to_apply=f, where f is elementwise throughout, becomes f's operations on x and y.
// Left alone: functions with loops, calls or random numbers.
absl::StatusOr<bool> ExpandMap(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_EXPAND_MAP_H_
