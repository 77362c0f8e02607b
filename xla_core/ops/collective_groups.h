// Which devices take part in a collective (StableHLO spec, section `Collective ops`).
#ifndef XLA_CORE_OPS_COLLECTIVE_GROUPS_H_
#define XLA_CORE_OPS_COLLECTIVE_GROUPS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/ops/op_definition.h"

namespace xla {

// How the ids in replica_groups (or source_target_pairs) are read.
enum class GroupMode {
  kCrossReplica,              // replica ids; members have the same partition
  kCrossPartition,            // partition ids; members have the same replica
  kCrossReplicaAndPartition,  // replica ids; all partitions of the listed replicas
  kFlattenedIds,              // replica * partitions + partition
};
GroupMode GroupModeOf(const HloInstruction& collective);

using DeviceGroup = std::vector<int64_t>;  // flattened ids in group order

// The groups of a grouped collective on replicas x partitions devices. InvalidArgument if an id is out of range or
// repeated or the spelling is inconsistent.
absl::StatusOr<std::vector<DeviceGroup>> DeviceGroups(const HloInstruction& collective, int64_t replicas,
                                                      int64_t partitions);
// The group of `device`; empty if it is in none (allowed for collective-broadcast only).
absl::StatusOr<DeviceGroup> GroupOfDevice(const HloInstruction& collective, const DeviceInfo& device);

// Devices per group as the text tells it: from the listed groups, else from the module's counts; 0 if neither says (a
// module that does not state its replica count) or the sizes differ.
int64_t StaticGroupSize(const HloInstruction& collective);

// A channel is a positive number; 0 is odd.
void VerifyChannelId(const absl::optional<int64_t>& channel, Violations& violations);

// Rules on the groups themselves: no empty group, ids in range, each exactly once, equal sizes where the collective
// needs them.
enum class GroupRules { kAnySizes, kEqualSizes, kEqualSizesPartial };
void VerifyGroups(const HloInstruction& collective, GroupRules rules, Violations& violations);

// source_target_pairs as flattened ids, for the devices that share this device's other coordinate.
absl::StatusOr<std::vector<std::pair<int64_t, int64_t>>> DevicePairs(
    absl::Span<const std::pair<int64_t, int64_t>> pairs, bool cross_partition, const DeviceInfo& device);

}  // namespace xla

#endif  // XLA_CORE_OPS_COLLECTIVE_GROUPS_H_
