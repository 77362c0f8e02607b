#include "passes/loops/values_of_branches.h"

#include <algorithm>

#include "passes/analyses/same_shape.h"
#include "passes/loops/movable_work.h"
#include "xla_core/ir/clone_module.h"

namespace xla {
namespace {

int64_t ElementIndex(const HloInstruction& element) { return element.attributes<GetTupleElementAttributes>().index; }

// Made of nothing, wherever it stands.
bool IsMadeOfNothing(const HloInstruction& instruction) {
  if (!instruction.shape().IsArray() || instruction.shape().IsDynamic() || instruction.HasControlEdges()) return false;
  if (instruction.opcode() == HloOpcode::kIota) return true;
  return instruction.opcode() == HloOpcode::kConstant &&
         instruction.attributes<ConstantAttributes>().literal != nullptr;
}

}  // namespace

ValuesOfBranches::ValuesOfBranches(HloInstruction* conditional, ComputationNumbers& computations)
    : conditional_(conditional), computations_(computations) {
  const auto count = static_cast<int>(conditional->called_computations().size());
  for (int branch = 0; branch < count; ++branch) NumberBranch(branch);
}

int64_t ValuesOfBranches::Number(const HloInstruction* instruction) const {
  const auto known = numbers_.find(instruction);
  return known == numbers_.end() ? kNone : known->second;
}

bool ValuesOfBranches::IsCommon(int64_t number) const {
  return number != kNone && values_[number].branches == static_cast<int>(conditional_->called_computations().size());
}

bool ValuesOfBranches::IsHoistable(const HloInstruction* instruction) const {
  const int64_t number = Number(instruction);
  return IsCommon(number) && values_[number].example != nullptr && !values_[number].constant;
}

// The value outside, which is computed there if need be, operands first, with a stack of its own.
HloInstruction* ValuesOfBranches::Outside(int64_t number) {
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

HloInstruction* ValuesOfBranches::MakeOutside(const CommonValue& value) {
  if (value.tuple != kNone) return tuple_elements_.One(values_[value.tuple].outside, value.index);
  std::vector<HloInstruction*> operands;
  for (const int64_t operand : value.operands) operands.push_back(values_[operand].outside);
  return AddClone(*value.example, operands, conditional_->parent());
}

void ValuesOfBranches::NumberBranch(int branch) {
  for (HloInstruction* instruction : conditional_->called_computation(branch)->LiveInstructions()) {
    const int64_t number = NumberOf(instruction, branch);
    if (number == kNone) continue;
    numbers_[instruction] = number;
    CommonValue& value = values_[number];
    if (value.last_branch != branch) ++value.branches;
    value.last_branch = branch;
  }
}

// The number of what an instruction of a branch computes, or kNone if it cannot be computed outside: equal numbers in
// two branches mean equal values.
int64_t ValuesOfBranches::NumberOf(HloInstruction* instruction, int branch) {
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

int64_t ValuesOfBranches::FromOutside(HloInstruction* instruction) {
  while (instruction->opcode() == HloOpcode::kGetTupleElement &&
         instruction->operand(0)->opcode() == HloOpcode::kTuple) {
    instruction = instruction->operand(0)->operand(static_cast<int>(ElementIndex(*instruction)));
  }
  if (instruction->opcode() != HloOpcode::kGetTupleElement) return NumberOfOutside(instruction);
  const int64_t number = ElementFromOutside(NumberOfOutside(instruction->operand(0)), ElementIndex(*instruction));
  if (values_[number].outside == nullptr) values_[number].outside = instruction;
  return number;
}

int64_t ValuesOfBranches::NumberOfOutside(HloInstruction* instruction) {
  const auto [known, is_new] = outside_.try_emplace(instruction, static_cast<int64_t>(values_.size()));
  if (is_new) {
    CommonValue value;
    value.outside = instruction;
    value.free = true;
    values_.push_back(value);
  }
  return known->second;
}

// The number of an element of a tuple from outside. Elements of a tuple instruction are the values that it was made
// of.
int64_t ValuesOfBranches::ElementFromOutside(int64_t tuple, int64_t index) {
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

// The number of an operation on numbered operands: that of an equal one that was seen before, or a new one.
// Operations whose order of operands does not matter are compared in a normal order.
int64_t ValuesOfBranches::OfOperation(HloInstruction* instruction, std::vector<int64_t> operands) {
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

}  // namespace xla
