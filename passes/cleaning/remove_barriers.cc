#include "passes/cleaning/remove_barriers.h"

#include "passes/analyses/call_graph.h"
#include "passes/base/rewrite_rule.h"
#include "passes/cleaning/may_be_root.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// A copy keeps the layout of an array if need be; there is none for tuples.
bool CanStandFor(const Shape& operand, const Shape& barrier) {
  return operand == barrier || (barrier.IsArray() && operand.Equal(barrier, Shape::kIgnoreLayout));
}

}  // namespace

absl::StatusOr<bool> RemoveBarriers(HloModule& module, PassContext& context) {
  const auto fixed = context.analyses.Get<FixedComputations>(module);
  bool changed = false;
  for (const auto& computation : module.computations()) {
    if (fixed->Contain(*computation)) continue;
    for (HloInstruction* barrier : computation->LiveInstructions()) {
      if (barrier->opcode() != HloOpcode::kOptBarrier || barrier->HasControlEdges()) continue;
      RETURN_IF_ERROR(context.CheckDeadline());
      HloInstruction* const operand = barrier->operand(0);
      if (!CanStandFor(operand->shape(), barrier->shape()) || !MayBeRoot(*operand, *barrier)) continue;
      ReplaceInstruction(barrier, operand);
      computation->RemoveInstruction(barrier);
      context.CountRewrite("remove-barrier");
      changed = true;
    }
  }
  return changed;
}

}  // namespace xla
