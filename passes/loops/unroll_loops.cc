#include "passes/loops/unroll_loops.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "passes/analyses/side_effects.h"
#include "passes/analyses/trip_counts.h"
#include "passes/base/rewrite_rule.h"
#include "passes/cleaning/copy_budget.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Instructions of a body that do something, as copies of it count.
int64_t Work(const HloComputation& body) {
  int64_t work = 0;
  for (const auto& instruction : body.instructions()) {
    work += HasTrait(instruction->opcode(), opcode_trait::kGiven | opcode_trait::kBundles) ? 0 : 1;
  }
  return work;
}

bool MayUnroll(const HloInstruction& loop, int64_t max_iterations, int64_t max_instructions, SideEffects& effects,
               CopyBudget& budget) {
  if (loop.HasControlEdges() || loop.annotations().sharding.has_value() || effects.Has(loop)) return false;
  const absl::optional<int64_t> turns = TripCount(loop);
  if (!turns.has_value() || *turns > max_iterations) return false;
  const HloComputation& body = *loop.called_computation(1);
  return *turns * Work(body) <= max_instructions && budget.Take(body, *turns);
}

void Unroll(HloInstruction* loop) {
  HloInstruction* state = loop->operand(0);
  const int64_t turns = *TripCount(*loop);
  for (int64_t turn = 0; turn < turns; ++turn) {
    state = InlineBody(*loop->called_computation(1), {state}, loop->parent());
  }
  ReplaceInstruction(loop, state);
  loop->parent()->RemoveInstruction(loop);
}

// True if any loop was written out.
absl::StatusOr<bool> UnrollEach(HloModule& module, CopyBudget& budget, PassContext& context) {
  const int64_t max_iterations = context.IntOption("max-iterations");
  const int64_t max_instructions = context.IntOption("max-instructions");
  const auto effects = context.analyses.Get<SideEffects>(module);
  bool changed = false;
  // Callees precede their callers, so that loops within a body are written out before the body is counted. By
  // number, because the computations of fusions are copied with them.
  const size_t count = module.computations().size();
  for (size_t c = 0; c < count; ++c) {
    RETURN_IF_ERROR(context.CheckDeadline());
    HloComputation* const computation = module.computations()[c].get();
    bool unrolled = false;
    for (HloInstruction* loop : computation->LiveInstructions()) {
      if (loop->opcode() != HloOpcode::kWhile) continue;
      if (!MayUnroll(*loop, max_iterations, max_instructions, *effects, budget)) continue;
      Unroll(loop);
      context.CountRewrite("loop-unrolled");
      unrolled = true;
    }
    if (unrolled) computation->Tidy();
    changed = changed || unrolled;
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> UnrollLoops(HloModule& module, PassContext& context) {
  CopyBudget budget(module, context);
  bool changed = false;
  // Of a loop within a loop that was written out, each copy may begin with a known state now.
  while (true) {
    ASSIGN_OR_RETURN(const bool again, UnrollEach(module, budget, context));
    if (!again) return changed;
    changed = true;
    budget.ForgetSizes();
    module.RemoveUnreachableComputations();
    module.Tidy();
  }
}

}  // namespace xla
