#include "xla_core/ops/side_effects.h"

#include "xla_core/ir/opcode_traits.h"

namespace xla {

bool HasOwnSideEffect(const HloInstruction& instruction) {
  if (HasTrait(instruction.opcode(), opcode_trait::kSideEffect)) return true;
  // Casting costs more than all the rest, and passes ask this of every instruction.
  if (instruction.opcode() != HloOpcode::kCustomCall) return false;
  const auto* const custom_call = dynamic_cast<const CustomCallAttributes*>(instruction.raw_attributes());
  return custom_call != nullptr && custom_call->custom_call_has_side_effect;
}

}  // namespace xla
