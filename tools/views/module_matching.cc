// How instructions find their partners, within two computations that are partners already, the surest way first:
//
//   1. Parameters by number; roots that compute the same; instructions with equal hashes, which cover all they compute:
//      of several those of the same name, then those with the same layout, control edges and kinds of users, then in
//      order.
//   2. Neighbours of partners: operands at the same place, users of the same kind, as long as that finds more.
//   3. Equal names and opcodes, then neighbours again.
//   4. Roots, and operands of partners at the same place, with another opcode but the same shape: these were changed.
//
// Computations that partners call at the same place are partners; the rest are paired by name.
#include "tools/views/module_matching.h"

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "xla_core/ir/structure_hash.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/printer.h"

namespace xla {

absl::StatusOr<ModuleMatching> ModuleMatching::Create(const HloModule& a, const HloModule& b,
                                                      const ResourceContext* resources) {
  ResourcePoll poll(resources);
  ModuleMatching matching;
  RETURN_IF_ERROR(matching.Match(a, b, poll));
  return matching;
}

absl::Status ModuleMatching::Match(const HloModule& a, const HloModule& b, ResourcePoll& poll) {
  RETURN_IF_ERROR(HashModule(a, poll));
  RETURN_IF_ERROR(HashModule(b, poll));
  Pair(a.entry(), b.entry());
  for (size_t i = 0; i < computation_pairs_.size(); ++i) {
    RETURN_IF_ERROR(MatchInstructions(*computation_pairs_[i].first, *computation_pairs_[i].second, poll));
    // What is left when all that is called is paired: by name.
    if (i + 1 < computation_pairs_.size()) continue;
    std::map<absl::string_view, const HloComputation*> by_name;
    for (const auto& computation : b.computations()) {
      if (PartnerOf(computation.get()) == nullptr) by_name[computation->name()] = computation.get();
    }
    for (const auto& computation : a.computations()) {
      const auto it = by_name.find(computation->name());
      if (it != by_name.end()) Pair(computation.get(), it->second);
    }
  }
  return absl::OkStatus();
}

const HloInstruction* ModuleMatching::PartnerOf(const HloInstruction* instruction) const {
  const auto it = instructions_.find(instruction);
  return it == instructions_.end() ? nullptr : it->second;
}

const HloComputation* ModuleMatching::PartnerOf(const HloComputation* computation) const {
  const auto it = computations_.find(computation);
  return it == computations_.end() ? nullptr : it->second;
}

bool ModuleMatching::ComputeTheSame(const HloInstruction* a, const HloInstruction* b) const {
  return hashes_.at(a) == hashes_.at(b);
}

// Operands precede their users, and callees their callers.
absl::Status ModuleMatching::HashModule(const HloModule& module, ResourcePoll& poll) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      RETURN_IF_ERROR(poll.Check(1 + instruction->operand_count()));
      uint64_t state = HashOfShape(instruction->shape(), static_cast<uint64_t>(instruction->opcode()) + 1);
      if (instruction->raw_attributes() != nullptr)
        state = MixHash(state, HashAttributes(*instruction->raw_attributes()));
      kinds_[instruction.get()] = MixHash(state, instruction->operands().size());
      for (const HloInstruction* operand : instruction->operands()) state = MixHash(state, hashes_.at(operand));
      for (const HloComputation* callee : instruction->called_computations()) {
        state = MixHash(state, computation_hashes_.at(callee));
      }
      hashes_[instruction.get()] = state;
    }
    computation_hashes_[computation.get()] = hashes_.at(computation->root());
  }
  return absl::OkStatus();
}

void ModuleMatching::Pair(const HloComputation* a, const HloComputation* b) {
  if (computations_.contains(a) || computations_.contains(b)) return;
  computations_[a] = b;
  computations_[b] = a;
  computation_pairs_.emplace_back(a, b);
}

bool ModuleMatching::Pair(const HloInstruction* a, const HloInstruction* b) {
  if (instructions_.contains(a) || instructions_.contains(b)) return false;
  instructions_[a] = b;
  instructions_[b] = a;
  pairs_.emplace_back(a, b);
  return true;
}

