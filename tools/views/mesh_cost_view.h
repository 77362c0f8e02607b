// hlo-opt --cost --topology: what a program costs on many devices.
#ifndef TOOLS_VIEWS_MESH_COST_VIEW_H_
#define TOOLS_VIEWS_MESH_COST_VIEW_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/shared/flag_table.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/ir/mesh.h"
#include "xla_core/support/resource_context.h"

namespace xla {

struct MeshCostFlags {
  std::string topology;        // a file; "": the cost is that of a module by itself
  std::vector<MeshAxis> mesh;  // empty: that of the program
  int64_t best_mesh = 0;       // devices; 0: no meshes are ranked
};

// Adds them to the current topic.
void AddMeshCostFlags(FlagTable* table, MeshCostFlags* flags);

// InvalidArgument, for the command line, if they contradict each other or what `cost`, the switch, says.
absl::Status CheckMeshCostFlags(const MeshCostFlags& flags, bool cost);

struct MeshCostView {
  std::string text;
  std::vector<std::string> warnings;
};

// Of the verified `module`, as text or as JSON. The errors are those of reading the topology and of mesh_cost.h.
absl::StatusOr<MeshCostView> ViewMeshCost(const HloModule& module, const MeshCostFlags& flags, bool as_json,
                                          const ResourceContext* resources);

}  // namespace xla

#endif  // TOOLS_VIEWS_MESH_COST_VIEW_H_
