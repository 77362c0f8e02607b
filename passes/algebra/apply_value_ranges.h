// apply-value-ranges: drops clamps and decides comparisons where the range of an integer is known.
#ifndef PASSES_ALGEBRA_APPLY_VALUE_RANGES_H_
#define PASSES_ALGEBRA_APPLY_VALUE_RANGES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/base/pass_context.h"
#include "passes/base/rewrite_rule.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// What passes/analyses/value_ranges.h knows of scalars, loop counters included, made visible to the rules, which look
// only a few operands deep:
//   dynamic-slice(x, i), i clamped to 3 in every run  => dynamic-slice(x, 3)  (dynamic-update-slice, too)
//   clamp(low, i, high), i always between them        => i
//   maximum(i, j), i never below j                    => i  (minimum, too)
//   compare(i, j), always the same                    => a constant
// The analysis is made once for all rewrites of a round; rounds go on while there are any, because a counter may be
// found once a clamp is gone. Not within computations of custom calls and custom fusions, whose form means something.
absl::StatusOr<bool> ApplyValueRanges(HloModule& module, PassContext& context);

// The rules of this pass, which it applies itself: the analysis is of a module, not of one instruction.
std::vector<const RewriteRule*> ValueRangeRules(absl::string_view pass);

}  // namespace xla

#endif  // PASSES_ALGEBRA_APPLY_VALUE_RANGES_H_
