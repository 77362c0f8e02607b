// Writes planned fusions into a computation.
#ifndef PASSES_FUSING_FUSION_EMITTER_H_
#define PASSES_FUSING_FUSION_EMITTER_H_

#include <vector>

#include "absl/status/status.h"
#include "passes/base/pass_context.h"
#include "passes/fusing/fusion_clusters.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// The entry and the computations that control flow runs, which are those where instructions are executed one by one.
std::vector<HloComputation*> ExecutedComputations(const HloModule& module);

// Replaces the outputs of each plan by a fusion whose body, called after `name`, has copies of the members; members
// that nothing needs any more are removed, and the rest is in order: clusters can be looked for again. Counts "fusions"
// and "fused instructions".
absl::Status EmitFusions(const std::vector<PlannedFusion>& plans, const char* name, HloComputation* computation,
                         PassContext& context);

}  // namespace xla

#endif  // PASSES_FUSING_FUSION_EMITTER_H_
