#include "tools/views/mesh_cost_view.h"

#include "absl/strings/string_view.h"
#include "passes/mesh_cost/chosen_mesh.h"
#include "passes/mesh_cost/mesh_cost.h"
#include "passes/mesh_cost/mesh_cost_text.h"
#include "passes/mesh_cost/topology.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<Topology> TopologyIn(const std::string& path) {
  ASSIGN_OR_RETURN(const FileContents file, ReadFile(path));
  return ReadTopology(file.data(), path);
}

absl::StatusOr<MeshCostView> ViewTrials(const HloModule& module, const MeshCostFlags& flags, const Topology& topology,
                                        bool as_json, const ResourceContext* resources) {
  ASSIGN_OR_RETURN(const std::vector<MeshTrial> trials, RankMeshes(module, flags.best_mesh, topology, resources));
  MeshCostView view;
  view.text = as_json ? TrialsToJson(module, trials, topology) : DescribeTrials(module, trials, topology);
  view.warnings = trials[0].cost.warnings;
  return view;
}

}  // namespace

void AddMeshCostFlags(FlagTable* table, MeshCostFlags* flags) {
  table->Text("topology", "FILE", &flags->topology,
              "with --cost, predict the time of a step on these machines, which JSON describes: its parts, the axis of "
              "the mesh that it waits for, the memory of a device; a program on whole arrays is partitioned first; "
              "--to json prints it as JSON");
  table->Value(
      "mesh", "SIZES,names=NAMES",
      [flags](absl::string_view value) {
        ASSIGN_OR_RETURN(flags->mesh, ParseChosenMesh(value));
        return absl::OkStatus();
      },
      "with --topology, give the axes that the program's shardings name these sizes: 2x4,names=data:model");
  table->Number("best-mesh", "N", &flags->best_mesh, 1,
                "with --topology, rank all sizes of these axes for N devices by the predicted time of a step");
}

absl::Status CheckMeshCostFlags(const MeshCostFlags& flags, bool cost) {
  if (!flags.topology.empty() && !cost) {
    return absl::InvalidArgumentError("--topology says where to predict a cost: give --cost, too");
  }
  if (flags.topology.empty() && (!flags.mesh.empty() || flags.best_mesh > 0)) {
    return absl::InvalidArgumentError("--mesh and --best-mesh need machines: give --cost and --topology FILE, too");
  }
  if (!flags.mesh.empty() && flags.best_mesh > 0) {
    return absl::InvalidArgumentError("--mesh and --best-mesh contradict each other: leave one out");
  }
  return absl::OkStatus();
}

absl::StatusOr<MeshCostView> ViewMeshCost(const HloModule& module, const MeshCostFlags& flags, bool as_json,
                                          const ResourceContext* resources) {
  ASSIGN_OR_RETURN(const Topology topology, TopologyIn(flags.topology));
  if (flags.best_mesh > 0) return ViewTrials(module, flags, topology, as_json, resources);
  absl::StatusOr<MeshCost> cost = flags.mesh.empty() ? EstimateMeshCost(module, topology, resources)
                                                     : EstimateCostOnMesh(module, flags.mesh, topology, resources);
  RETURN_IF_ERROR(cost.status());
  MeshCostView view;
  view.text = as_json ? MeshCostToJson(module, *cost, topology) : DescribeMeshCost(module, *cost, topology);
  view.warnings = std::move(cost->warnings);
  return view;
}

}  // namespace xla
