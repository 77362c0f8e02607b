#include "passes/loops/unroll_loops.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "passes/analyses/side_effects.h"
#include "passes/analyses/trip_counts.h"
#include "passes/base/copy_budget.h"
#include "passes/base/rewrite_rule.h"
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

// The program as flatten-call-graph would write it out: how many instructions a computation is with all that it calls,
// and how often it is in the program. Loops that stay within bodies that are written out are shared by the copies: of
// twenty nested loops of three iterations, a program that only counts its own instructions writes out twelve more than
// can be flattened.
class FlatSizes {
 public:
  // There is room until the flat program has `limit` instructions.
  FlatSizes(const HloModule& module, int64_t limit) : room_(static_cast<double>(limit)) {
    for (const auto& computation : module.computations()) Update(*computation);
    for (auto it = module.computations().rbegin(); it != module.computations().rend(); ++it) {
      double& known = times_[it->get()];
      const double times = known = std::max(known, 1.0);
      for (const auto& instruction : (*it)->instructions()) {
        if (!IsCopied(*instruction)) continue;
        for (const HloComputation* callee : instruction->called_computations()) {
          double& of_callee = times_[callee];
          of_callee = std::min(of_callee + times, kMost);
        }
      }
    }
    if (module.entry() != nullptr) room_ -= Of(*module.entry());
  }

  // Whether there is room for one more of `body` for each iteration of a loop in `caller`; if so, it is taken.
  bool Take(const HloComputation& caller, const HloComputation& body, int64_t iterations) {
    const double added = static_cast<double>(iterations) * Of(body) * std::max(times_[&caller], 1.0);
    if (added > room_) return false;
    room_ -= added;
    return true;
  }

  // The computation, or what it calls, has changed. Of its callees the sizes are known.
  void Update(const HloComputation& computation) {
    double size = static_cast<double>(computation.instruction_count());
    for (const auto& instruction : computation.instructions()) {
      if (!IsCopied(*instruction)) continue;
      for (const HloComputation* callee : instruction->called_computations()) size += Of(*callee);
    }
    sizes_[&computation] = std::min(size, kMost);
  }

 private:
  static constexpr double kMost = 1e18;

  static bool IsCopied(const HloInstruction& instruction) {
    return HasTrait(instruction.opcode(), opcode_trait::kControlFlow) || instruction.opcode() == HloOpcode::kFusion ||
           instruction.opcode() == HloOpcode::kAsyncStart;
  }

  // Callees come before their callers, so it recurs only into copies of fusions that are new.
  double Of(const HloComputation& computation) {
    if (sizes_.find(&computation) == sizes_.end()) Update(computation);
    return sizes_.at(&computation);
  }

  double room_;
  absl::flat_hash_map<const HloComputation*, double> sizes_;
  absl::flat_hash_map<const HloComputation*, double> times_;
};

bool MayUnroll(const HloInstruction& loop, int64_t max_iterations, int64_t max_instructions, SideEffects& effects,
               FlatSizes& flat, CopyBudget& budget) {
  if (loop.HasControlEdges() || loop.annotations().sharding.has_value() || effects.Has(loop)) return false;
  const absl::optional<int64_t> turns = TripCount(loop);
  if (!turns.has_value() || *turns > max_iterations) return false;
  const HloComputation& body = *loop.called_computation(1);
  return *turns * Work(body) <= max_instructions && flat.Take(*loop.parent(), body, *turns) &&
         budget.Take(body, *turns);
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
  FlatSizes flat(module, context.max_instructions());
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
      if (!MayUnroll(*loop, max_iterations, max_instructions, *effects, flat, budget)) continue;
      Unroll(loop);
      context.CountRewrite("loop-unrolled");
      unrolled = true;
    }
    if (unrolled) computation->Tidy();
    flat.Update(*computation);  // it may also call what was written out
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
