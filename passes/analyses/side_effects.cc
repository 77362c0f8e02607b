#include "passes/analyses/side_effects.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/side_effects.h"
#include "xla_core/support/resource_poll.h"

namespace xla {

bool SideEffects::Has(const HloInstruction& instruction) {
  if (HasOwnSideEffect(instruction)) return true;
  const auto callees = instruction.called_computations();
  return std::any_of(callees.begin(), callees.end(), [this](const HloComputation* callee) { return Has(*callee); });
}

// Whether one of the computation's instructions, or of what it calls, has an effect beyond its result. Answers are
// kept in `known_`, so the object must not outlive a change of the module.
bool SideEffects::Has(const HloComputation& computation) {
  if (const auto found = known_.find(&computation); found != known_.end()) return found->second;
  // Callees first, with a stack of its own: calls may nest deeply.
  std::vector<const HloComputation*> path = {&computation};
  while (!path.empty()) {
    const HloComputation* const current = path.back();
    // Each call of it put it there.
    if (known_.contains(current)) {
      path.pop_back();
      continue;
    }
    const size_t depth = path.size();
    bool effect = false;
    for (const auto& instruction : current->instructions()) {
      if (instruction->is_removed()) continue;
      effect = effect || HasOwnSideEffect(*instruction);
      for (const HloComputation* callee : instruction->called_computations()) {
        const auto found = known_.find(callee);
        if (found == known_.end()) path.push_back(callee);
        effect = effect || (found != known_.end() && found->second);
      }
    }
    if (path.size() != depth) continue;
    known_[current] = effect;
    path.pop_back();
  }
  return known_[&computation];
}

bool SideEffects::StillHolds(const HloModule& module) const {
  SideEffects now;
  for (const auto& computation : module.computations()) {
    const auto found = known_.find(computation.get());
    if (found != known_.end() && found->second != now.Has(*computation)) return false;
  }
  return true;
}

std::string PrintSideEffects(const HloModule& module, const ResourceContext* resources) {
  ResourcePoll poll(resources);
  SideEffects effects;
  std::string text;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (poll.IsOver()) return text;
      if (instruction->is_removed() || !effects.Has(*instruction)) continue;
      absl::StrAppend(&text, computation->name(), "/", instruction->name(), ": ", instruction->opcode_name(),
                      HasOwnSideEffect(*instruction) ? "" : ", through what it calls", "\n");
    }
  }
  return text;
}

}  // namespace xla
