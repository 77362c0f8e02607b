// Values are numbered through all branches of a conditional: what comes from outside has a number for each value there,
// and an operation on numbered values has the number of the operation and these. A number that all branches have is
// common to them.
#include "passes/loops/hoist_common_code.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/optional.h"
#include "passes/analyses/same_shape.h"
#include "passes/base/instruction_builder.h"
#include "passes/base/rewrite_rule.h"
#include "passes/cleaning/call_sites.h"
#include "passes/cleaning/equal_instructions.h"
#include "passes/loops/loop_parts.h"
#include "passes/loops/movable_work.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int64_t kNone = -1;

int BranchCount(const HloInstruction& conditional) {
  return static_cast<int>(conditional.called_computations().size());
}

HloInstruction* ParameterOf(const HloComputation& computation) { return computation.parameters()[0]; }

int64_t ElementIndex(const HloInstruction& element) { return element.attributes<GetTupleElementAttributes>().index; }

// Made of nothing, wherever it stands.
bool IsMadeOfNothing(const HloInstruction& instruction) {
  if (!instruction.shape().IsArray() || instruction.shape().IsDynamic() || instruction.HasControlEdges()) return false;
  if (instruction.opcode() == HloOpcode::kIota) return true;
  return instruction.opcode() == HloOpcode::kConstant &&
         instruction.attributes<ConstantAttributes>().literal != nullptr;
}

// A value that branches of one conditional may have in common.
struct CommonValue {
  // What computes it in the first branch that has it, and the numbers of what it takes; nullptr for what comes from
  // outside.
  HloInstruction* example = nullptr;
  std::vector<int64_t> operands;
  // From outside: an instruction there, or the element of one with this number.
  HloInstruction* outside = nullptr;
  int64_t tuple = kNone;
  int64_t index = 0;

  bool constant = false;  // made of constants alone
  bool free = false;      // no work: from outside, or moved from there
  int branches = 0;       // that have it
  int last_branch = kNone;
};

class ValuesOfBranches {
 public:
  ValuesOfBranches(HloInstruction* conditional, ComputationNumbers& computations)
      : conditional_(conditional), computations_(computations) {
    for (int branch = 0; branch < BranchCount(*conditional); ++branch) NumberBranch(branch);
  }

  // kNone: not a value that could be computed outside.
  int64_t Number(const HloInstruction* instruction) const {
    const auto known = numbers_.find(instruction);
    return known == numbers_.end() ? kNone : known->second;
  }
  const CommonValue& value(int64_t number) const { return values_[number]; }
  bool IsCommon(int64_t number) const {
    return number != kNone && values_[number].branches == BranchCount(*conditional_);
  }
  // Work that all branches do.
  bool IsHoistable(const HloInstruction* instruction) const {
    const int64_t number = Number(instruction);
    return IsCommon(number) && values_[number].example != nullptr && !values_[number].constant;
  }

  // The value in the computation of the conditional; what it stands on is copied there, operands first.
  HloInstruction* Outside(int64_t number) {
    std::vector<int64_t> path = {number};
    while (!path.empty()) {
      CommonValue& current = values_[path.back()];
      const size_t depth = path.size();
      if (current.outside == nullptr && current.tuple != kNone && values_[current.tuple].outside == nullptr) {
        path.push_back(current.tuple);
      }
      for (const int64_t operand : current.operands) {
        if (current.outside == nullptr && values_[operand].outside == nullptr) path.push_back(operand);
      }
      if (path.size() != depth) continue;
      if (current.outside == nullptr) current.outside = MakeOutside(current);
      path.pop_back();
    }
    return values_[number].outside;
  }

 private:
  HloInstruction* MakeOutside(const CommonValue& value) {
    if (value.tuple != kNone) return ElementOf(values_[value.tuple].outside, value.index);
    std::vector<HloInstruction*> operands;
    for (const int64_t operand : value.operands) operands.push_back(values_[operand].outside);
    return AddClone(*value.example, operands, conditional_->parent());
  }

  void NumberBranch(int branch) {
    for (HloInstruction* instruction : conditional_->called_computation(branch)->LiveInstructions()) {
      const int64_t number = NumberOf(instruction, branch);
      if (number == kNone) continue;
      numbers_[instruction] = number;
      CommonValue& value = values_[number];
      if (value.last_branch != branch) ++value.branches;
      value.last_branch = branch;
    }
  }

