#include "xla_core/ops/collective_groups.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

bool HasGlobalIds(const HloInstruction& collective) {
  if (const auto* reduce = dynamic_cast<const AllReduceAttributes*>(collective.raw_attributes()))
    return reduce->use_global_device_ids;
  if (const auto* shard = dynamic_cast<const ShardingCollectiveAttributes*>(collective.raw_attributes())) {
    return shard->use_global_device_ids;
  }
  return false;
}

// all-reduce, all-gather and reduce-scatter read their channel as "replicas and partitions"; the others as
// "partitions".
bool MayUseGlobalIds(const HloInstruction& collective) {
  return dynamic_cast<const AllReduceAttributes*>(collective.raw_attributes()) != nullptr ||
         dynamic_cast<const ShardingCollectiveAttributes*>(collective.raw_attributes()) != nullptr;
}

int64_t IdLimit(GroupMode mode, int64_t replicas, int64_t partitions) {
  switch (mode) {
    case GroupMode::kCrossReplica:
    case GroupMode::kCrossReplicaAndPartition:
      return replicas;
    case GroupMode::kCrossPartition:
      return partitions;
    case GroupMode::kFlattenedIds:
      return replicas * partitions;
  }
  return 0;
}

const char* IdKind(GroupMode mode) {
  switch (mode) {
    case GroupMode::kCrossReplica:
    case GroupMode::kCrossReplicaAndPartition:
      return "replica";
    case GroupMode::kCrossPartition:
      return "partition";
    case GroupMode::kFlattenedIds:
      return "device";
  }
  return "";
}

// All devices may be one group without being listed, unless ids of replicas and partitions together are asked for.
absl::Status CheckMayBeEmpty(GroupMode mode) {
  if (mode != GroupMode::kFlattenedIds) return absl::OkStatus();
  return absl::InvalidArgumentError("use_global_device_ids=true needs replica_groups that list the device ids");
}

// The listed groups, or all devices in one.
absl::StatusOr<std::vector<std::vector<int64_t>>> ListedGroups(const HloInstruction& collective, GroupMode mode,
                                                               int64_t limit) {
  const ReplicaGroups& written = collective.collective_attributes().replica_groups;
  if (written.empty()) {
    RETURN_IF_ERROR(CheckMayBeEmpty(mode));
    std::vector<int64_t> everybody(limit);
    for (int64_t i = 0; i < limit; ++i) everybody[i] = i;
    return std::vector<std::vector<int64_t>>{std::move(everybody)};
  }
  return written.Expand();
}

absl::Status CheckId(int64_t id, GroupMode mode, int64_t limit) {
  if (id >= 0 && id < limit) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("replica_groups names ", IdKind(mode), " ", id, ", but there are ",
                                                 limit, " of them: expected 0 <= id < ", limit));
}

// Every id once and below `limit`, the number of replicas, partitions or devices, depending on `mode`.
absl::Status CheckIds(const std::vector<std::vector<int64_t>>& groups, GroupMode mode, int64_t limit) {
  // Not an array of `limit`: few ids may be listed of many devices.
  absl::flat_hash_set<int64_t> seen;
  for (const auto& group : groups) {
    if (group.empty()) return absl::InvalidArgumentError("replica_groups has an empty group");
    for (int64_t id : group) {
      RETURN_IF_ERROR(CheckId(id, mode, limit));
      if (!seen.insert(id).second)
        return absl::InvalidArgumentError(absl::StrCat("replica_groups names ", IdKind(mode), " ", id, " twice"));
    }
  }
  return absl::OkStatus();
}

// How many ids the groups name; each must be named once and be below `limit`. Takes no longer than the text is long:
// what a form without lists names, its counts tell.
absl::StatusOr<int64_t> CountIds(const ReplicaGroups& written, GroupMode mode, int64_t limit) {
  if (written.NamesEachIdOnce()) {
    ASSIGN_OR_RETURN(const ReplicaGroups::Counts counts, written.Count());
    const int64_t ids = counts.groups * counts.group_size;
    // Of the ids that are too large, `limit` is the smallest.
    if (ids > limit) RETURN_IF_ERROR(CheckId(limit, mode, limit));
    return ids;
  }
  ASSIGN_OR_RETURN(const auto groups, written.Expand());
  RETURN_IF_ERROR(CheckIds(groups, mode, limit));
  int64_t ids = 0;
  for (const auto& group : groups) ids += static_cast<int64_t>(group.size());
  return ids;
}