absl::Status ModuleMatching::MatchInstructions(const HloComputation& a, const HloComputation& b, ResourcePoll& poll) {
  pairs_.clear();
  const std::vector<HloInstruction*> parameters_a = a.parameters(), parameters_b = b.parameters();
  for (size_t i = 0; i < parameters_a.size() && i < parameters_b.size(); ++i) Pair(parameters_a[i], parameters_b[i]);
  // First, because a copy of the root beside it has the same hash.
  if (ComputeTheSame(a.root(), b.root())) Pair(a.root(), b.root());
  RETURN_IF_ERROR(PairEqualHashes(a, b, poll));
  if (a.root()->opcode() == b.root()->opcode()) Pair(a.root(), b.root());
  RETURN_IF_ERROR(PairNeighbours(/*any_opcode=*/false, poll));
  PairNames(a, b);
  RETURN_IF_ERROR(PairNeighbours(/*any_opcode=*/false, poll));
  if (a.root()->shape().Compatible(b.root()->shape())) Pair(a.root(), b.root());
  RETURN_IF_ERROR(PairNeighbours(/*any_opcode=*/true, poll));
  for (const auto& [instruction_a, instruction_b] : pairs_) {
    const auto callees_a = instruction_a->called_computations(), callees_b = instruction_b->called_computations();
    for (size_t i = 0; i < callees_a.size() && i < callees_b.size(); ++i) Pair(callees_a[i], callees_b[i]);
  }
  return absl::OkStatus();
}

// What tells instructions apart that compute the same.
uint64_t ModuleMatching::HashOfSurroundings(const HloInstruction& instruction) const {
  uint64_t state = absl::Hash<absl::string_view>()(instruction.shape().ToFullString(Shape::LayoutPrinting::kWith));
  if (instruction.opcode() == HloOpcode::kConstant && instruction.shape().IsTuple()) {
    const auto& literal = instruction.attributes<ConstantAttributes>().literal;
    if (literal != nullptr) state = MixHash(state, absl::Hash<absl::string_view>()(LiteralValueToString(*literal)));
  }
  // In any order.
  uint64_t before = 0, after = 0, users = 0;
  for (const HloInstruction* predecessor : instruction.control_predecessors()) before += hashes_.at(predecessor);
  for (const HloInstruction* successor : instruction.control_successors()) after += hashes_.at(successor);
  for (const HloInstruction* user : instruction.users()) users += kinds_.at(user);
  for (const uint64_t part : {before, after, users}) state = MixHash(state, part);
  return state;
}

absl::Status ModuleMatching::PairEqualHashes(const HloComputation& a, const HloComputation& b, ResourcePoll& poll) {
  struct Alike {
    std::deque<const HloInstruction*> a, b;
  };
  std::map<uint64_t, Alike> groups;
  for (const auto& instruction : a.instructions()) {
    if (!instructions_.contains(instruction.get()))
      groups[hashes_.at(instruction.get())].a.push_back(instruction.get());
  }
  for (const auto& instruction : b.instructions()) {
    if (!instructions_.contains(instruction.get()))
      groups[hashes_.at(instruction.get())].b.push_back(instruction.get());
  }
  for (auto& [hash, group] : groups) {
    RETURN_IF_ERROR(poll.Check(static_cast<int64_t>(group.a.size() + group.b.size())));
    // Of several that are alike, those of the same name belong together most likely.
    std::map<absl::string_view, const HloInstruction*> by_name;
    for (const HloInstruction* instruction : group.b) by_name[instruction->name()] = instruction;
    for (const HloInstruction* instruction : group.a) {
      const auto it = by_name.find(instruction->name());
      if (it != by_name.end()) Pair(instruction, it->second);
    }
    if (group.a.size() > 1 || group.b.size() > 1) {
      std::map<uint64_t, std::deque<const HloInstruction*>> by_surroundings;
      for (const HloInstruction* instruction : group.b) {
        if (!instructions_.contains(instruction)) {
          RETURN_IF_ERROR(poll.Check(1 + static_cast<int64_t>(instruction->users().size())));
          by_surroundings[HashOfSurroundings(*instruction)].push_back(instruction);
        }
      }
      for (const HloInstruction* instruction : group.a) {
        if (instructions_.contains(instruction)) continue;
        RETURN_IF_ERROR(poll.Check(1 + static_cast<int64_t>(instruction->users().size())));
        std::deque<const HloInstruction*>& candidates = by_surroundings[HashOfSurroundings(*instruction)];
        if (candidates.empty()) continue;
        Pair(instruction, candidates.front());
        candidates.pop_front();
      }
    }
    for (const HloInstruction* instruction : group.a) {
      if (instructions_.contains(instruction)) continue;
      while (!group.b.empty() && instructions_.contains(group.b.front())) group.b.pop_front();
      if (group.b.empty()) break;
      Pair(instruction, group.b.front());
    }
  }
  return absl::OkStatus();
}

