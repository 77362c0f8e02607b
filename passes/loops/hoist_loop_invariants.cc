#include "passes/loops/hoist_loop_invariants.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "passes/base/rewrite_rule.h"
#include "passes/loops/loop_parts.h"
#include "passes/loops/movable_work.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// What of one body can be computed before its loop.
class Hoisting {
 public:
  Hoisting(const LoopParts& parts, int64_t max_bytes) : parts_(parts), order_(parts.body->LiveInstructions()) {
    FindInvariants();
    ChooseFrontier(max_bytes);
  }

  bool empty() const { return frontier_.empty(); }

  void Apply(LoopParts& parts) {
    std::vector<HloInstruction*> values;
    for (const HloInstruction* value : frontier_) values.push_back(Outside(value));
    const std::vector<HloInstruction*> added = AddInvariantElements(parts, values);
    for (size_t i = 0; i < frontier_.size(); ++i) ReplaceInstruction(frontier_[i], added[i]);
    for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
      const bool dead = (*it)->users().empty() && parts.body->root() != *it;
      if (dead && hoistable_.contains(*it)) parts.body->RemoveInstruction(*it);
    }
  }

 private:
  // Finds what can move before the loop: constants and unchanged elements of the state are known, and so is
  // everything that is computed from these alone. What constants alone make stays, for constant folding takes care of
  // it.
  void FindInvariants() {
    for (HloInstruction* instruction : order_) {
      const auto operands = instruction->operands();
      if (instruction->opcode() == HloOpcode::kConstant) {
        constants_.insert(instruction);
      } else if (instruction->opcode() == HloOpcode::kGetTupleElement && operands[0] == parts_.body_parameter) {
        const int64_t index = instruction->attributes<GetTupleElementAttributes>().index;
        if (parts_.IsInvariant(static_cast<int>(index)) && instruction->shape().IsArray()) state_.insert(instruction);
      } else if (MayMove(*instruction)) {
        const auto known = [this](const HloInstruction* o) {
          return constants_.contains(o) || state_.contains(o) || hoistable_.contains(o);
        };
        const auto constant = [this](const HloInstruction* o) { return constants_.contains(o); };
        if (std::all_of(operands.begin(), operands.end(), known) &&
            !std::all_of(operands.begin(), operands.end(), constant)) {
          hoistable_.insert(instruction);
        }
      }
    }
  }

  // The work that something which stays inside reads.
  void ChooseFrontier(int64_t max_bytes) {
    absl::flat_hash_set<const HloInstruction*> inside;
    for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
      HloInstruction* const instruction = *it;
      const auto users = instruction->users();
      const bool read_inside =
          std::any_of(users.begin(), users.end(), [&](const HloInstruction* user) { return inside.contains(user); });
      if (!hoistable_.contains(instruction)) {
        inside.insert(instruction);
      } else if (read_inside && IsWork(instruction->opcode()) && instruction->shape().ByteSize() <= max_bytes) {
        frontier_.push_back(instruction);
      } else if (read_inside) {
        inside.insert(instruction);
      }
    }
    std::reverse(frontier_.begin(), frontier_.end());
  }

  // The value before the loop; copies what it takes, operands first.
  HloInstruction* Outside(const HloInstruction* value) {
    std::vector<const HloInstruction*> path = {value};
    while (!path.empty()) {
      const HloInstruction* const current = path.back();
      if (outside_.contains(current)) {
        path.pop_back();
        continue;
      }
      if (state_.contains(current)) {
        outside_[current] = parts_.InitialOf(*current);
        path.pop_back();
        continue;
      }
      const size_t depth = path.size();
      for (const HloInstruction* operand : current->operands()) {
        if (!outside_.contains(operand)) path.push_back(operand);
      }
      if (path.size() != depth) continue;
      std::vector<HloInstruction*> operands;
      for (const HloInstruction* operand : current->operands()) operands.push_back(outside_.at(operand));
      outside_[current] = AddClone(*current, operands, parts_.loop->parent());
      path.pop_back();
    }
    return outside_.at(value);
  }

  const LoopParts parts_;
  const std::vector<HloInstruction*> order_;
  absl::flat_hash_set<const HloInstruction*> constants_;
  absl::flat_hash_set<const HloInstruction*> state_;
  absl::flat_hash_set<const HloInstruction*> hoistable_;
  std::vector<HloInstruction*> frontier_;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> outside_;
};

}  // namespace

// Loops from the innermost out, as what leaves an inner one may leave the outer one too. Bodies that several loops
// share are copied first.
absl::StatusOr<bool> HoistLoopInvariants(HloModule& module, PassContext& context) {
  const int64_t max_bytes = context.IntOption("max-bytes");
  bool changed = false;
  // Callees precede their callers: what leaves an inner loop may then leave the outer one as well. By number,
  // because bodies that several loops share are copied.
  const size_t count = module.computations().size();
  for (size_t c = 0; c < count; ++c) {
    HloComputation* const computation = module.computations()[c].get();
    for (HloInstruction* loop : computation->LiveInstructions()) {
      if (loop->opcode() != HloOpcode::kWhile) continue;
      RETURN_IF_ERROR(context.CheckDeadline());
      absl::optional<LoopParts> parts = FindLoopParts(loop);
      if (!parts.has_value() || Hoisting(*parts, max_bytes).empty() || !MakeOwn(*parts)) continue;
      parts->body->Tidy();
      Hoisting(*parts, max_bytes).Apply(*parts);
      context.CountRewrite("invariants-hoisted");
      changed = true;
    }
    computation->Tidy();
  }
  return changed;
}

}  // namespace xla
