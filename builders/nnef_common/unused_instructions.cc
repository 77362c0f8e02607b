#include "builders/nnef_common/unused_instructions.h"

namespace xla {
namespace nnef {

void RemoveUnusedInstructions(HloModule& module) {
  HloComputation& entry = *module.entry();
  for (auto i = entry.instructions().rbegin(); i != entry.instructions().rend(); ++i) {
    HloInstruction* const instruction = i->get();
    if (instruction->users().empty() && instruction != entry.root() && instruction->opcode() != HloOpcode::kParameter) {
      entry.RemoveInstruction(instruction);
    }
  }
  module.RemoveUnreachableComputations();
  module.Tidy();
}

}  // namespace nnef
}  // namespace xla
