// Writes comparisons of floats in total order as comparisons of integers.
#ifndef PASSES_PRECISION_EXPAND_TOTAL_ORDER_H_
#define PASSES_PRECISION_EXPAND_TOTAL_ORDER_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// compare(x, y), type=TOTALORDER compares the patterns of x and y as signed integers, those with the sign bit turned
// around: bits ^ (bits >> all & max). f4 and f6, whose patterns have no integer type, are compared as the f32 numbers
// that they are. Also in comparators of sorts.
absl::StatusOr<bool> ExpandTotalOrder(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_PRECISION_EXPAND_TOTAL_ORDER_H_
