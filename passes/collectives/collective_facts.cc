#include "passes/collectives/collective_facts.h"

#include <algorithm>

#include "passes/base/odd_forms.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/collective_groups.h"

namespace xla {
namespace {

bool HasDynamicValues(const HloInstruction& instruction) {
  const auto operands = instruction.operands();
  return instruction.shape().IsDynamic() ||
         std::any_of(operands.begin(), operands.end(), [](const HloInstruction* o) { return o->shape().IsDynamic(); });
}

bool RunsAsynchronously(const HloComputation& computation) {
  const auto callers = computation.callers();
  return std::any_of(callers.begin(), callers.end(),
                     [](const HloInstruction* caller) { return HasTrait(caller->opcode(), opcode_trait::kAsyncCall); });
}

// A form without lists is compared as it is written first: it may stand for a million ids.
bool SameLists(const ReplicaGroups& a, const ReplicaGroups& b) {
  if (a == b) return true;
  if (a.empty() || b.empty() || a.form == b.form) return false;
  const auto lists_of_a = a.Expand();
  const auto lists_of_b = b.Expand();
  return lists_of_a.ok() && lists_of_b.ok() && *lists_of_a == *lists_of_b;
}

}  // namespace

int64_t MeetingChannel(const HloInstruction& collective) {
  const Attributes* const attributes = collective.raw_attributes();
  absl::optional<int64_t> channel;
  if (const auto* group = dynamic_cast<const CollectiveAttributes*>(attributes)) channel = group->channel_id;
  if (const auto* permute = dynamic_cast<const CollectivePermuteAttributes*>(attributes)) channel = permute->channel_id;
  return std::max<int64_t>(0, channel.value_or(0));
}

ChangeableCollectives::ChangeableCollectives(const HloModule& module, const UniformValues& uniform) : fixed_(module) {
  if (uniform.AllMeetAlike()) return;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const int64_t channel = MeetingChannel(*instruction);
      if (channel == 0) continue;
      const auto [first, is_new] = first_of_channel_.try_emplace(channel, computation.get());
      if (!is_new && first->second != computation.get()) scattered_.insert(channel);
    }
  }
}

bool ChangeableCollectives::MayChange(const HloComputation& computation) const {
  return !fixed_.Contain(computation) && !RunsAsynchronously(computation) && !IsFusionBody(computation);
}

bool ChangeableCollectives::Contain(const HloInstruction& collective) const {
  return MayChange(*collective.parent()) && !IsOddForm(collective) && !HasDynamicValues(collective) &&
         !scattered_.contains(MeetingChannel(collective));
}

bool HaveSameGroups(const HloInstruction& a, const HloInstruction& b) {
  return GroupModeOf(a) == GroupModeOf(b) &&
         SameLists(a.collective_attributes().replica_groups, b.collective_attributes().replica_groups);
}

absl::optional<HloOpcode> ReductionOf(const HloInstruction& collective) {
  const HloComputation& reducer = *collective.called_computation(0);
  const HloInstruction& root = *reducer.root();
  if (!HasTrait(root.opcode(), opcode_trait::kAssociative) || root.operand(0) == root.operand(1) ||
      root.operand(0)->opcode() != HloOpcode::kParameter || root.operand(1)->opcode() != HloOpcode::kParameter) {
    return absl::nullopt;
  }
  for (const HloInstruction* operand : collective.operands()) {
    if (operand->shape().element_type() != root.shape().element_type()) return absl::nullopt;
  }
  return root.opcode();
}

Regrouping RegroupingOf(HloOpcode op, PrimitiveType type) {
  if (type == PRED || IsInt(type) || op == HloOpcode::kMaximum || op == HloOpcode::kMinimum) return Regrouping::kExact;
  const bool is_wide = type == F32 || type == F64 || IsComplex(type);
  return op == HloOpcode::kAdd && is_wide ? Regrouping::kOrderOfSum : Regrouping::kRounds;
}

}  // namespace xla
