#include "passes/mesh_cost/meeting_costs.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "passes/mesh_cost/collective_time.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/collective_groups.h"
#include "xla_core/support/mix_hash.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using DevicePairList = std::vector<std::pair<int64_t, int64_t>>;

constexpr OpcodeSet kPermutes = {HloOpcode::kCollectivePermute, HloOpcode::kCollectivePermuteStart};

constexpr OpcodeMap<ExchangeKind> kExchanges(/*otherwise=*/ExchangeKind::kAllToAll,
                                             {{HloOpcode::kAllReduce, ExchangeKind::kAllReduce},
                                              {HloOpcode::kAllReduceStart, ExchangeKind::kAllReduce},
                                              {HloOpcode::kAllGather, ExchangeKind::kAllGather},
                                              {HloOpcode::kAllGatherStart, ExchangeKind::kAllGather},
                                              {HloOpcode::kReduceScatter, ExchangeKind::kReduceScatter},
                                              {HloOpcode::kCollectiveBroadcast, ExchangeKind::kBroadcast}});

const CollectivePermuteAttributes& PermuteOf(const HloInstruction& permute) {
  return permute.attributes<CollectivePermuteAttributes>();
}

// The other operands are offsets, sizes of rows, or what results are written over.
bool MovesFirstOperandOnly(const HloInstruction& meeting) {
  if (kPermutes.Has(meeting.opcode())) return !PermuteOf(meeting).slice_sizes.empty();
  return meeting.opcode() == HloOpcode::kRaggedAllToAll || meeting.opcode() == HloOpcode::kSend;
}

double MovedBytes(const HloInstruction& meeting) {
  const bool only_first = MovesFirstOperandOnly(meeting);
  double bytes = 0;
  for (const HloInstruction* operand : meeting.operands()) {
    bytes += static_cast<double>(operand->shape().ByteSize());
    if (only_first) break;
  }
  return bytes;
}

absl::Status AtMeeting(const HloInstruction& meeting, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(meeting.name(), ": ", status.message()));
}

uint64_t HashOfIota(const IotaTransform& iota) {
  uint64_t hash = iota.reshape_dims.size();
  for (const int64_t size : iota.reshape_dims) hash = MixHash(hash, static_cast<uint64_t>(size));
  for (const int dimension : iota.transpose_perm) hash = MixHash(hash, static_cast<uint64_t>(dimension));
  return hash;
}

// Of what differs between most groups; what has equal hashes is compared.
uint64_t HashOfGroups(const HloInstruction& collective) {
  const ReplicaGroups& groups = collective.collective_attributes().replica_groups;
  uint64_t hash = MixHash(static_cast<uint64_t>(groups.form), static_cast<uint64_t>(GroupModeOf(collective)));
  for (const std::vector<int64_t>& group : groups.groups) {
    hash = MixHash(hash, group.size());
    for (const int64_t id : group) hash = MixHash(hash, static_cast<uint64_t>(id));
  }
  hash = MixHash(MixHash(hash, static_cast<uint64_t>(groups.iota_groups)), HashOfIota(groups.iota));
  for (const MeshAxis& axis : groups.mesh.axes) hash = MixHash(hash, static_cast<uint64_t>(axis.size));
  for (const AxisRef& ref : groups.axes) {
    hash = MixHash(hash, static_cast<uint64_t>(ref.axis));
    if (ref.sub_axis.has_value()) {
      hash = MixHash(MixHash(hash, static_cast<uint64_t>(ref.sub_axis->pre_size)),
                     static_cast<uint64_t>(ref.sub_axis->size));
    }
  }
  return hash;
}

bool HaveEqualGroups(const HloInstruction& a, const HloInstruction& b) {
  return GroupModeOf(a) == GroupModeOf(b) &&
         a.collective_attributes().replica_groups == b.collective_attributes().replica_groups;
}

uint64_t HashOfPairs(const HloInstruction& permute) {
  uint64_t hash = PermuteOf(permute).channel_id.has_value() ? 1 : 0;
  for (const auto& [source, target] : PermuteOf(permute).source_target_pairs) {
    hash = MixHash(MixHash(hash, static_cast<uint64_t>(source)), static_cast<uint64_t>(target));
  }
  return hash;
}

bool HaveEqualPairs(const HloInstruction& a, const HloInstruction& b) {
  return PermuteOf(a).channel_id.has_value() == PermuteOf(b).channel_id.has_value() &&
         PermuteOf(a).source_target_pairs == PermuteOf(b).source_target_pairs;
}

