#include "passes/analyses/use_walk.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/support/resource_poll.h"

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

// One line an instruction: its number of operands and each use as `user#operand`.
std::string PrintDefUse(const HloModule& module, const ResourceContext* resources) {
  ResourcePoll poll(resources);
  std::string text;
  for (const auto& computation : module.computations()) {
    absl::StrAppend(&text, computation->name(), ": ", computation->instruction_count(), " instructions\n");
    // By the instruction that is used, in the order in which users stand.
    absl::flat_hash_map<const HloInstruction*, std::vector<std::string>> uses;
    for (const auto& user : computation->instructions()) {
      if (user->is_removed()) continue;
      if (poll.IsOver(1 + user->operand_count())) return text;
      for (int i = 0; i < user->operand_count(); ++i) {
        uses[user->operand(i)].push_back(absl::StrCat(user->name(), "#", i));
      }
    }
    for (const auto& instruction : computation->instructions()) {
      if (instruction->is_removed()) continue;
      const std::vector<std::string>& found = uses[instruction.get()];
      if (poll.IsOver(1 + static_cast<int64_t>(found.size()))) return text;
      absl::StrAppend(&text, "  ", instruction->name(), ": ", instruction->operand_count(), " operands, ", found.size(),
                      " uses", found.empty() ? "" : " ", absl::StrJoin(found, ", "),
                      computation->root() == instruction.get() ? ", root" : "", "\n");
    }
  }
  return text;
}

}  // namespace xla
