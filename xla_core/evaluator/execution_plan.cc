#include "xla_core/evaluator/execution_plan.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/side_effects.h"
#include "xla_core/support/resource_poll.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

bool HasEffect(const HloInstruction& instruction, const EffectfulComputations& effectful) {
  if (HasOwnSideEffect(instruction)) return true;
  return std::any_of(instruction.called_computations().begin(), instruction.called_computations().end(),
                     [&](const HloComputation* callee) { return effectful.contains(callee); });
}

// What has to be evaluated, by place.
std::vector<bool> LiveInstructions(const HloComputation& computation, const EffectfulComputations& effectful) {
  std::vector<bool> live(computation.instructions().size(), false);
  live[computation.root()->place()] = true;
  // Operands precede their users, so one pass backwards reaches everything.
  for (auto it = computation.instructions().rbegin(); it != computation.instructions().rend(); ++it) {
    const HloInstruction& instruction = **it;
    if (!live[instruction.place()] && !HasEffect(instruction, effectful)) continue;
    live[instruction.place()] = true;
    for (const HloInstruction* operand : instruction.operands()) live[operand->place()] = true;
  }
  return live;
}

// The live instructions in order, each followed by the get-tuple-elements of it, and of them.
std::vector<const HloInstruction*> OrderInstructions(const HloComputation& computation, std::vector<bool> live) {
  std::vector<const HloInstruction*> order;
  const auto place = [&](const HloInstruction* instruction) {
    if (!live[instruction->place()]) return;
    live[instruction->place()] = false;  // each one once
    order.push_back(instruction);
  };
  for (const auto& instruction : computation.instructions()) {
    size_t next = order.size();
    place(instruction.get());
    for (; next < order.size(); ++next) {
      if (!order[next]->shape().IsTuple()) continue;
      for (const HloInstruction* user : order[next]->users()) {
        if (user->opcode() == HloOpcode::kGetTupleElement) place(user);
      }
    }
  }
  return order;
}

// Walks the steps backwards and notes at each operand whether this is its last use: such a value is owned by the
// step, which may overwrite it, and dies after it. An operand that one step reads twice is owned by neither place.
// Constants, and parameters that are kept, never die.
void MarkLastUses(ExecutionPlan& plan, PlanParameters parameters) {
  std::vector<bool> used_later(plan.slot_count, false);
  for (const auto& constant : plan.constants) used_later[constant.first] = true;
  if (parameters == PlanParameters::kKeep) {
    for (int32_t slot : plan.parameter_slots) {
      if (slot >= 0) used_later[slot] = true;
    }
  }
  plan.keeps_root = used_later[plan.root_slot];
  used_later[plan.root_slot] = true;
  // How often the current step reads each slot: to search its operands for it takes too long where they are many.
  std::vector<int32_t> mentions(plan.slot_count, 0);
  for (auto step = plan.steps.rbegin(); step != plan.steps.rend(); ++step) {
    // A value that nothing uses after it was made.
    if (!used_later[step->result]) step->dead_after.push_back(step->result);
    for (int32_t slot : step->operands) ++mentions[slot];
    for (size_t i = 0; i < step->operands.size(); ++i) {
      const int32_t slot = step->operands[i];
      step->owned[i] = !used_later[slot] && mentions[slot] == 1;
    }
    for (int32_t slot : step->operands) {
      mentions[slot] = 0;
      if (!used_later[slot]) step->dead_after.push_back(slot);
      used_later[slot] = true;
    }
  }
}

// nullptr if it is not a constant, or one whose value was left out, which is an error once it is evaluated.
const Literal* ConstantValue(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kConstant) return nullptr;
  return instruction.attributes<ConstantAttributes>().literal.get();
}

constexpr int32_t kNoSlot = -1;

// Binds the operands of one instruction to the slots, by place, of what computes them. An operand without a slot means
// that the computation is not in topological order.
absl::StatusOr<PlanStep> MakeStep(const HloInstruction& instruction, int32_t slot, const std::vector<int32_t>& slots) {
  const OpDefinition& op = GetOp(instruction.opcode());
  if (op.evaluate == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat(instruction.name(), ": ", instruction.opcode_name(), " cannot be evaluated"));
  }
  PlanStep step{&instruction, op.evaluate, slot, {}, {}, {}};
  for (const HloInstruction* operand : instruction.operands()) {
    if (slots[operand->place()] == kNoSlot) {
      return absl::InvalidArgumentError(absl::StrCat(instruction.name(), ": operand ", operand->name(),
                                                     " does not come before it in its computation"));
    }
    step.operands.push_back(slots[operand->place()]);
  }
  step.owned.resize(step.operands.size(), false);
  return step;
}

}  // namespace

EffectfulComputations FindEffectfulComputations(const HloModule& module) {
  EffectfulComputations effectful;
  // Callees precede their callers.
  for (const auto& computation : module.computations()) {
    if (std::any_of(computation->instructions().begin(), computation->instructions().end(),
                    [&](const auto& instruction) { return HasEffect(*instruction, effectful); })) {
      effectful.insert(computation.get());
    }
  }
  return effectful;
}

// Gives each live instruction a slot in its frame. Parameters and constants only fill slots; everything else becomes
// a step. A parameter that nothing reads has slot -1.
absl::StatusOr<std::unique_ptr<ExecutionPlan>> MakeExecutionPlan(const HloComputation& computation,
                                                                 const EffectfulComputations& effectful,
                                                                 PlanParameters parameters,
                                                                 const ResourceContext* resources) {
  ResourcePoll poll(resources);
  auto plan = std::make_unique<ExecutionPlan>();
  plan->computation = &computation;
  std::vector<int32_t> slots(computation.instructions().size(), kNoSlot);
  plan->parameter_slots.assign(computation.parameter_count(), -1);
  for (const HloInstruction* instruction : OrderInstructions(computation, LiveInstructions(computation, effectful))) {
    RETURN_IF_ERROR(poll.Check(1 + instruction->operand_count()));
    const int32_t slot = plan->slot_count++;
    slots[instruction->place()] = slot;
    if (instruction->opcode() == HloOpcode::kParameter) {
      const int64_t number = instruction->attributes<ParameterAttributes>().number;
      if (number >= 0 && number < static_cast<int64_t>(plan->parameter_slots.size()))
        plan->parameter_slots[number] = slot;
      continue;
    }
    if (const Literal* value = ConstantValue(*instruction)) {
      plan->constants.emplace_back(slot, *value);
      plan->constants.back().second.ResetShape(instruction->shape());
      continue;
    }
    ASSIGN_OR_RETURN(PlanStep step, MakeStep(*instruction, slot, slots));
    plan->steps.push_back(std::move(step));
  }
  plan->root_slot = slots[computation.root()->place()];
  MarkLastUses(*plan, parameters);
  return plan;
}

}  // namespace xla
