#include "passes/cleaning/call_sites.h"

#include <algorithm>

#include "absl/types/span.h"
#include "passes/analyses/call_graph.h"

namespace xla {
CallSites::CallSites(const HloModule& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      for (const HloComputation* callee : instruction->called_computations()) {
        std::vector<HloInstruction*>& sites = callers_[callee];
        if (sites.empty() || sites.back() != instruction.get()) sites.push_back(instruction.get());
      }
    }
  }
  // Callers before their callees.
  for (auto computation = module.computations().rbegin(); computation != module.computations().rend(); ++computation) {
    const bool inherited = fixed_.contains(computation->get());
    for (const auto& instruction : (*computation)->instructions()) {
      if (!inherited && !FixesItsCallees(*instruction)) continue;
      for (const HloComputation* callee : instruction->called_computations()) fixed_.insert(callee);
    }
  }
}

const std::vector<HloInstruction*>& CallSites::Of(const HloComputation& computation) const {
  static const auto& none = *new std::vector<HloInstruction*>;
  const auto found = callers_.find(&computation);
  return found == callers_.end() ? none : found->second;
}

bool CallSites::IsFusionBody(const HloComputation& computation) const {
  const std::vector<HloInstruction*>& sites = Of(computation);
  return std::any_of(sites.begin(), sites.end(),
                     [](const HloInstruction* site) { return site->opcode() == HloOpcode::kFusion; });
}

bool MayBeRoot(const HloInstruction& replacement, const HloInstruction& root, const CallSites& sites) {
  if (root.parent()->root() != &root || !sites.IsFusionBody(*root.parent())) return true;
  return replacement.users().empty() ||
         (replacement.users().size() == 1 && replacement.users()[0] == &root && root.users().empty());
}

}  // namespace xla
