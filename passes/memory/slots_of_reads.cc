#include "passes/memory/slots_of_reads.h"

#include <algorithm>

#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {

absl::StatusOr<SlotsOfReads> SlotsOfReads::Find(absl::Span<const Value> values, const Dataflow& dataflow,
                                                const Liveness& liveness, ResourcePoll& poll) {
  SlotsOfReads reads;
  for (const Value value : values) reads.slots_[value];
  const auto add = [&](const HloInstruction& read, int64_t slot) {
    const Dataflow::Position first = dataflow.FirstPosition(read);
    for (int64_t i = 0; i < dataflow.PositionCount(read); ++i) {
      const auto found = reads.slots_.find(dataflow.ValueAt(first + i));
      if (found != reads.slots_.end()) found->second.push_back(slot);
    }
    return poll.Check(1 + dataflow.PositionCount(read));
  };
  for (int64_t slot = 0; slot < liveness.slot_count(); ++slot) {
    const HloInstruction& instruction = liveness.InstructionAt(slot);
    const HloOpcode opcode = instruction.opcode();
    // The first and the last slot of a computation name its root.
    if (liveness.BeginOf(instruction) != slot || HasTrait(opcode, opcode_trait::kView)) continue;
    // What goes into a loop or a branch is read where that begins, at the latest.
    for (const HloInstruction* operand : instruction.operands()) RETURN_IF_ERROR(add(*operand, slot));
    if (opcode != HloOpcode::kAllReduceDone) continue;
    for (const HloInstruction* operand : instruction.operand(0)->operands()) RETURN_IF_ERROR(add(*operand, slot));
  }
  return reads;
}

bool SlotsOfReads::HasBetween(Value value, int64_t first, int64_t last) const {
  const std::vector<int64_t>& slots = slots_.at(value);
  const auto after = std::upper_bound(slots.begin(), slots.end(), first);
  return after != slots.end() && *after < last;
}

}  // namespace xla
