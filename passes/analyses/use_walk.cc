#include "passes/analyses/use_walk.h"

namespace xla {
namespace {

template <typename Next>
void Walk(absl::Span<HloInstruction* const> starts, const Next& next, absl::FunctionRef<bool(HloInstruction*)> visit) {
  absl::flat_hash_set<const HloInstruction*> seen;
  std::vector<HloInstruction*> pending(starts.rbegin(), starts.rend());
  while (!pending.empty()) {
    const HloInstruction* const instruction = pending.back();
    pending.pop_back();
    for (HloInstruction* neighbour : next(*instruction)) {
      if (seen.insert(neighbour).second && visit(neighbour)) pending.push_back(neighbour);
    }
  }
}

}  // namespace

void WalkUsers(absl::Span<HloInstruction* const> starts, absl::FunctionRef<bool(HloInstruction*)> visit) {
  Walk(
      starts, [](const HloInstruction& instruction) { return instruction.users(); }, visit);
}

void WalkOperands(absl::Span<HloInstruction* const> starts, absl::FunctionRef<bool(HloInstruction*)> visit) {
  Walk(
      starts, [](const HloInstruction& instruction) { return instruction.operands(); }, visit);
}

void InstructionWorklist::Add(HloInstruction* instruction) {
  if (known_.insert(instruction).second) waiting_.push_back(instruction);
}

void InstructionWorklist::AddUsersOf(const HloInstruction& instruction) {
  for (HloInstruction* user : instruction.users()) Add(user);
}

HloInstruction* InstructionWorklist::Take() {
  HloInstruction* const instruction = waiting_.back();
  waiting_.pop_back();
  known_.erase(instruction);
  return instruction;
}

}  // namespace xla
