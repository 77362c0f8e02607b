#include "passes/mesh_cost/mesh_cost.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "passes/collectives/split_collectives.h"
#include "passes/mesh_cost/chosen_mesh.h"
#include "passes/mesh_cost/collective_time.h"
#include "passes/partitioning/annotated_shardings.h"
#include "passes/partitioning/partition_module.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int64_t kMaxTrials = 2000;
constexpr size_t kMaxAxes = 16;

bool HasCollectives(const HloModule& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (HasTrait(instruction->opcode(), opcode_trait::kCollective)) return true;
    }
  }
  return false;
}

bool IsOnWholeArrays(const HloModule& module, int64_t devices) {
  if (module.config().replica_count != 1) return false;
  return devices > 1 && (FirstManualBody(module) != nullptr || !HasCollectives(module));
}

// The ways to write a number as a product of several, with large first factors first.
class Factorizations {
 public:
  // Stops a little after kMaxTrials.
  Factorizations(int64_t number, size_t factors) : count_(factors) {
    for (int64_t divisor = number; divisor >= 1; --divisor) {
      if (number % divisor == 0) divisors_.push_back(divisor);
    }
    Append(number);
  }
  const std::vector<std::vector<int64_t>>& all() const { return all_; }

 private:
  void Append(int64_t rest) {
    if (static_cast<int64_t>(all_.size()) > kMaxTrials) return;
    if (chosen_.size() + 1 == count_) {
      all_.push_back(chosen_);
      all_.back().push_back(rest);
      return;
    }
    for (const int64_t divisor : divisors_) {
      if (rest % divisor != 0) continue;
      chosen_.push_back(divisor);
      Append(rest / divisor);
      chosen_.pop_back();
    }
  }

  const size_t count_;
  std::vector<int64_t> divisors_;  // descending
  std::vector<int64_t> chosen_;
  std::vector<std::vector<int64_t>> all_;
};

absl::Status CheckFits(int64_t devices, const Topology& topology) {
  if (devices <= topology.device_count()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the mesh is for ", devices, " devices, expected at most the ",
                                                 topology.device_count(), " devices of the topology (",
                                                 topology.ToString(), "); give it more hosts or devices_per_host"));
}

// A product goes around a ring where a device computes as long as it sends.
RingRule RingsThatHide(const Topology& topology) {
  return [&topology](const RingStep& step) {
    const auto bytes = static_cast<double>(step.bytes);
    return step.flops / topology.flops >= SecondsOfPairs(bytes, LayoutOfPairs(step.pairs, topology), topology);
  };
}

// By the slowest link that the devices of a group share.
ByteCost SecondsOfByte(const Topology& topology) {
  return [&topology](const std::vector<std::vector<int64_t>>& groups) {
    const GroupLayout layout = LayoutOf(groups, topology);
    if (layout.hosts > 1) return static_cast<double>(layout.groups_on_host) / topology.between_hosts.bandwidth;
    return 1 / topology.devices.bandwidth;
  };
}

// What is sent in rings goes on beside products, as when a backend compiles the program.
absl::Status SplitPermutes(HloModule& module, const ResourceContext* resources) {
  PassContext context;
  context.resources = resources;
  context.StartRun(module.instruction_count());
  context.StartPass("split-collectives",
                    {{"ops", "collective-permute"}, {"growth-percent", "10"}, {"growth-bytes", "1048576"}});
  RETURN_IF_ERROR(SplitCollectives(module, context).status());
  module.Tidy();
  return absl::OkStatus();
}

// Smaller is better.
int Rank(const MeshTrial& trial, const Topology& topology) {
  if (!trial.status.ok()) return 2;
  return NeedsTooMuchMemory(trial.cost, topology) ? 1 : 0;
}

}  // namespace