void ModuleMatching::PairNames(const HloComputation& a, const HloComputation& b) {
  std::map<absl::string_view, const HloInstruction*> by_name;
  for (const auto& instruction : b.instructions()) {
    if (!instructions_.contains(instruction.get())) by_name[instruction->name()] = instruction.get();
  }
  for (const auto& instruction : a.instructions()) {
    const auto it = by_name.find(instruction->name());
    if (it != by_name.end() && it->second->opcode() == instruction->opcode()) Pair(instruction.get(), it->second);
  }
}

absl::Status ModuleMatching::PairNeighbours(bool any_opcode, ResourcePoll& poll) {
  // pairs_ grows meanwhile.
  for (size_t i = 0; i < pairs_.size(); ++i) {
    const auto [a, b] = pairs_[i];
    RETURN_IF_ERROR(poll.Check(1 + a->operand_count()));
    PairOperands(*a, *b, any_opcode);
    PairUsers(*a, *b);
  }
  return absl::OkStatus();
}

void ModuleMatching::PairOperands(const HloInstruction& a, const HloInstruction& b, bool any_opcode) {
  if (a.opcode() != b.opcode() || a.operand_count() != b.operand_count()) return;
  for (int i = 0; i < a.operand_count(); ++i) {
    const HloInstruction* const x = a.operand(i);
    const HloInstruction* const y = b.operand(i);
    const bool is_value = x->opcode() != HloOpcode::kParameter && y->opcode() != HloOpcode::kParameter;
    const bool fits = any_opcode ? is_value && x->shape().Compatible(y->shape()) : x->opcode() == y->opcode();
    if (fits) Pair(x, y);
  }
}

// Those that have no partner yet; with `through` also the users of those that give on what has the same shape, as what
// was put between does. With many users none is looked at: a value of many users says little about each of them, and
// there would be no end to it.
std::vector<const HloInstruction*> ModuleMatching::OpenUsers(const HloInstruction& instruction, bool through) const {
  constexpr size_t kManyUsers = 50;
  std::vector<const HloInstruction*> open;
  const auto add = [&](const HloInstruction& used) {
    if (used.users().size() > kManyUsers) return;
    for (const HloInstruction* user : used.users()) {
      if (!instructions_.contains(user)) open.push_back(user);
    }
  };
  add(instruction);
  const size_t direct = open.size();
  for (size_t i = 0; through && i < direct; ++i) {
    if (open[i]->shape().Compatible(instruction.shape())) add(*open[i]);
  }
  return open;
}

// Users of one kind, if both sides have as many of it: those of exactly the same kind; the same with something put
// between, or removed; the only one of an opcode.
void ModuleMatching::PairUsers(const HloInstruction& a, const HloInstruction& b) {
  if (a.users().empty() || b.users().empty()) return;
  PairUsersOfAKind(OpenUsers(a, false), OpenUsers(b, false), /*exactly=*/true);
  PairUsersOfAKind(OpenUsers(a, false), OpenUsers(b, true), /*exactly=*/true);
  PairUsersOfAKind(OpenUsers(a, true), OpenUsers(b, false), /*exactly=*/true);
  PairUsersOfAKind(OpenUsers(a, false), OpenUsers(b, false), /*exactly=*/false);
}

void ModuleMatching::PairUsersOfAKind(const std::vector<const HloInstruction*>& users_a,
                                      const std::vector<const HloInstruction*>& users_b, bool exactly) {
  if (users_a.empty() || users_b.empty()) return;
  struct Alike {
    std::vector<const HloInstruction*> a, b;
  };
  const auto key = [&](const HloInstruction* user) {
    return exactly ? kinds_.at(user) : static_cast<uint64_t>(user->opcode());
  };
  std::map<uint64_t, Alike> groups;
  for (const HloInstruction* user : users_a) groups[key(user)].a.push_back(user);
  for (const HloInstruction* user : users_b) groups[key(user)].b.push_back(user);
  for (const auto& [kind, group] : groups) {
    if (group.a.size() != group.b.size() || (!exactly && group.a.size() > 1)) continue;
    for (size_t i = 0; i < group.a.size(); ++i) Pair(group.a[i], group.b[i]);
  }
}

}  // namespace xla