// The size of the first group that is not as large as the very first one; nullopt: all are of one size.
absl::optional<int64_t> OtherGroupSize(const ReplicaGroups& written) {
  // Iotas and meshes make groups of one size.
  for (const auto& group : written.groups) {
    if (group.size() != written.groups.front().size()) return static_cast<int64_t>(group.size());
  }
  return absl::nullopt;
}

// The ids of one group as flattened device ids. `other` is the coordinate that the ids do not give: the partition of
// a group of replicas, or the replica of a group of partitions.
DeviceGroup FlattenGroup(const std::vector<int64_t>& ids, GroupMode mode, int64_t other, int64_t partitions) {
  DeviceGroup devices;
  for (int64_t id : ids) {
    switch (mode) {
      case GroupMode::kCrossReplica:
        devices.push_back(id * partitions + other);
        break;
      case GroupMode::kCrossPartition:
        devices.push_back(other * partitions + id);
        break;
      case GroupMode::kFlattenedIds:
        devices.push_back(id);
        break;
      case GroupMode::kCrossReplicaAndPartition:
        for (int64_t p = 0; p < partitions; ++p) devices.push_back(id * partitions + p);
        break;
    }
  }
  return devices;
}

}  // namespace

GroupMode GroupModeOf(const HloInstruction& collective) {
  if (!collective.collective_attributes().channel_id.has_value()) return GroupMode::kCrossReplica;
  if (!MayUseGlobalIds(collective)) return GroupMode::kCrossPartition;
  return HasGlobalIds(collective) ? GroupMode::kFlattenedIds : GroupMode::kCrossReplicaAndPartition;
}

// All groups of all devices, as StableHLO's cross_replica, cross_partition, cross_replica_and_partition and
// flattened_ids form them.
absl::StatusOr<std::vector<DeviceGroup>> DeviceGroups(const HloInstruction& collective, int64_t replicas,
                                                      int64_t partitions) {
  const GroupMode mode = GroupModeOf(collective);
  const int64_t limit = IdLimit(mode, replicas, partitions);
  ASSIGN_OR_RETURN(const auto listed, ListedGroups(collective, mode, limit));
  RETURN_IF_ERROR(CheckIds(listed, mode, limit));
  // The coordinate that groups do not mention takes every value.
  const int64_t others = mode == GroupMode::kCrossReplica     ? partitions
                         : mode == GroupMode::kCrossPartition ? replicas
                                                              : 1;
  std::vector<DeviceGroup> groups;
  for (int64_t other = 0; other < others; ++other) {
    for (const auto& ids : listed) groups.push_back(FlattenGroup(ids, mode, other, partitions));
  }
  return groups;
}

// Every device asks this in every run of the instruction, so it makes no other group than the one it returns. The
// verifier has seen that no id is repeated; how many there may be is known only now.
absl::StatusOr<DeviceGroup> GroupOfDevice(const HloInstruction& collective, const DeviceInfo& device) {
  const GroupMode mode = GroupModeOf(collective);
  const int64_t limit = IdLimit(mode, device.replica_count, device.partition_count);
  const bool by_partition = mode == GroupMode::kCrossPartition;
  const int64_t own = mode == GroupMode::kFlattenedIds ? device.id() : by_partition ? device.partition : device.replica;
  const int64_t other = by_partition ? device.replica : device.partition;
  const auto find = [&](const std::vector<std::vector<int64_t>>& groups) -> absl::StatusOr<DeviceGroup> {
    const std::vector<int64_t>* found = nullptr;
    for (const auto& ids : groups) {
      for (const int64_t id : ids) {
        RETURN_IF_ERROR(CheckId(id, mode, limit));
        if (id == own) found = &ids;
      }
    }
    return found == nullptr ? DeviceGroup() : FlattenGroup(*found, mode, other, device.partition_count);
  };
  const ReplicaGroups& written = collective.collective_attributes().replica_groups;
  if (written.form == ReplicaGroups::Form::kList && !written.empty()) return find(written.groups);
  ASSIGN_OR_RETURN(const auto listed, ListedGroups(collective, mode, limit));
  return find(listed);
}

