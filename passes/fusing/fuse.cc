#include "passes/fusing/fuse.h"

#include <vector>

#include "passes/fusing/fusion_clusters.h"
#include "passes/fusing/fusion_emitter.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Until nothing is left to fuse: a fusion that computes a value itself may leave this value to a product alone, which
// then takes it. Each round leaves fewer instructions outside of fusions.
absl::StatusOr<bool> FuseComputation(HloComputation* computation, const FusionOptions& options, PassContext& context) {
  bool changed = false;
  while (true) {
    RETURN_IF_ERROR(context.CheckDeadline());
    const std::vector<PlannedFusion> plans = FusionClusters(computation, options, context).Find();
    if (plans.empty()) return changed;
    RETURN_IF_ERROR(EmitFusions(plans, "fused_computation", computation, context));
    changed = true;
  }
}

}  // namespace

absl::StatusOr<bool> Fuse(HloModule& module, PassContext& context) {
  FusionOptions options;
  options.products = context.BoolOption("products");
  options.rows = context.BoolOption("rows");
  options.several_results = context.BoolOption("several-results");
  options.max_row_bytes = context.IntOption("max-row-bytes");
  options.max_members = context.IntOption("max-members");
  bool changed = false;
  for (HloComputation* computation : ExecutedComputations(module)) {
    ASSIGN_OR_RETURN(const bool fused, FuseComputation(computation, options, context));
    changed = changed || fused;
  }
  return changed;
}

}  // namespace xla