  int64_t NumberOf(HloInstruction* instruction, int branch) {
    const HloOpcode opcode = instruction->opcode();
    if (opcode == HloOpcode::kParameter) {
      HloInstruction* const argument = conditional_->operand(branch + 1);
      return SameShapeAndLayout(argument->shape(), instruction->shape()) ? FromOutside(argument) : kNone;
    }
    if (opcode == HloOpcode::kGetTupleElement) {
      const int64_t tuple = Number(instruction->operand(0));
      if (tuple == kNone) return kNone;
      const int64_t number = ElementFromOutside(tuple, ElementIndex(*instruction));
      const HloInstruction* const outside = values_[number].outside;
      return outside == nullptr || SameShapeAndLayout(outside->shape(), instruction->shape()) ? number : kNone;
    }
    if (!IsMadeOfNothing(*instruction) && (!MayMove(*instruction) || instruction->operand_count() == 0)) return kNone;
    std::vector<int64_t> operands;
    for (const HloInstruction* operand : instruction->operands()) {
      operands.push_back(Number(operand));
      if (operands.back() == kNone || !operand->shape().IsArray() || operand->shape().IsDynamic()) return kNone;
    }
    return OfOperation(instruction, operands);
  }

  int64_t FromOutside(HloInstruction* instruction) {
    while (instruction->opcode() == HloOpcode::kGetTupleElement &&
           instruction->operand(0)->opcode() == HloOpcode::kTuple) {
      instruction = instruction->operand(0)->operand(static_cast<int>(ElementIndex(*instruction)));
    }
    if (instruction->opcode() != HloOpcode::kGetTupleElement) return NumberOfOutside(instruction);
    const int64_t number = ElementFromOutside(NumberOfOutside(instruction->operand(0)), ElementIndex(*instruction));
    if (values_[number].outside == nullptr) values_[number].outside = instruction;
    return number;
  }

  int64_t NumberOfOutside(HloInstruction* instruction) {
    const auto [known, is_new] = outside_.try_emplace(instruction, static_cast<int64_t>(values_.size()));
    if (is_new) {
      CommonValue value;
      value.outside = instruction;
      value.free = true;
      values_.push_back(value);
    }
    return known->second;
  }

  int64_t ElementFromOutside(int64_t tuple, int64_t index) {
    HloInstruction* const outside = values_[tuple].outside;
    if (outside != nullptr && outside->opcode() == HloOpcode::kTuple) {
      return FromOutside(outside->operand(static_cast<int>(index)));
    }
    const auto [known, is_new] =
        elements_.try_emplace(std::make_pair(tuple, index), static_cast<int64_t>(values_.size()));
    if (is_new) {
      CommonValue value;
      value.tuple = tuple;
      value.index = index;
      value.free = true;
      values_.push_back(value);
    }
    return known->second;
  }

  int64_t OfOperation(HloInstruction* instruction, std::vector<int64_t> operands) {
    OrderedOperands ordered = OrderOperands(*instruction, operands);
    std::vector<int64_t>& candidates = operations_[HashOfOperation(*instruction, ordered, computations_)];
    for (const int64_t candidate : candidates) {
      if (SameOperation(*instruction, ordered, *values_[candidate].example, ordered_.at(candidate), computations_)) {
        return candidate;
      }
    }
    const auto number = static_cast<int64_t>(values_.size());
    CommonValue value;
    value.example = instruction;
    value.constant = std::all_of(operands.begin(), operands.end(), [this](int64_t o) { return values_[o].constant; });
    value.free = !IsWork(instruction->opcode()) || instruction->operand_count() == 0;
    for (const int64_t operand : operands) value.free = value.free && values_[operand].free;
    value.operands = std::move(operands);
    values_.push_back(std::move(value));
    ordered_.emplace(number, std::move(ordered));
    candidates.push_back(number);
    return number;
  }

  HloInstruction* const conditional_;
  ComputationNumbers& computations_;
  std::vector<CommonValue> values_;
  absl::flat_hash_map<const HloInstruction*, int64_t> numbers_;  // of instructions of branches
  absl::flat_hash_map<const HloInstruction*, int64_t> outside_;
  absl::flat_hash_map<std::pair<int64_t, int64_t>, int64_t> elements_;
  absl::flat_hash_map<uint64_t, std::vector<int64_t>> operations_;  // by hash
  absl::flat_hash_map<int64_t, OrderedOperands> ordered_;
};

