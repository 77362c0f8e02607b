#include "passes/loops/replacements.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "passes/analyses/same_shape.h"
#include "passes/base/rewrite_rule.h"

namespace xla {

void ReplaceOperands(HloInstruction* user, HloInstruction* old, HloInstruction* replacement) {
  std::vector<HloInstruction*> operands(user->operands().begin(), user->operands().end());
  std::replace(operands.begin(), operands.end(), old, replacement);
  user->SetOperands(operands);
}

void Replacements::Add(HloInstruction* old, HloInstruction* replacement) {
  const bool is_plain = !old->HasControlEdges() && SameShapeAndLayout(old->shape(), replacement->shape());
  if (is_plain) {
    put_off_.emplace_back(old, replacement);
  } else {
    ReplaceInstruction(old, replacement);
  }
}

// Applies all replacements at once: each user's operands are set once, however many of them change.
void Replacements::Apply() {
  const absl::flat_hash_map<const HloInstruction*, HloInstruction*> replaced(put_off_.begin(), put_off_.end());
  std::vector<HloInstruction*> users;
  absl::flat_hash_set<const HloInstruction*> seen;
  for (const auto& [old, replacement] : put_off_) {
    for (HloInstruction* user : old->users()) {
      if (seen.insert(user).second) users.push_back(user);
    }
    if (old->parent()->root() == old) old->parent()->set_root(replacement);
  }
  std::vector<HloInstruction*> operands;
  for (HloInstruction* user : users) {
    operands.assign(user->operands().begin(), user->operands().end());
    for (HloInstruction*& operand : operands) {
      const auto found = replaced.find(operand);
      if (found != replaced.end()) operand = found->second;
    }
    user->SetOperands(operands);
  }
  put_off_.clear();
}

}  // namespace xla
