// Writes map as operations on whole arrays.
#ifndef PASSES_EXPANDING_EXPAND_MAP_H_
#define PASSES_EXPANDING_EXPAND_MAP_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// map(x, y), to_apply=f, where f is elementwise throughout, becomes f's operations on x and y. Where f has control flow
// between scalars, conditionals become choices between the results of all branches, and loops run until the last
// element is done (lift_scalar_function.h). Any other f, one that looks things up in an array, say, is called in a loop
// over the elements.
// Left alone: functions with side effects, such as random numbers; --explain=match tells.
absl::StatusOr<bool> ExpandMap(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_EXPAND_MAP_H_