// How many devices meet, if that is the same for all groups and known from the module; else 0. The counts of a run
// may be others than those that the header states.
int64_t StaticGroupSize(const HloInstruction& collective) {
  const HloModuleConfig& config = collective.parent()->parent()->config();
  const GroupMode mode = GroupModeOf(collective);
  const int64_t per_id = mode == GroupMode::kCrossReplicaAndPartition ? config.num_partitions : 1;
  const bool counts_stated = config.replica_count > 1 || config.num_partitions > 1;
  if (mode == GroupMode::kCrossReplicaAndPartition && !counts_stated) return 0;
  const ReplicaGroups& written = collective.collective_attributes().replica_groups;
  if (written.empty()) {
    const int64_t limit = IdLimit(mode, config.replica_count, config.num_partitions);
    return limit <= 1 ? 0 : limit * per_id;
  }
  if (written.form == ReplicaGroups::Form::kList) {
    if (OtherGroupSize(written).has_value()) return 0;
    return static_cast<int64_t>(written.groups.front().size()) * per_id;
  }
  const auto counts = written.Count();
  return counts.ok() ? counts->group_size * per_id : 0;
}

void VerifyChannelId(const absl::optional<int64_t>& channel, Violations& violations) {
  if (!channel.has_value() || *channel > 0) return;
  if (*channel < 0) return violations.Add(absl::StrCat("channel_id must be positive, found ", *channel));
  violations.Warn("channel_id should be positive; 0 counts as a channel like others");
}

// What collectives have in common: channel and mode fit, ids are in range and, for most, all named once, and groups
// are of one size where `rules` asks for it.
void VerifyGroups(const HloInstruction& collective, GroupRules rules, Violations& violations) {
  const HloModuleConfig& config = collective.parent()->parent()->config();
  const auto& channel = collective.collective_attributes().channel_id;
  VerifyChannelId(channel, violations);
  if (HasGlobalIds(collective) && !channel.has_value()) violations.Add("use_global_device_ids=true needs a channel_id");
  const GroupMode mode = GroupModeOf(collective);
  const int64_t limit = IdLimit(mode, config.replica_count, config.num_partitions);
  const ReplicaGroups& written = collective.collective_attributes().replica_groups;
  if (written.empty()) return violations.Add(CheckMayBeEmpty(mode));

  // A module that leaves its counts at 1 is told them when it is run.
  const int64_t id_limit = limit > 1 ? limit : int64_t{1} << 20;
  const absl::StatusOr<int64_t> named = CountIds(written, mode, id_limit);
  violations.Add(named.status());
  if (named.ok() && limit > 1 && rules != GroupRules::kEqualSizesPartial && *named != limit) {
    violations.Add(
        absl::StrCat("replica_groups must name each of the ", limit, " ", IdKind(mode), "s once, but names ", *named));
  }
  if (rules == GroupRules::kAnySizes) return;
  if (const auto other = OtherGroupSize(written)) {
    violations.Add(absl::StrCat("all groups must have the same size, found sizes ", written.groups.front().size(),
                                " and ", *other));
  }
}

// Source and target as flattened ids: of replicas with this device's partition, or (cross_partition) of partitions of
// its replica.
absl::StatusOr<std::vector<std::pair<int64_t, int64_t>>> DevicePairs(
    absl::Span<const std::pair<int64_t, int64_t>> pairs, bool cross_partition, const DeviceInfo& device) {
  const int64_t limit = cross_partition ? device.partition_count : device.replica_count;
  const auto flatten = [&](int64_t id) {
    return cross_partition ? device.replica * device.partition_count + id
                           : id * device.partition_count + device.partition;
  };
  std::vector<std::pair<int64_t, int64_t>> flat;
  for (const auto& pair : pairs) {
    for (int64_t id : {pair.first, pair.second}) {
      if (id < 0 || id >= limit) {
        return absl::InvalidArgumentError(absl::StrCat("source_target_pairs names ",
                                                       cross_partition ? "partition " : "replica ", id,
                                                       ", but there are ", limit, " of them"));
      }
    }
    flat.emplace_back(flatten(pair.first), flatten(pair.second));
  }
  return flat;
}

}  // namespace xla
