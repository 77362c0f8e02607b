// Takes work that several branches of a conditional do on the same values out of the branches, in front of the
// conditional. Its results are passed in to the branches as further elements of their arguments; max-elements and
// max-bytes bound how many and how large they may be. Work that only other moved work reads is not passed in.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "passes/base/instruction_builder.h"
#include "passes/loops/common_code_steps.h"
#include "passes/loops/movable_work.h"
#include "passes/loops/replacements.h"
#include "passes/loops/tuple_elements.h"
#include "passes/loops/values_of_branches.h"

namespace xla {
namespace {

// So many values can be passed in to each branch.
int64_t RoomOf(const CommonCodeStep& step) {
  const int64_t max_elements = step.context.IntOption("max-elements");
  int64_t room = max_elements;
  for (int i = 0; i < step.BranchCount(); ++i) {
    const Shape& shape = step.conditional->operand(i + 1)->shape();
    // An array has to become an element first.
    room = std::min(room, max_elements - (shape.IsTuple() ? shape.tuple_size() : 1));
  }
  return room;
}

// The work that something which stays inside reads, by number.
// From the last instruction to the first: users are known before what they use. What finds no room stays inside, and
// its operands are then read from inside.
std::vector<int64_t> ChooseHandedIn(const CommonCodeStep& step, const ValuesOfBranches& values) {
  const int64_t max_bytes = step.context.IntOption("max-bytes");
  int64_t room = RoomOf(step);
  std::vector<int64_t> chosen;
  absl::flat_hash_set<int64_t> is_chosen;
  for (const HloComputation* branch : step.conditional->called_computations()) {
    const std::vector<HloInstruction*> order = branch->LiveInstructions();
    absl::flat_hash_set<const HloInstruction*> inside;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      if (!values.IsHoistable(*it)) {
        inside.insert(*it);
        continue;
      }
      const auto users = (*it)->users();
      const bool read = branch->root() == *it || std::any_of(users.begin(), users.end(),
                                                             [&](const auto* user) { return inside.contains(user); });
      const int64_t number = values.Number(*it);
      if (!read || is_chosen.contains(number)) continue;
      if (IsWork((*it)->opcode()) && (*it)->shape().ByteSize() <= max_bytes && room > 0) {
        --room;
        chosen.push_back(number);
        is_chosen.insert(number);
      } else {
        inside.insert(*it);
      }
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

bool CanWiden(const HloComputation& branch) {
  const HloInstruction& parameter = *branch.parameters()[0];
  if (parameter.shape().IsArray()) return true;
  return parameter.shape().IsTuple() && branch.root() != &parameter && HasOnlyElementUsers(parameter);
}

class HandingIn {
 public:
  // `numbers` in ascending order; `handed_in` are these values, outside.
  HandingIn(const CommonCodeStep& step, const ValuesOfBranches& values, const std::vector<int64_t>& numbers,
            const std::vector<HloInstruction*>& handed_in)
      : step_(step), values_(values), numbers_(numbers), handed_in_(handed_in) {}

  // Gives all branches the values computed outside.
  void HandIn() {
    for (int i = 0; i < step_.BranchCount(); ++i) HandIn(i);
    std::vector<HloInstruction*> operands = {step_.conditional->operand(0)};
    operands.insert(operands.end(), arguments_.begin(), arguments_.end());
    step_.conditional->SetOperands(operands);
  }

 private:
  // As new elements of the branch's argument, and removes what they replace, users first.
  void HandIn(int branch) {
    HloComputation* const computation = step_.Branch(branch);
    HloInstruction* const parameter = computation->parameters()[0];
    const std::vector<HloInstruction*> order = computation->LiveInstructions();
    const bool was_array = parameter->shape().IsArray();
    const int64_t first_added = Widen(step_.conditional->operand(branch + 1), parameter);
    Replacements replacements;
    for (HloInstruction* instruction : order) {
      const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), values_.Number(instruction));
      if (found == numbers_.end() || *found != values_.Number(instruction)) continue;
      replacements.Add(instruction, elements_.One(parameter, first_added + (found - numbers_.begin())));
    }
    replacements.Apply();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      const bool dead = (*it)->users().empty() && computation->root() != *it;
      if (dead && values_.IsHoistable(*it)) computation->RemoveInstruction(*it);
    }
    if (was_array) ReadAsElement(parameter);
    computation->Tidy();
  }

  // Adds the values to what the branch is given. Returns the index of the first.
  int64_t Widen(HloInstruction* argument, HloInstruction* parameter) {
    std::vector<HloInstruction*> elements;
    std::vector<Shape> inside;  // as the branch sees them, whose layouts may differ
    if (argument->shape().IsTuple()) {
      for (int64_t i = 0; i < argument->shape().tuple_size(); ++i) {
        const bool in_sight = argument->opcode() == HloOpcode::kTuple;
        elements.push_back(in_sight ? argument->operand(static_cast<int>(i)) : elements_.One(argument, i));
        inside.push_back(parameter->shape().tuple_shape(static_cast<int>(i)));
      }
    } else {
      elements.push_back(argument);
      inside.push_back(parameter->shape());
    }
    const auto first_added = static_cast<int64_t>(elements.size());
    for (HloInstruction* value : handed_in_) {
      elements.push_back(value);
      inside.push_back(value->shape());
    }
    InstructionBuilder outside(step_.conditional->parent(), step_.conditional);
    arguments_.push_back(outside.Tuple(elements));
    parameter->mutable_shape() = Shape::Tuple(std::move(inside));
    return first_added;
  }

  // The parameter was an array, which is the first element of a tuple now.
  void ReadAsElement(HloInstruction* parameter) {
    HloComputation* const computation = parameter->parent();
    const bool was_root = computation->root() == parameter;
    std::vector<HloInstruction*> users;
    for (HloInstruction* user : parameter->users()) {
      if (user->opcode() != HloOpcode::kGetTupleElement) users.push_back(user);
    }
    if (users.empty() && !was_root) return;
    HloInstruction* const whole = elements_.One(parameter, 0);
    for (HloInstruction* user : users) ReplaceOperands(user, parameter, whole);
    if (was_root) computation->set_root(whole);
  }

  const CommonCodeStep& step_;
  const ValuesOfBranches& values_;
  const std::vector<int64_t>& numbers_;
  const std::vector<HloInstruction*>& handed_in_;
  std::vector<HloInstruction*> arguments_;  // of the branches so far, with the new elements
  TupleElements elements_;
};

}  // namespace

// Moves what all branches compute from equal arguments to before the conditional. Branches with other callers are
// copied first, after which the values are numbered again.
bool DoCommonWorkBefore(const CommonCodeStep& step) {
  const auto branches = step.conditional->called_computations();
  if (!std::all_of(branches.begin(), branches.end(), [](const auto* branch) { return CanWiden(*branch); })) {
    return false;
  }
  {
    const ValuesOfBranches values(step.conditional, step.computations);
    if (ChooseHandedIn(step, values).empty() || !step.MakeOwn()) return false;
  }
  // Again, because branches may be copies now.
  ValuesOfBranches values(step.conditional, step.computations);
  const std::vector<int64_t> chosen = ChooseHandedIn(step, values);
  std::vector<HloInstruction*> handed_in;
  for (const int64_t number : chosen) handed_in.push_back(values.Outside(number));
  HandingIn(step, values, chosen, handed_in).HandIn();
  step.context.CountRewrite("common-code-before", static_cast<int64_t>(chosen.size()));
  return true;
}

}  // namespace xla