// Of all devices: ids of replicas stand for each partition, and the other way round.
absl::StatusOr<DevicePairList> PairsOfDevices(const HloInstruction& permute, int64_t replicas, int64_t partitions) {
  const bool by_partition = PermuteOf(permute).channel_id.has_value();
  DevicePairList all;
  for (int64_t other = 0; other < (by_partition ? replicas : partitions); ++other) {
    const DeviceInfo device = {by_partition ? other : 0, by_partition ? 0 : other, replicas, partitions};
    ASSIGN_OR_RETURN(const DevicePairList pairs,
                     DevicePairs(PermuteOf(permute).source_target_pairs, by_partition, device));
    all.insert(all.end(), pairs.begin(), pairs.end());
  }
  return all;
}

// The devices that an array would come through if it were sent on and on, from where nothing is sent to if there is
// such a device.
std::vector<int64_t> FirstChain(const DevicePairList& pairs) {
  absl::flat_hash_map<int64_t, int64_t> target_of, source_of;
  for (const auto& [source, target] : pairs) {
    if (source == target) continue;
    target_of.emplace(source, target);
    source_of.emplace(target, source);
  }
  std::vector<int64_t> chain;
  for (const auto& [source, target] : pairs) {
    if (source == target || (!chain.empty() && source_of.count(source) > 0)) continue;
    chain = {source};
    if (source_of.count(source) == 0) break;
  }
  // Each device once, also where a chain leads into a cycle.
  for (size_t steps = 0; !chain.empty() && steps < pairs.size(); ++steps) {
    const auto next = target_of.find(chain.back());
    if (next == target_of.end() || next->second == chain[0]) break;
    chain.push_back(next->second);
  }
  return chain;
}

}  // namespace

bool MeetingCosts::IsMeeting(const HloInstruction& instruction) {
  const HloOpcode opcode = instruction.opcode();
  if (opcode == HloOpcode::kSend) return true;
  return HasTrait(opcode, opcode_trait::kCollective) && !HasTrait(opcode, opcode_trait::kEnds);
}

absl::StatusOr<MeetingCost> MeetingCosts::Of(const HloInstruction& meeting) {
  if (meeting.opcode() == HloOpcode::kSend) return OfTransfer(meeting);
  if (kPermutes.Has(meeting.opcode())) return OfPermute(meeting);
  ASSIGN_OR_RETURN(const KnownGroups* const groups, GroupsOf(meeting));
  MeetingCost cost;
  cost.bytes = MovedBytes(meeting);
  cost.seconds = SecondsOfExchange(kExchanges[meeting.opcode()], cost.bytes, groups->layout, topology_);
  cost.along = groups->along;
  return cost;
}

absl::StatusOr<MeetingCost> MeetingCosts::OfPermute(const HloInstruction& permute) {
  ASSIGN_OR_RETURN(const KnownPairs* const pairs, PairsOf(permute));
  MeetingCost cost;
  cost.bytes = MovedBytes(permute);
  cost.seconds = SecondsOfPairs(cost.bytes, pairs->layout, topology_);
  cost.along = pairs->along;
  return cost;
}

// Who receives it is known at the receiver only: perhaps a device of another host.
MeetingCost MeetingCosts::OfTransfer(const HloInstruction& transfer) const {
  PairLayout one;
  (topology_.hosts > 1 ? one.between_hosts : one.within_host) = 1;
  one.from_host = one.between_hosts;
  MeetingCost cost;
  cost.bytes = MovedBytes(transfer);
  cost.seconds = SecondsOfPairs(cost.bytes, one, topology_);
  cost.along = "single devices";
  return cost;
}

absl::StatusOr<const MeetingCosts::KnownGroups*> MeetingCosts::GroupsOf(const HloInstruction& collective) {
  std::vector<KnownGroups>& known = groups_[HashOfGroups(collective)];
  for (const KnownGroups& groups : known) {
    if (HaveEqualGroups(*groups.first, collective)) return &groups;
  }
  const auto groups = DeviceGroups(collective, replicas_, partitions_);
  if (!groups.ok()) return AtMeeting(collective, groups.status());
  known.push_back({&collective, LayoutOf(*groups, topology_), axes_.Along(*groups)});
  return &known.back();
}

absl::StatusOr<const MeetingCosts::KnownPairs*> MeetingCosts::PairsOf(const HloInstruction& permute) {
  std::vector<KnownPairs>& known = pairs_[HashOfPairs(permute)];
  for (const KnownPairs& pairs : known) {
    if (HaveEqualPairs(*pairs.first, permute)) return &pairs;
  }
  const auto pairs = PairsOfDevices(permute, replicas_, partitions_);
  if (!pairs.ok()) return AtMeeting(permute, pairs.status());
  known.push_back({&permute, LayoutOfPairs(*pairs, topology_), axes_.Along({FirstChain(*pairs)})});
  return &known.back();
}

}  // namespace xla
