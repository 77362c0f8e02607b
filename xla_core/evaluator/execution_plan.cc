#include "xla_core/evaluator/execution_plan.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

namespace xla {
namespace {

bool ComputationHasEffect(const HloComputation& computation, absl::flat_hash_map<const HloComputation*, bool>& known);

// True if it must run although its value is not used: side effects of its own or in what it calls, and every meeting
// with other devices, which must happen on all of them alike.
bool HasEffect(const HloInstruction& instruction, absl::flat_hash_map<const HloComputation*, bool>& known) {
  if (GetOp(instruction.opcode()).has_side_effect) return true;
  if (const auto* custom_call = dynamic_cast<const CustomCallAttributes*>(instruction.raw_attributes())) {
    if (custom_call->custom_call_has_side_effect) return true;
  }
  if (dynamic_cast<const CollectiveAttributes*>(instruction.raw_attributes()) != nullptr ||
      dynamic_cast<const CollectivePermuteAttributes*>(instruction.raw_attributes()) != nullptr) {
    return true;
  }
  return std::any_of(instruction.called_computations().begin(), instruction.called_computations().end(),
                     [&](const HloComputation* callee) { return ComputationHasEffect(*callee, known); });
}

// The call graph of a verified module has no cycles.
bool ComputationHasEffect(const HloComputation& computation, absl::flat_hash_map<const HloComputation*, bool>& known) {
  const auto found = known.find(&computation);
  if (found != known.end()) return found->second;
  const bool effect = std::any_of(computation.instructions().begin(), computation.instructions().end(),
                                  [&](const auto& instruction) { return HasEffect(*instruction, known); });
  known[&computation] = effect;
  return effect;
}

absl::flat_hash_set<const HloInstruction*> LiveInstructions(const HloComputation& computation) {
  absl::flat_hash_map<const HloComputation*, bool> known;
  absl::flat_hash_set<const HloInstruction*> live = {computation.root()};
  // Operands precede their users, so one pass backwards reaches everything.
  for (auto it = computation.instructions().rbegin(); it != computation.instructions().rend(); ++it) {
    const HloInstruction& instruction = **it;
    if (!live.contains(&instruction) && !HasEffect(instruction, known)) continue;
    live.insert(&instruction);
    live.insert(instruction.operands().begin(), instruction.operands().end());
  }
  return live;
}

void MarkLastUses(ExecutionPlan& plan) {
  std::vector<bool> used_later(plan.slot_count, false);
  used_later[plan.root_slot] = true;
  for (auto step = plan.steps.rbegin(); step != plan.steps.rend(); ++step) {
    // A value that nobody uses after it was made.
    if (!used_later[step->result]) step->dead_after.push_back(step->result);
    for (size_t i = 0; i < step->operands.size(); ++i) {
      const int32_t slot = step->operands[i];
      const bool again = std::count(step->operands.begin(), step->operands.end(), slot) > 1;
      step->owned[i] = !used_later[slot] && !again;
      const bool first_mention =
          std::find(step->operands.begin(), step->operands.begin() + i, slot) == step->operands.begin() + i;
      if (!used_later[slot] && first_mention) step->dead_after.push_back(slot);
    }
    for (int32_t slot : step->operands) used_later[slot] = true;
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<ExecutionPlan>> MakeExecutionPlan(const HloComputation& computation) {
  auto plan = std::make_unique<ExecutionPlan>();
  plan->computation = &computation;
  const auto live = LiveInstructions(computation);
  absl::flat_hash_map<const HloInstruction*, int32_t> slots;
  plan->parameter_slots.assign(computation.parameter_count(), -1);
  for (const auto& instruction : computation.instructions()) {
    if (!live.contains(instruction.get())) continue;
    const int32_t slot = plan->slot_count++;
    slots[instruction.get()] = slot;
    if (instruction->opcode() == HloOpcode::kParameter) {
      const int64_t number = instruction->attributes<ParameterAttributes>().number;
      if (number >= 0 && number < static_cast<int64_t>(plan->parameter_slots.size()))
        plan->parameter_slots[number] = slot;
      continue;
    }
    const OpDefinition& op = GetOp(instruction->opcode());
    if (op.evaluate == nullptr) {
      return absl::UnimplementedError(
          absl::StrCat(instruction->name(), ": ", instruction->opcode_name(), " cannot be evaluated"));
    }
    PlanStep step{instruction.get(), op.evaluate, slot, {}, {}, {}};
    for (const HloInstruction* operand : instruction->operands()) {
      const auto found = slots.find(operand);
      if (found == slots.end()) {
        return absl::InvalidArgumentError(absl::StrCat(instruction->name(), ": operand ", operand->name(),
                                                       " does not come before it in ", computation.name()));
      }
      step.operands.push_back(found->second);
    }
    step.owned.resize(step.operands.size(), false);
    plan->steps.push_back(std::move(step));
  }
  plan->root_slot = slots[computation.root()];
  MarkLastUses(*plan);
  return plan;
}

}  // namespace xla
