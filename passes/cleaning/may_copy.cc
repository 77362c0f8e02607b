#include "passes/cleaning/may_copy.h"

#include <cstddef>
#include <vector>

namespace xla {
namespace {

bool MeetsOthers(const HloInstruction& instruction) {
  const Attributes* const attributes = instruction.raw_attributes();
  return dynamic_cast<const CollectiveAttributes*>(attributes) != nullptr ||
         dynamic_cast<const CollectivePermuteAttributes*>(attributes) != nullptr ||
         dynamic_cast<const SendRecvAttributes*>(attributes) != nullptr;
}

}  // namespace

bool MayCopy::operator()(const HloComputation& computation) {
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
    bool may_copy = true;
    for (const auto& instruction : current->instructions()) {
      may_copy = may_copy && (instruction->is_removed() || !MeetsOthers(*instruction));
      for (const HloComputation* callee : instruction->called_computations()) {
        const auto found = known_.find(callee);
        if (found == known_.end()) path.push_back(callee);
        may_copy = may_copy && (found == known_.end() || found->second);
      }
    }
    if (path.size() != depth) continue;
    known_[current] = may_copy;
    path.pop_back();
  }
  return known_[&computation];
}

}  // namespace xla