class CommonCode {
 public:
  CommonCode(HloModule& module, PassContext& context)
      : module_(module), context_(context), callers_(module), sites_(module) {
    // Computations that change get no number: nothing that calls one is moved.
    for (const auto& computation : module.computations()) computations_.Number(*computation);
  }

  absl::StatusOr<bool> Run() {
    bool changed = false;
    // Callees stand before their callers: what leaves an inner conditional may then leave the outer one as well. By
    // number, because branches that are shared are copied.
    const size_t count = module_.computations().size();
    for (size_t c = 0; c < count; ++c) {
      HloComputation* const computation = module_.computations()[c].get();
      if (sites_.IsFixed(*computation) || computation->is_fusion_computation()) continue;
      for (HloInstruction* instruction : computation->LiveInstructions()) {
        if (instruction->opcode() != HloOpcode::kConditional || !MayChange(*instruction) || !CanOwn(*instruction)) {
          continue;
        }
        RETURN_IF_ERROR(context_.CheckDeadline());
        const StepWatch watch(*instruction, context_);
        changed = HoistBefore(instruction) || changed;
        changed = TakeResultsFromOutside(instruction) || changed;
        changed = SinkAfter(instruction) || changed;
      }
      computation->Tidy();
    }
    return changed;
  }

 private:
  bool MayChange(const HloInstruction& conditional) const {
    if (conditional.HasControlEdges() || conditional.annotations().sharding.has_value() ||
        BranchCount(conditional) < 2) {
      return false;
    }
    return std::all_of(conditional.called_computations().begin(), conditional.called_computations().end(),
                       [&](const HloComputation* branch) {
                         const HloInstruction& parameter = *ParameterOf(*branch);
                         return branch->execution_thread() == conditional.parent()->execution_thread() &&
                                !parameter.HasControlEdges() && !parameter.annotations().sharding.has_value() &&
                                parameter.attributes<ParameterAttributes>().parameter_replication.empty() &&
                                !branch->root()->HasControlEdges() &&
                                !branch->root()->annotations().sharding.has_value();
                       });
  }

  // Whether all branches are its own, or can be copied and are small together.
  bool CanOwn(const HloInstruction& conditional) const {
    const int64_t max_copied = context_.IntOption("max-copied-instructions");
    int64_t copied = 0;
    for (const HloComputation* branch : conditional.called_computations()) {
      if (!callers_.IsShared(*branch)) continue;
      copied += branch->instruction_count();
      const auto instructions = branch->instructions();
      if (copied > max_copied || !std::all_of(instructions.begin(), instructions.end(), [](const auto& instruction) {
            return instruction->called_computations().empty();
          })) {
        return false;
      }
    }
    return true;
  }

  bool MakeOwn(HloInstruction* conditional) {
    bool own = true;
    for (int i = 0; i < BranchCount(*conditional); ++i) {
      own = own && callers_.MakeOwn(conditional, i);
      conditional->called_computation(i)->Tidy();
    }
    return own;
  }

  // ---- What all branches do first

