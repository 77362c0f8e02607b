// Callees come before their callers, so a body that is copied to several places has no calls left in it that could be
// inlined. A body that goes to one place is not looked at before it is there, together with the calls that it brings:
// each instruction is copied once, however deep the calls nest.
#include "passes/cleaning/inline_calls.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "passes/analyses/call_graph.h"
#include "passes/analyses/side_effects.h"
#include "passes/base/copy_budget.h"
#include "passes/cleaning/inline_call.h"
#include "passes/cleaning/may_copy.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Frontend attributes say how to treat the call as a whole; but what a composite call stands for, is unknown here.
bool IsMarked(const HloInstruction& call) {
  if (!call.has_annotations()) return false;
  if (!call.annotations().backend_config.empty()) return true;
  for (const auto& attribute : call.annotations().frontend_attributes) {
    if (attribute.first.compare(0, 10, "composite.") != 0) return true;
  }
  return false;
}

class Inliner {
 public:
  Inliner(const HloModule& module, PassContext& context)
      : context_(context),
        fixed_(context.analyses.Get<FixedComputations>(module)),
        effects_(context.analyses.Get<SideEffects>(module)),
        budget_(module, context),
        only_single_(context.BoolOption("single-call-site")),
        max_instructions_(context.IntOption("max-instructions")) {
    // Those of before: a computation that has gone elsewhere still calls what its copy calls.
    for (const auto& computation : module.computations()) {
      const auto callers = computation->callers();
      callers_[computation.get()].assign(callers.begin(), callers.end());
    }
  }

  absl::StatusOr<bool> Run(HloComputation* caller) {
    if (KeepsItsCalls(*caller) || GoesElsewhere(*caller)) return false;
    CallInliner inliner(caller, *effects_);
    bool changed = false;
    for (size_t i = 0; i < caller->instructions().size(); ++i) {
      HloInstruction* const call = caller->instructions()[i].get();
      if (call->is_removed() || call->opcode() != HloOpcode::kCall || !MayInline(*call)) continue;
      RETURN_IF_ERROR(context_.CheckDeadline());
      inliner.Inline(call, *call->called_computation(0),
                     std::vector<HloInstruction*>(call->operands().begin(), call->operands().end()));
      context_.CountRewrite("inline-call");
      changed = true;
    }
    inliner.Finish();
    caller->Tidy();
    return changed;
  }

 private:
  bool KeepsItsCalls(const HloComputation& caller) const { return fixed_->Contain(caller) || IsFusionBody(caller); }

  // Whether the only call of the computation will be replaced by its body.
  bool GoesElsewhere(const HloComputation& computation) {
    const std::vector<const HloInstruction*>& sites = callers_[&computation];
    return sites.size() == 1 && sites[0]->opcode() == HloOpcode::kCall && !KeepsItsCalls(*sites[0]->parent()) &&
           MayInline(*sites[0]);
  }

  bool MayInline(const HloInstruction& call) {
    const HloComputation& body = *call.called_computation(0);
    if (IsMarked(call) || !CanInline(call, body, call.operands())) return false;
    // The copy of a body that is called once is the only one.
    if (callers_[&body].size() == 1) return true;
    return !only_single_ && body.instruction_count() <= max_instructions_ && may_copy_(body) && budget_.Take(body);
  }

  PassContext& context_;
  absl::flat_hash_map<const HloComputation*, std::vector<const HloInstruction*>> callers_;
  const std::shared_ptr<const FixedComputations> fixed_;
  const std::shared_ptr<SideEffects> effects_;
  MayCopy may_copy_;
  CopyBudget budget_;
  const bool only_single_;
  const int64_t max_instructions_;
};

}  // namespace

absl::StatusOr<bool> InlineCalls(HloModule& module, PassContext& context) {
  Inliner inliner(module, context);
  // Copies of bodies that fusions own are added to the module meanwhile.
  std::vector<HloComputation*> callers;
  for (const auto& computation : module.computations()) callers.push_back(computation.get());
  bool changed = false;
  for (HloComputation* caller : callers) {
    ASSIGN_OR_RETURN(const bool inlined, inliner.Run(caller));
    changed = changed || inlined;
  }
  if (changed) module.RemoveUnreachableComputations();
  return changed;
}

}  // namespace xla
