#include "xla_core/ir/hlo_computation.h"

#include <algorithm>
#include <utility>

#include "xla_core/ir/hlo_module.h"

namespace xla {

HloInstruction* HloComputation::AddInstruction(std::unique_ptr<HloInstruction> instruction) {
  instruction->set_parent(this);
  if (parent_ != nullptr) parent_->NameNewInstruction(instruction.get());
  untidy_ = true;
  ++version_;
  instructions_.push_back(std::move(instruction));
  HloInstruction* const added = instructions_.back().get();
  added->place_ = static_cast<uint32_t>(instructions_.size() - 1);
  if (added->opcode() == HloOpcode::kParameter) parameters_.push_back(added);
  NoteAllCalls(added);
  return added;
}

void HloComputation::RemoveInstruction(HloInstruction* instruction) {
  instruction->SetOperands({});
  instruction->DropControlEdges();
  instruction->ClearCalledComputations();
  instruction->removed_ = true;
  untidy_ = true;
  ++version_;
}

// What is written outside of a module may call what other modules, threads and builders share.
bool HloComputation::CountsAsCallerOf(const HloComputation& callee) const {
  return is_in_module_ && (callee.parent_ == parent_ || !callee.is_in_module_);
}

// Most instructions call one computation or two, and some computations have many callers: the shorter list tells
// whether the call is a second one.
void HloComputation::NoteCall(HloInstruction* caller, size_t i) {
  const auto called = caller->called_computations();
  HloComputation* const callee = called[i];
  if (!CountsAsCallerOf(*callee)) return;
  const auto calls_before = called.first(i);
  const bool known = i <= callee->callers_.size()
                         ? std::find(calls_before.begin(), calls_before.end(), callee) != calls_before.end()
                         : callee->callers_.Contains(caller);
  if (!known) callee->callers_.Add(caller);
}

void HloComputation::NoteAllCalls(HloInstruction* caller) {
  for (size_t i = 0; i < caller->called_computations().size(); ++i) NoteCall(caller, i);
}

void HloComputation::NoteCallReplaced(HloInstruction* caller, HloComputation* by) {
  if (CountsAsCallerOf(*by) && !by->callers_.Contains(caller)) by->callers_.Add(caller);
}

void HloComputation::NoteCallGone(HloInstruction* caller, HloComputation* callee) {
  if (CountsAsCallerOf(*callee) && callee->callers_.Contains(caller)) callee->callers_.Remove(caller);
}

std::vector<HloInstruction*> HloComputation::LiveInstructions() const {
  std::vector<HloInstruction*> live;
  live.reserve(instructions_.size());
  for (const auto& instruction : instructions_) {
    if (!untidy_ || !instruction->is_removed()) live.push_back(instruction.get());
  }
  return live;
}

namespace {

// Visits operands and control predecessors before an instruction, each instruction once, without recursion.
class PostOrder {
 public:
  // Of a computation with `count` instructions in its list.
  explicit PostOrder(size_t count) : seen_(count, false) { order_.reserve(count); }

  void Visit(HloInstruction* start) {
    Enter(start);
    while (!path_.empty()) {
      HloInstruction* const instruction = path_.back().instruction;
      HloInstruction* const next = Next(*instruction, path_.back().next++);
      if (next == nullptr) {
        path_.pop_back();
        order_.push_back(instruction);
      } else {
        Enter(next);
      }
    }
  }
  const std::vector<HloInstruction*>& order() const { return order_; }

 private:
  struct Step {
    HloInstruction* instruction;
    size_t next;
  };

  void Enter(HloInstruction* instruction) {
    if (seen_[instruction->place()]) return;
    seen_[instruction->place()] = true;
    path_.push_back({instruction, 0});
  }
  // The i-th that has to come before; nullptr after the last.
  static HloInstruction* Next(const HloInstruction& instruction, size_t i) {
    const size_t operands = instruction.operands().size();
    if (i < operands) return instruction.operands()[i];
    const auto predecessors = instruction.control_predecessors();
    return i - operands < predecessors.size() ? predecessors[i - operands] : nullptr;
  }

  std::vector<bool> seen_;  // by place
  std::vector<Step> path_;
  std::vector<HloInstruction*> order_;
};

}  // namespace

// Sorts instructions so that operands and control predecessors come first, and drops those that were removed. Called
// by passes after changes; without any, it does nothing.
void HloComputation::Tidy() {
  if (!untidy_) return;
  untidy_ = false;
  ++version_;
  PostOrder visit(instructions_.size());
  for (const auto& instruction : instructions_) {
    if (!instruction->is_removed()) visit.Visit(instruction.get());
  }
  std::vector<std::unique_ptr<HloInstruction>> before = std::move(instructions_);
  instructions_.clear();
  instructions_.reserve(visit.order().size());
  parameters_.clear();
  for (HloInstruction* instruction : visit.order()) {
    instructions_.push_back(std::move(before[instruction->place_]));
    instruction->place_ = static_cast<uint32_t>(instructions_.size() - 1);
    if (instruction->opcode() == HloOpcode::kParameter) parameters_.push_back(instruction);
  }
}

std::vector<HloInstruction*> HloComputation::parameters() const {
  std::vector<HloInstruction*> by_number(parameters_.size(), nullptr);
  for (HloInstruction* parameter : parameters_) {
    const int64_t number = parameter->attributes<ParameterAttributes>().number;
    if (number >= 0 && number < static_cast<int64_t>(by_number.size())) by_number[number] = parameter;
  }
  return by_number;
}

}  // namespace xla