  // The work that something which stays inside reads, by number.
  std::vector<int64_t> ChooseHandedIn(const HloInstruction& conditional, const ValuesOfBranches& values) const {
    const int64_t max_bytes = context_.IntOption("max-bytes");
    int64_t room = context_.IntOption("max-elements");
    for (int i = 0; i < BranchCount(conditional); ++i) {
      const Shape& shape = conditional.operand(i + 1)->shape();
      // An array has to become an element first.
      room = std::min(room, context_.IntOption("max-elements") - (shape.IsTuple() ? shape.tuple_size() : 1));
    }
    std::vector<int64_t> chosen;
    absl::flat_hash_set<int64_t> is_chosen;
    for (const HloComputation* branch : conditional.called_computations()) {
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

  static bool CanWiden(const HloComputation& branch) {
    const HloInstruction& parameter = *ParameterOf(branch);
    if (parameter.shape().IsArray()) return true;
    const auto users = parameter.users();
    return parameter.shape().IsTuple() && branch.root() != &parameter &&
           std::all_of(users.begin(), users.end(),
                       [](const auto* user) { return user->opcode() == HloOpcode::kGetTupleElement; });
  }

  bool HoistBefore(HloInstruction* conditional) {
    const auto branches = conditional->called_computations();
    if (!std::all_of(branches.begin(), branches.end(), [](const auto* branch) { return CanWiden(*branch); })) {
      return false;
    }
    {
      const ValuesOfBranches values(conditional, computations_);
      if (ChooseHandedIn(*conditional, values).empty() || !MakeOwn(conditional)) return false;
    }
    // Anew, because branches may be copies now.
    ValuesOfBranches values(conditional, computations_);
    const std::vector<int64_t> chosen = ChooseHandedIn(*conditional, values);
    std::vector<HloInstruction*> handed_in;
    for (const int64_t number : chosen) handed_in.push_back(values.Outside(number));
    for (int i = 0; i < BranchCount(*conditional); ++i) HandIn(conditional, i, chosen, handed_in, values);
    context_.CountRewrite("common-code-before", static_cast<int64_t>(chosen.size()));
    return true;
  }

  // The parameter was an array, which is the first element of a tuple now.
  static void ReadAsElement(HloInstruction* parameter) {
    HloComputation* const computation = parameter->parent();
    const bool was_root = computation->root() == parameter;
    std::vector<HloInstruction*> users;
    for (HloInstruction* user : parameter->users()) {
      if (user->opcode() != HloOpcode::kGetTupleElement) users.push_back(user);
    }
    if (users.empty() && !was_root) return;
    HloInstruction* const whole = ElementOf(parameter, 0);
    for (HloInstruction* user : users) {
      for (int i = 0; i < user->operand_count(); ++i) {
        if (user->operand(i) == parameter) user->ReplaceOperand(i, whole);
      }
    }
    if (was_root) computation->set_root(whole);
  }

  static void HandIn(HloInstruction* conditional, int branch, const std::vector<int64_t>& numbers,
                     const std::vector<HloInstruction*>& handed_in, const ValuesOfBranches& values) {
    HloComputation* const computation = conditional->called_computation(branch);
    const std::vector<HloInstruction*> order = computation->LiveInstructions();
    HloInstruction* const argument = conditional->operand(branch + 1);
    HloInstruction* const parameter = ParameterOf(*computation);

    std::vector<HloInstruction*> elements;
    std::vector<Shape> inside;  // as the branch sees them, whose layouts may differ
    if (argument->shape().IsTuple()) {
      for (int64_t i = 0; i < argument->shape().tuple_size(); ++i) {
        const bool in_sight = argument->opcode() == HloOpcode::kTuple;
        elements.push_back(in_sight ? argument->operand(static_cast<int>(i)) : ElementOf(argument, i));
        inside.push_back(parameter->shape().tuple_shape(static_cast<int>(i)));
      }
    } else {
      elements.push_back(argument);
      inside.push_back(parameter->shape());
    }
    const auto first_added = static_cast<int64_t>(elements.size());
    const bool was_array = parameter->shape().IsArray();
    for (HloInstruction* value : handed_in) {
      elements.push_back(value);
      inside.push_back(value->shape());
    }
    InstructionBuilder outside(conditional->parent(), conditional);
    conditional->ReplaceOperand(branch + 1, outside.Tuple(elements));
    parameter->mutable_shape() = Shape::Tuple(std::move(inside));
    for (HloInstruction* instruction : order) {
      const auto found = std::lower_bound(numbers.begin(), numbers.end(), values.Number(instruction));
      if (found == numbers.end() || *found != values.Number(instruction)) continue;
      ReplaceInstruction(instruction, ElementOf(parameter, first_added + (found - numbers.begin())));
    }
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      const bool dead = (*it)->users().empty() && computation->root() != *it;
      if (dead && values.IsHoistable(*it)) computation->RemoveInstruction(*it);
    }
    if (was_array) ReadAsElement(parameter);
    computation->Tidy();
  }

  // ---- What all branches give

  // The array that is the result, or element `index` of the tuple that is it.
  static HloInstruction* Result(const HloComputation& branch, int64_t index) {
    HloInstruction* const root = branch.root();
    return root->shape().IsTuple() ? root->operand(static_cast<int>(index)) : root;
  }
  static int64_t ResultCount(const HloInstruction& conditional) {
    if (conditional.shape().IsArray()) return 1;
    const auto branches = conditional.called_computations();
    const bool in_sight = conditional.shape().IsTuple() &&
                          std::all_of(branches.begin(), branches.end(),
                                      [](const auto* branch) { return branch->root()->opcode() == HloOpcode::kTuple; });
    return in_sight ? conditional.shape().tuple_size() : 0;
  }

  bool TakeResultsFromOutside(HloInstruction* conditional) {
    const int64_t count = ResultCount(*conditional);
    if (count == 0) return false;
    ValuesOfBranches values(conditional, computations_);
    bool changed = false;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t number = values.Number(Result(*conditional->called_computation(0), i));
      if (number == kNone || !values.value(number).free) continue;
      const auto branches = conditional->called_computations();
      if (!std::all_of(branches.begin(), branches.end(),
                       [&](const auto* branch) { return values.Number(Result(*branch, i)) == number; })) {
        continue;
      }
      changed = TakeFromOutside(conditional, i, number, values) || changed;
    }
    return changed;
  }

