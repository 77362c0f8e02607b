// What a program costs on a topology, as it is written or over a mesh of other sizes; read this first.
#ifndef PASSES_MESH_COST_MESH_COST_H_
#define PASSES_MESH_COST_MESH_COST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "passes/mesh_cost/step_cost.h"
#include "passes/mesh_cost/topology.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/ir/mesh.h"
#include "xla_core/support/resource_context.h"

namespace xla {

struct MeshCost {
  std::string devices;          // "8 devices, mesh data=2, model=4"
  bool is_partitioned = false;  // by this, from a program on whole arrays
  StepCost step;
  std::vector<std::string> warnings;
};

// A verified program. One on whole arrays is partitioned first (a copy of it): a program of one replica for several
// partitions, or with a mesh, that either has a manual body or no collectives. The errors are those of partitioning and
// EstimateStep.
absl::StatusOr<MeshCost> EstimateMeshCost(const HloModule& module, const Topology& topology,
                                          const ResourceContext* resources);
// The same over a mesh of these sizes. The errors are also those of WithMesh.
absl::StatusOr<MeshCost> EstimateCostOnMesh(const HloModule& module, const std::vector<MeshAxis>& axes,
                                            const Topology& topology, const ResourceContext* resources);

struct MeshTrial {
  std::vector<MeshAxis> axes;
  absl::Status status;  // why the program does not fit this mesh
  MeshCost cost;        // if it does
};

// The program over each mesh with this number of devices: what fits into the memory of the topology's devices first,
// then what needs more, then what is not possible; the quickest first, and of equal ones the one with more devices
// along the first axes. InvalidArgument: there are more meshes than 2000 or more axes than 16, or the program is
// possible on none.
absl::StatusOr<std::vector<MeshTrial>> RankMeshes(const HloModule& module, int64_t devices, const Topology& topology,
                                                  const ResourceContext* resources);

// Whether a device has too little memory, as far as the topology says how much it has.
bool NeedsTooMuchMemory(const MeshCost& cost, const Topology& topology);

}  // namespace xla

#endif  // PASSES_MESH_COST_MESH_COST_H_
