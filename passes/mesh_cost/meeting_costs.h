// MeetingCosts: what the collectives of a module take on a topology, each by itself.
#ifndef PASSES_MESH_COST_MEETING_COSTS_H_
#define PASSES_MESH_COST_MEETING_COSTS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "passes/mesh_cost/group_layout.h"
#include "passes/mesh_cost/topology.h"
#include "passes/partitioning/device_axes.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

struct MeetingCost {
  double seconds = 0;
  double bytes = 0;   // of the operands, on each device
  std::string along;  // DeviceAxes::Along
};

// Groups of devices are looked at once each, however many collectives have them. The topology and the axes outlive it.
class MeetingCosts {
 public:
  MeetingCosts(int64_t replicas, int64_t partitions, const DeviceAxes& axes, const Topology& topology)
      : replicas_(replicas), partitions_(partitions), axes_(axes), topology_(topology) {}

  // Whether it meets other devices, or begins to. What ends that takes no time by itself.
  static bool IsMeeting(const HloInstruction& instruction);
  // InvalidArgument, naming the instruction, if its groups do not fit the number of devices.
  absl::StatusOr<MeetingCost> Of(const HloInstruction& meeting);

 private:
  struct KnownGroups {
    const HloInstruction* first;  // that has them
    GroupLayout layout;
    std::string along;
  };
  struct KnownPairs {
    const HloInstruction* first;
    PairLayout layout;
    std::string along;
  };

  absl::StatusOr<const KnownGroups*> GroupsOf(const HloInstruction& collective);
  absl::StatusOr<const KnownPairs*> PairsOf(const HloInstruction& permute);
  absl::StatusOr<MeetingCost> OfPermute(const HloInstruction& permute);
  MeetingCost OfTransfer(const HloInstruction& transfer) const;

  const int64_t replicas_, partitions_;
  const DeviceAxes& axes_;
  const Topology& topology_;
  absl::flat_hash_map<uint64_t, std::vector<KnownGroups>> groups_;  // by hash
  absl::flat_hash_map<uint64_t, std::vector<KnownPairs>> pairs_;
};

}  // namespace xla

#endif  // PASSES_MESH_COST_MEETING_COSTS_H_
