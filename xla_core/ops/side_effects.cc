#include "xla_core/ops/side_effects.h"

#include "xla_core/ops/op_definition.h"

namespace xla {

bool HasOwnSideEffect(const HloInstruction& instruction) {
  if (GetOp(instruction.opcode()).has_side_effect) return true;
  const Attributes* const attributes = instruction.raw_attributes();
  if (const auto* custom_call = dynamic_cast<const CustomCallAttributes*>(attributes)) {
    return custom_call->custom_call_has_side_effect;
  }
  return dynamic_cast<const CollectiveAttributes*>(attributes) != nullptr ||
         dynamic_cast<const CollectivePermuteAttributes*>(attributes) != nullptr;
}

}  // namespace xla
