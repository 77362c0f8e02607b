// GroupLayout: how the devices that meet at a collective lie on the hosts of a topology.
//
// Looks at each device once, so that what asks it for each collective of a module keeps the answers.
#ifndef PASSES_MESH_COST_GROUP_LAYOUT_H_
#define PASSES_MESH_COST_GROUP_LAYOUT_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "passes/mesh_cost/topology.h"

namespace xla {

struct GroupLayout {
  int64_t size = 1;             // members of the largest group
  int64_t hosts = 1;            // on so many hosts are its members at most
  int64_t members_on_host = 1;  // of a group on one host, at most
  // Groups that are on several hosts meet at the same time, and share what connects these.
  int64_t groups_on_host = 0;        // that have members there and elsewhere, at most
  int64_t groups_between_hosts = 0;  // in all
  int64_t busy_devices_on_host = 1;  // of groups of two and more, at most
};

GroupLayout LayoutOf(const std::vector<std::vector<int64_t>>& groups, const Topology& topology);

// Where arrays go that each have one sender and one receiver.
struct PairLayout {
  int64_t from_host = 0;      // that leave one host, or come to one, at most
  int64_t between_hosts = 0;  // in all
  int64_t within_host = 0;    // from one device of a host to another one, at most
};

PairLayout LayoutOfPairs(absl::Span<const std::pair<int64_t, int64_t>> pairs, const Topology& topology);

}  // namespace xla

#endif  // PASSES_MESH_COST_GROUP_LAYOUT_H_
