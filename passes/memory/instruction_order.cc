// Tidy puts control predecessors first and has nothing left to choose if each instruction must follow the one before
// it: control edges for that are added, and removed again.
#include "passes/memory/instruction_order.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "xla_core/ir/hlo_module.h"
#include "xla_core/ir/opcode_traits.h"

namespace xla {

// Reorders through control edges: it links the instructions into a chain, lets Tidy sort by it, then restores the
// edges that were there before. Costs one sort each time.
void SetInstructionOrder(absl::Span<HloInstruction* const> order, HloComputation* computation) {
  std::vector<std::pair<HloInstruction*, std::vector<HloInstruction*>>> kept;
  for (const auto& instruction : computation->instructions()) {
    const auto predecessors = instruction->control_predecessors();
    if (!predecessors.empty()) {
      kept.push_back({instruction.get(), std::vector<HloInstruction*>(predecessors.begin(), predecessors.end())});
    }
  }
  for (size_t i = 1; i < order.size(); ++i) order[i]->AddControlPredecessor(order[i - 1]);
  computation->Tidy();
  for (HloInstruction* instruction : order) instruction->DropControlEdges();
  for (const auto& [instruction, predecessors] : kept) {
    for (HloInstruction* predecessor : predecessors) instruction->AddControlPredecessor(predecessor);
  }
  computation->Tidy();
}

bool OrderSaysWhatRunsMeanwhile(const HloComputation& computation) {
  const HloModuleConfig& config = computation.parent()->config();
  if (config.replica_count == 1 && config.num_partitions == 1) return false;
  const auto& instructions = computation.instructions();
  return std::any_of(instructions.begin(), instructions.end(), [](const auto& instruction) {
    const HloOpcode opcode = instruction->opcode();
    return opcode == HloOpcode::kAsyncStart ||
           (HasTrait(opcode, opcode_trait::kCollective) && HasTrait(opcode, opcode_trait::kBegins));
  });
}

}  // namespace xla
