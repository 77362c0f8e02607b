// Writes cumulative reduce-windows as scans.
#ifndef PASSES_EXPANDING_EXPAND_CUMULATIVE_WINDOWS_H_
#define PASSES_EXPANDING_EXPAND_CUMULATIVE_WINDOWS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// A reduce-window whose windows all begin at the first element of a dimension, or all end at the last one, such as
//   s = f32[n] reduce-window(x, zero), window={size=n pad=n-1_0}, to_apply=add
// computes n^2 / 2 steps where n are enough. Reducers that may be regrouped (sums, exact operations) become a scan by
// blocks, of some log2(block) + 2 passes over the array; others (products of floats, any function) a loop along the
// dimension, in the order of the definition. Sums of floats are accumulated in f64, as the interpreter does.
absl::StatusOr<bool> ExpandCumulativeWindows(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_EXPAND_CUMULATIVE_WINDOWS_H_
