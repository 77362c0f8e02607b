// Writes scan as a while loop.
#ifndef PASSES_EXPANDING_EXPAND_SCAN_H_
#define PASSES_EXPANDING_EXPAND_SCAN_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// scan(xs, carries), to_apply=f becomes a loop with f's body in it, which takes a slice of each x and writes one of
// each result per iteration.
absl::StatusOr<bool> ExpandScan(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_EXPAND_SCAN_H_
