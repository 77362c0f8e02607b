// Decisions: where a program turns numbers into something that cannot change a little: comparisons, roundings to whole
// numbers, the order of a sort, the place of a maximum.
#ifndef BACKENDS_AUTOPSY_DECISIONS_H_
#define BACKENDS_AUTOPSY_DECISIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {

// The first decision that the module takes otherwise with `mine` than with `others`, two lists of arguments that differ
// by rounding: "c = pred[4] compare(x, y), direction=LT at {2}: true of 0.3 and 0.30000001, false of 0.3 and 0.3". What
// is within a loop or a branch is named by that. "" if it takes none otherwise. Errors of the evaluator, and of limits.
absl::StatusOr<std::string> FindDecision(const HloModule& module, const std::vector<Literal>& mine,
                                         const std::vector<Literal>& others, const ResourceContext* resources);

}  // namespace xla

#endif  // BACKENDS_AUTOPSY_DECISIONS_H_