  bool TakeFromOutside(HloInstruction* conditional, int64_t index, int64_t number, ValuesOfBranches& values) {
    std::vector<HloInstruction*> results = ElementsOf(*conditional, index);
    if (conditional->shape().IsArray()) {
      results.clear();
      if (!conditional->users().empty() || conditional->parent()->root() == conditional) results = {conditional};
    }
    bool changed = false;
    for (HloInstruction* result : results) {
      const bool used = !result->users().empty() || result->parent()->root() == result;
      if (!used || result->HasControlEdges() || !result->shape().IsArray()) continue;
      HloInstruction* const value = values.Outside(number);
      if (!value->shape().Equal(result->shape(), Shape::kIgnoreLayout) || value->shape().IsDynamic()) continue;
      ReplaceInstruction(result, value);
      context_.CountRewrite("common-result");
      changed = true;
    }
    return changed;
  }

  // ---- What all branches do last

  // An operation that gives one result of each branch.
  struct Last {
    int own_operand;              // of the operation: what differs from branch to branch
    std::vector<int64_t> common;  // numbers of the other operands; kNone where it takes the own one
  };

  absl::optional<Last> FindLast(const HloInstruction& conditional, int64_t index, const ValuesOfBranches& values) {
    const HloInstruction& first = *Result(*conditional.called_computation(0), index);
    Last last;
    last.own_operand = kNone;
    for (int i = 0; i < BranchCount(conditional); ++i) {
      const HloComputation& branch = *conditional.called_computation(i);
      const HloInstruction& result = *Result(branch, index);
      const auto users = result.users();
      const bool only_result = &result == branch.root() ? users.empty()
                                                        : users.size() == 1 && users[0] == branch.root() &&
                                                              std::count(branch.root()->operands().begin(),
                                                                         branch.root()->operands().end(), &result) == 1;
      if (!only_result || !MayMove(result) || result.opcode() != first.opcode() ||
          result.operand_count() != first.operand_count() || result.operand_count() == 0) {
        return absl::nullopt;
      }
    }
    for (int o = 0; o < first.operand_count(); ++o) {
      const int64_t number = values.Number(first.operand(o));
      bool same = number != kNone && values.value(number).free;
      for (int i = 1; i < BranchCount(conditional); ++i) {
        same = same && values.Number(Result(*conditional.called_computation(i), index)->operand(o)) == number;
      }
      if (!same && last.own_operand == kNone) last.own_operand = o;
      last.common.push_back(same ? number : kNone);
    }
    if (last.own_operand == kNone || !AreSame(conditional, index, last)) return absl::nullopt;
    return last;
  }

  bool AreSame(const HloInstruction& conditional, int64_t index, const Last& last) {
    const HloInstruction& first = *Result(*conditional.called_computation(0), index);
    OrderedOperands ordered;
    ordered.operands.assign(last.common.begin(), last.common.end());
    const Shape& own = first.operand(last.own_operand)->shape();
    const Shape& given =
        conditional.shape().IsTuple() ? conditional.shape().tuple_shape(static_cast<int>(index)) : conditional.shape();
    // A bitcast means something else in another layout.
    if (!SameShapeAndLayout(given, first.shape())) return false;
    if (!own.IsArray() || own.IsDynamic() || own.ByteSize() > first.shape().ByteSize()) return false;
    for (int i = 0; i < BranchCount(conditional); ++i) {
      const HloInstruction& result = *Result(*conditional.called_computation(i), index);
      if (!SameOperation(first, ordered, result, ordered, computations_) || result.shape() != first.shape()) {
        return false;
      }
      if (result.opcode() == HloOpcode::kCompare &&
          result.attributes<CompareAttributes>().direction != first.attributes<CompareAttributes>().direction) {
        return false;
      }
      for (int o = 0; o < result.operand_count(); ++o) {
        if (last.common[o] != kNone) continue;
        if (result.operand(o) != result.operand(last.own_operand) || result.operand(o)->shape() != own) return false;
      }
    }
    return true;
  }

