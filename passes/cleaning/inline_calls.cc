// Callees come before their callers, so a body that is put somewhere has no calls left in it that could be inlined.
#include "passes/cleaning/inline_calls.h"

#include <cstdint>
#include <vector>

#include "passes/analyses/side_effects.h"
#include "passes/cleaning/call_sites.h"
#include "passes/cleaning/inline_call.h"
#include "passes/cleaning/may_copy.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Frontend attributes say how to treat the call as a whole; but what a composite call stands for, nobody here knows.
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
        sites_(module),
        only_single_(context.BoolOption("single-call-site")),
        max_instructions_(context.IntOption("max-instructions")) {}

  absl::StatusOr<bool> Run(HloComputation* caller) {
    bool changed = false;
    if (sites_.IsFixed(*caller) || sites_.IsFusionBody(*caller)) return false;
    for (HloInstruction* call : caller->LiveInstructions()) {
      if (call->opcode() != HloOpcode::kCall || !MayInline(*call)) continue;
      RETURN_IF_ERROR(context_.CheckDeadline());
      const HloComputation& body = *call->called_computation(0);
      InlineCall(call, body, std::vector<HloInstruction*>(call->operands().begin(), call->operands().end()), effects_);
      context_.CountRewrite("inline-call");
      changed = true;
    }
    caller->Tidy();
    return changed;
  }

 private:
  bool MayInline(const HloInstruction& call) {
    const HloComputation& body = *call.called_computation(0);
    if (IsMarked(call) || !CanInline(call, body, call.operands())) return false;
    // The copy of a body that is called once is the only one.
    if (sites_.Of(body).size() == 1) return true;
    return !only_single_ && body.instruction_count() <= max_instructions_ && may_copy_(body);
  }

  PassContext& context_;
  const CallSites sites_;
  SideEffects effects_;
  MayCopy may_copy_;
  const bool only_single_;
  const int64_t max_instructions_;
};

}  // namespace

absl::StatusOr<bool> InlineCalls(HloModule& module, PassContext& context) {
  Inliner inliner(module, context);
  bool changed = false;
  for (const auto& computation : module.computations()) {
    ASSIGN_OR_RETURN(const bool inlined, inliner.Run(computation.get()));
    changed = changed || inlined;
  }
  if (changed) module.RemoveUnreachableComputations();
  return changed;
}

}  // namespace xla
