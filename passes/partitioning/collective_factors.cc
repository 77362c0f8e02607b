// Factors of collectives that a manual body has: along axes that are free in it, devices that meet may have shards
// instead of whole arrays, if those that meet have the same one.
#include <memory>
#include <utility>
#include <vector>

#include "passes/partitioning/factor_rule.h"
#include "xla_core/ir/attributes.h"

namespace xla {
namespace {

using Meetings = std::vector<std::vector<int64_t>>;

// By numbers of devices; nullopt where numbers are those of something else, or not known.
absl::optional<Meetings> MeetingsOf(const HloInstruction& collective) {
  if (collective.opcode() == HloOpcode::kCollectivePermute) {
    const auto& attributes = collective.attributes<CollectivePermuteAttributes>();
    if (!attributes.channel_id.has_value() || !attributes.slice_sizes.empty()) return absl::nullopt;
    Meetings pairs;
    for (const auto& [source, target] : attributes.source_target_pairs) pairs.push_back({source, target});
    return pairs;
  }
  const CollectiveAttributes& attributes = collective.collective_attributes();
  if (!attributes.channel_id.has_value() || attributes.replica_groups.empty()) return absl::nullopt;
  bool has_device_ids = true;
  if (collective.opcode() == HloOpcode::kAllReduce) {
    has_device_ids = collective.attributes<AllReduceAttributes>().use_global_device_ids;
  } else if (collective.opcode() == HloOpcode::kAllGather || collective.opcode() == HloOpcode::kReduceScatter) {
    has_device_ids = collective.attributes<ShardingCollectiveAttributes>().use_global_device_ids;
  }
  absl::StatusOr<Meetings> groups = attributes.replica_groups.Expand();
  if (!has_device_ids || !groups.ok()) return absl::nullopt;
  return *std::move(groups);
}

// The dimension along which arrays are split or put together; -1: none.
int64_t JoinedDimension(const HloInstruction& collective) {
  switch (collective.opcode()) {
    case HloOpcode::kAllGather:
    case HloOpcode::kReduceScatter:
      return collective.attributes<ShardingCollectiveAttributes>().dimension;
    case HloOpcode::kAllToAll:
      return *collective.attributes<AllToAllAttributes>().split_dimension;
    default:
      return -1;
  }
}

// Several arrays are put together in one result otherwise.
bool HasOneResultForEachOperand(const HloInstruction& collective) {
  const bool is_tuple_of_parts = collective.opcode() == HloOpcode::kAllToAll &&
                                 !collective.attributes<AllToAllAttributes>().split_dimension.has_value();
  const bool finds_root = collective.opcode() == HloOpcode::kCollectiveBroadcast &&
                          collective.attributes<CollectiveBroadcastAttributes>().has_dynamic_root;
  return !is_tuple_of_parts && !finds_root &&
         ResultLeaves(collective.shape()).size() == static_cast<size_t>(collective.operand_count());
}

}  // namespace

absl::optional<FactorRule> CollectiveFactors(const HloInstruction& instruction) {
  if (!HasOneResultForEachOperand(instruction)) return absl::nullopt;
  absl::optional<Meetings> meetings = MeetingsOf(instruction);
  if (!meetings.has_value()) return absl::nullopt;
  FactorRule::Factor factor;
  factor.meetings = std::make_shared<const Meetings>(*std::move(meetings));
  const int64_t dimension = JoinedDimension(instruction);
  FactorRule rule;
  for (const HloInstruction* operand : instruction.operands()) {
    std::vector<int>& factors = rule.operands.emplace_back();
    for (int k = 0; k < operand->shape().rank(); ++k) {
      factors.push_back(k == dimension ? FactorRule::kNone : rule.AddFactor(factor));
    }
    rule.results.push_back(factors);
  }
  return rule;
}

}  // namespace xla
