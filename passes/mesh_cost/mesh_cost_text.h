// What mesh_cost.h finds, for people and for programs.
#ifndef PASSES_MESH_COST_MESH_COST_TEXT_H_
#define PASSES_MESH_COST_MESH_COST_TEXT_H_

#include <string>
#include <vector>

#include "passes/mesh_cost/mesh_cost.h"
#include "passes/mesh_cost/topology.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// The step and its parts, memory, and the collectives that take longest.
std::string DescribeMeshCost(const HloModule& module, const MeshCost& cost, const Topology& topology);
// The same as a JSON object, with all collectives.
std::string MeshCostToJson(const HloModule& module, const MeshCost& cost, const Topology& topology);

// A line for each mesh.
std::string DescribeTrials(const HloModule& module, const std::vector<MeshTrial>& trials, const Topology& topology);
// An object with the trials as array "meshes".
std::string TrialsToJson(const HloModule& module, const std::vector<MeshTrial>& trials, const Topology& topology);

}  // namespace xla

#endif  // PASSES_MESH_COST_MESH_COST_TEXT_H_
