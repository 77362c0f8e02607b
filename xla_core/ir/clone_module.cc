#include "xla_core/ir/clone_module.h"

#include <utility>

#include "absl/container/flat_hash_map.h"

namespace xla {
namespace {

using InstructionMap = absl::flat_hash_map<const HloInstruction*, HloInstruction*>;
using ComputationMap = absl::flat_hash_map<const HloComputation*, HloComputation*>;

// Everything but the control edges, which may lead to instructions that come later.
std::unique_ptr<HloInstruction> CloneInstruction(const HloInstruction& instruction, const InstructionMap& instructions,
                                                 const ComputationMap& computations) {
  auto copy = std::make_unique<HloInstruction>(instruction.opcode(), instruction.name(), instruction.shape());
  copy->set_id(instruction.id());
  for (const HloInstruction* operand : instruction.operands()) copy->AddOperand(instructions.at(operand));
  for (const HloComputation* callee : instruction.called_computations()) {
    copy->AddCalledComputation(computations.at(callee));
  }
  if (instruction.raw_attributes() != nullptr) copy->set_attributes(instruction.raw_attributes()->Clone());
  if (instruction.has_annotations()) copy->mutable_annotations() = instruction.annotations();
  return copy;
}

std::unique_ptr<HloComputation> CloneComputation(const HloComputation& computation,
                                                 const ComputationMap& computations) {
  auto copy = std::make_unique<HloComputation>(computation.name());
  copy->set_id(computation.id());
  copy->set_execution_thread(computation.execution_thread());
  copy->set_is_fusion_computation(computation.is_fusion_computation());
  InstructionMap instructions;
  instructions.reserve(computation.instructions().size());
  for (const auto& instruction : computation.instructions()) {
    HloInstruction* made = copy->AddInstruction(CloneInstruction(*instruction, instructions, computations));
    instructions[instruction.get()] = made;
  }
  for (const auto& instruction : computation.instructions()) {
    for (const HloInstruction* predecessor : instruction->control_predecessors()) {
      instructions.at(instruction.get())->AddControlPredecessor(instructions.at(predecessor));
    }
  }
  if (computation.root() != nullptr) copy->set_root(instructions.at(computation.root()));
  return copy;
}

}  // namespace

std::unique_ptr<HloModule> CloneModule(const HloModule& module) {
  auto copy = std::make_unique<HloModule>(module.name());
  copy->set_id(module.id());
  copy->mutable_config() = module.config();
  ComputationMap computations;
  for (const auto& computation : module.computations()) {
    computations[computation.get()] = copy->AddComputation(CloneComputation(*computation, computations));
  }
  if (module.entry() != nullptr) copy->set_entry(computations.at(module.entry()));
  return copy;
}

}  // namespace xla
