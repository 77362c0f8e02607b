#include "xla_core/ops/side_effects.h"

#include "xla_core/ops/op_definition.h"

namespace xla {

namespace {

// What a collective began must be ended, even if the result is unused.
bool EndsCollective(HloOpcode opcode) {
  return opcode == HloOpcode::kAllGatherDone || opcode == HloOpcode::kAllReduceDone ||
         opcode == HloOpcode::kCollectivePermuteDone;
}

}  // namespace

bool HasOwnSideEffect(const HloInstruction& instruction) {
  if (EndsCollective(instruction.opcode())) return true;
  if (GetOp(instruction.opcode()).has_side_effect) return true;
  const Attributes* const attributes = instruction.raw_attributes();
  if (const auto* custom_call = dynamic_cast<const CustomCallAttributes*>(attributes)) {
    return custom_call->custom_call_has_side_effect;
  }
  return dynamic_cast<const CollectiveAttributes*>(attributes) != nullptr ||
         dynamic_cast<const CollectivePermuteAttributes*>(attributes) != nullptr;
}

}  // namespace xla
