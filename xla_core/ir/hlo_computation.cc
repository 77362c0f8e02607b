#include "xla_core/ir/hlo_computation.h"

namespace xla {

HloInstruction* HloComputation::AddInstruction(std::unique_ptr<HloInstruction> instruction) {
  instruction->set_parent(this);
  instructions_.push_back(std::move(instruction));
  return instructions_.back().get();
}

int HloComputation::parameter_count() const {
  int count = 0;
  for (const auto& instruction : instructions_) count += instruction->opcode() == HloOpcode::kParameter ? 1 : 0;
  return count;
}

std::vector<HloInstruction*> HloComputation::parameters() const {
  std::vector<HloInstruction*> parameters(parameter_count(), nullptr);
  for (const auto& instruction : instructions_) {
    if (instruction->opcode() != HloOpcode::kParameter) continue;
    const int64_t number = instruction->attributes<ParameterAttributes>().number;
    if (number >= 0 && number < static_cast<int64_t>(parameters.size())) parameters[number] = instruction.get();
  }
  return parameters;
}

}  // namespace xla