absl::StatusOr<MeshCost> EstimateMeshCost(const HloModule& module, const Topology& topology,
                                          const ResourceContext* resources) {
  ASSIGN_OR_RETURN(const int64_t devices, DevicesOfProgram(module));
  // With replicas, device numbers are not those of the mesh.
  const bool has_replicas = module.config().replica_count != 1;
  const DeviceAxes axes = has_replicas ? DeviceAxes::Without(devices) : DeviceAxes::Of(module, devices);
  MeshCost cost;
  cost.is_partitioned = IsOnWholeArrays(module, devices);
  if (!cost.is_partitioned) {
    ASSIGN_OR_RETURN(cost.step, EstimateStep(module, axes, topology, resources));
  } else {
    RETURN_IF_ERROR(CheckFits(devices, topology));
    PartitionSettings settings;
    settings.rings = RingsThatHide(topology);
    settings.byte_cost = SecondsOfByte(topology);
    ASSIGN_OR_RETURN(PartitionedModule partitioned, PartitionModule(module, devices, resources, settings));
    RETURN_IF_ERROR(SplitPermutes(*partitioned.module, resources));
    ASSIGN_OR_RETURN(cost.step, EstimateStep(*partitioned.module, axes, topology, resources));
    cost.warnings = std::move(partitioned.warnings);
  }
  cost.devices = !has_replicas ? axes.ToString() : absl::StrCat(cost.step.devices, " devices");
  return cost;
}

absl::StatusOr<MeshCost> EstimateCostOnMesh(const HloModule& module, const std::vector<MeshAxis>& axes,
                                            const Topology& topology, const ResourceContext* resources) {
  ASSIGN_OR_RETURN(const ReshapedProgram reshaped, WithMesh(module, axes));
  ASSIGN_OR_RETURN(MeshCost cost, EstimateMeshCost(*reshaped.module, topology, resources));
  cost.warnings.insert(cost.warnings.begin(), reshaped.warnings.begin(), reshaped.warnings.end());
  return cost;
}

absl::StatusOr<std::vector<MeshTrial>> RankMeshes(const HloModule& module, int64_t devices, const Topology& topology,
                                                  const ResourceContext* resources) {
  RETURN_IF_ERROR(CheckFits(devices, topology));
  ASSIGN_OR_RETURN(const std::vector<std::string> names, AxisNamesOf(module));
  if (names.size() > kMaxAxes) {
    return absl::InvalidArgumentError(absl::StrCat("the program's meshes have ", names.size(),
                                                   " axes, expected at most ", kMaxAxes, "; try single meshes"));
  }
  const Factorizations meshes(devices, names.size());
  if (static_cast<int64_t>(meshes.all().size()) > kMaxTrials) {
    return absl::InvalidArgumentError(absl::StrCat("there are more than ", kMaxTrials, " meshes of ", devices,
                                                   " devices along ", names.size(),
                                                   " axes, which is the most that are tried; try single meshes"));
  }
  std::vector<MeshTrial> trials;
  for (const std::vector<int64_t>& sizes : meshes.all()) {
    MeshTrial trial;
    for (size_t i = 0; i < names.size(); ++i) trial.axes.push_back({names[i], sizes[i]});
    absl::StatusOr<MeshCost> cost = EstimateCostOnMesh(module, trial.axes, topology, resources);
    RETURN_IF_ERROR(CheckResources(resources));
    trial.status = cost.status();
    if (cost.ok()) trial.cost = *std::move(cost);
    trials.push_back(std::move(trial));
  }
  std::stable_sort(trials.begin(), trials.end(), [&topology](const MeshTrial& a, const MeshTrial& b) {
    const int rank_a = Rank(a, topology), rank_b = Rank(b, topology);
    return rank_a != rank_b ? rank_a < rank_b : a.cost.step.seconds() < b.cost.step.seconds();
  });
  RETURN_IF_ERROR(trials[0].status);
  return trials;
}

bool NeedsTooMuchMemory(const MeshCost& cost, const Topology& topology) {
  return topology.memory > 0 && cost.step.memory.total() > topology.memory;
}

}  // namespace xla
