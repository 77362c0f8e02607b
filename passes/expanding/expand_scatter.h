// Writes scatter as a loop over its windows.
#ifndef PASSES_EXPANDING_EXPAND_SCATTER_H_
#define PASSES_EXPANDING_EXPAND_SCATTER_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// A while loop combines one window per iteration into the arrays, in row-major order of the updates as the interpreter
// does; a window that does not lie within the arrays is written back as it was. Option max-iterations leaves scatters
// of more windows alone (-1: none).
absl::StatusOr<bool> ExpandScatter(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_EXPAND_SCATTER_H_