  bool SinkAfter(HloInstruction* conditional) {
    const int64_t count = ResultCount(*conditional);
    if (count == 0) return false;
    {
      const ValuesOfBranches values(conditional, computations_);
      bool any = false;
      for (int64_t i = 0; i < count && !any; ++i) any = FindLast(*conditional, i, values).has_value();
      if (!any || !MakeOwn(conditional)) return false;
    }
    ValuesOfBranches values(conditional, computations_);
    if (conditional->shape().IsTuple()) GiveUsersElements(conditional, Shape(conditional->shape()));
    for (int64_t i = 0; i < count; ++i) {
      for (auto last = FindLast(*conditional, i, values); last.has_value(); last = FindLast(*conditional, i, values)) {
        Sink(conditional, i, *last, values);
      }
    }
    for (HloComputation* branch : conditional->called_computations()) branch->Tidy();
    return true;
  }

  void Sink(HloInstruction* conditional, int64_t index, const Last& last, ValuesOfBranches& values) {
    HloInstruction& first = *Result(*conditional->called_computation(0), index);
    const Shape own = first.operand(last.own_operand)->shape();
    const bool is_tuple = conditional->shape().IsTuple();

    const std::vector<HloInstruction*> old_elements =
        is_tuple ? ElementsOf(*conditional, index) : std::vector<HloInstruction*>{};
    InstructionBuilder builder(conditional->parent(), conditional);
    HloInstruction* taken = conditional;
    if (is_tuple) {
      auto attributes = std::make_unique<GetTupleElementAttributes>();
      attributes->index = index;
      taken = builder.MakeOfShape(HloOpcode::kGetTupleElement, own, {conditional}, std::move(attributes));
    }
    std::vector<HloInstruction*> operands;
    for (const int64_t number : last.common) operands.push_back(number == kNone ? taken : values.Outside(number));
    const std::vector<HloInstruction*> users(conditional->users().begin(), conditional->users().end());
    HloInstruction* const after = AddClone(first, operands, conditional->parent());
    if (is_tuple) {
      for (HloInstruction* element : old_elements) {
        ReplaceInstruction(element, after);
        conditional->parent()->RemoveInstruction(element);
      }
      conditional->mutable_shape() = WithElement(conditional->shape(), index, own);
    } else {
      ReplaceArray(conditional, users, after);
      conditional->mutable_shape() = own;
    }
    for (HloComputation* branch : conditional->called_computations()) DropLast(branch, index, last, own);
    context_.CountRewrite("common-code-after");
  }

  static void ReplaceArray(HloInstruction* conditional, const std::vector<HloInstruction*>& users,
                           HloInstruction* after) {
    for (HloInstruction* user : users) {
      for (int i = 0; i < user->operand_count(); ++i) {
        if (user->operand(i) == conditional) user->ReplaceOperand(i, after);
      }
    }
    if (conditional->parent()->root() == conditional) conditional->parent()->set_root(after);
  }

  static void DropLast(HloComputation* branch, int64_t index, const Last& last, const Shape& own) {
    HloInstruction* const result = Result(*branch, index);
    HloInstruction* const given = result->operand(last.own_operand);
    if (branch->root() == result) {
      branch->set_root(given);
    } else {
      HloInstruction* const root = branch->root();
      root->ReplaceOperand(static_cast<int>(index), given);
      root->mutable_shape() = WithElement(root->shape(), index, own);
    }
    branch->RemoveInstruction(result);
  }

  static Shape WithElement(const Shape& tuple, int64_t index, const Shape& element) {
    std::vector<Shape> elements(tuple.tuple_shapes().begin(), tuple.tuple_shapes().end());
    elements[index] = element;
    return Shape::Tuple(std::move(elements));
  }

  HloModule& module_;
  PassContext& context_;
  CallerCounts callers_;
  const CallSites sites_;
  ComputationNumbers computations_;
};

}  // namespace

absl::StatusOr<bool> HoistCommonCode(HloModule& module, PassContext& context) {
  bool changed = false;
  // What one conditional lets out may be what another one's branches have in common.
  while (true) {
    ASSIGN_OR_RETURN(const bool again, CommonCode(module, context).Run());
    if (!again) return changed;
    changed = true;
    module.RemoveUnreachableComputations();
    module.Tidy();
  }
}

}  // namespace xla
