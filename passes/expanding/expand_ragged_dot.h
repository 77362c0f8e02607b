// Writes ragged-dot as dots of masked operands.
#ifndef PASSES_EXPANDING_EXPAND_RAGGED_DOT_H_
#define PASSES_EXPANDING_EXPAND_RAGGED_DOT_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Ragged batch: a dot whose batches beyond the last group are replaced by zeros. Ragged free dimension: a loop over the
// groups, each of which keeps its rows of a dot with its part of rhs. Ragged contracting dimension: a loop that
// contracts both operands with zeros outside of the group. Left alone: group_sizes of more than one dimension.
absl::StatusOr<bool> ExpandRaggedDot(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_EXPAND_RAGGED_DOT_H_
