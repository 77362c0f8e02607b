#include "passes/fusing/fuse_attention.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "passes/fusing/attention_region.h"
#include "passes/fusing/fusion_emitter.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Whether no other plan has one of the plan's dots; then nothing else may have them.
bool TakeProducts(const PlannedFusion& plan, absl::flat_hash_set<const HloInstruction*>& taken) {
  std::vector<const HloInstruction*> dots;
  for (const HloInstruction* member : plan.members) {
    if (member->opcode() == HloOpcode::kDot) dots.push_back(member);
  }
  if (std::any_of(dots.begin(), dots.end(), [&](const HloInstruction* dot) { return taken.contains(dot); })) {
    return false;
  }
  taken.insert(dots.begin(), dots.end());
  return true;
}

}  // namespace

absl::StatusOr<bool> FuseAttention(HloModule& module, PassContext& context) {
  AttentionLimits limits;
  limits.min_score_bytes = context.IntOption("min-score-bytes");
  limits.min_rows = context.IntOption("min-queries");
  limits.max_keys = context.IntOption("max-keys");
  limits.max_features = context.IntOption("max-features");
  limits.max_members = context.IntOption("max-members");
  bool changed = false;
  for (HloComputation* computation : ExecutedComputations(module)) {
    RETURN_IF_ERROR(context.CheckDeadline());
    std::vector<PlannedFusion> plans;
    absl::flat_hash_set<const HloInstruction*> taken;
    for (HloInstruction* instruction : computation->LiveInstructions()) {
      absl::optional<PlannedFusion> plan = FindAttention(instruction, limits);
      // A product can be the end of one attention and the beginning of another: the first has it.
      if (plan.has_value() && TakeProducts(*plan, taken)) plans.push_back(*std::move(plan));
    }
    RETURN_IF_ERROR(EmitFusions(plans, "attention", computation, context));
    changed = changed || !plans.empty();
  }
  return changed;
}

}  // namespace xla
