#include "passes/mesh_cost/group_layout.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"

namespace xla {
namespace {

using HostCounts = absl::flat_hash_map<int64_t, int64_t>;

int64_t LargestOf(const HostCounts& counts) {
  int64_t largest = 0;
  for (const auto& [host, count] : counts) largest = std::max(largest, count);
  return largest;
}

}  // namespace

GroupLayout LayoutOf(const std::vector<std::vector<int64_t>>& groups, const Topology& topology) {
  GroupLayout layout;
  HostCounts groups_on_host, busy_on_host;
  for (const std::vector<int64_t>& group : groups) {
    HostCounts members;
    for (const int64_t device : group) ++members[topology.HostOf(device)];
    layout.size = std::max(layout.size, static_cast<int64_t>(group.size()));
    layout.hosts = std::max(layout.hosts, static_cast<int64_t>(members.size()));
    layout.members_on_host = std::max(layout.members_on_host, LargestOf(members));
    if (members.size() > 1) ++layout.groups_between_hosts;
    for (const auto& [host, count] : members) {
      if (members.size() > 1) ++groups_on_host[host];
      if (group.size() > 1) busy_on_host[host] += count;
    }
  }
  layout.groups_on_host = LargestOf(groups_on_host);
  layout.busy_devices_on_host = std::max<int64_t>(1, LargestOf(busy_on_host));
  return layout;
}

PairLayout LayoutOfPairs(absl::Span<const std::pair<int64_t, int64_t>> pairs, const Topology& topology) {
  PairLayout layout;
  HostCounts leaving, coming, within;
  for (const auto& [source, target] : pairs) {
    const int64_t from = topology.HostOf(source), to = topology.HostOf(target);
    if (from != to) {
      ++leaving[from];
      ++coming[to];
      ++layout.between_hosts;
    } else if (source != target) {
      ++within[from];
    }
  }
  layout.from_host = std::max(LargestOf(leaving), LargestOf(coming));
  layout.within_host = LargestOf(within);
  return layout;
}

}  // namespace xla
