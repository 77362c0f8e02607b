// A program over a mesh of other sizes: what its annotations name stays, the number of devices along each axis changes.
#ifndef PASSES_MESH_COST_CHOSEN_MESH_H_
#define PASSES_MESH_COST_CHOSEN_MESH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/ir/mesh.h"

namespace xla {

// "2x4,names=data:model". InvalidArgument, for people, if it is something else, or more devices than a program is cut
// for.
absl::StatusOr<std::vector<MeshAxis>> ParseChosenMesh(absl::string_view text);
// "data=2, model=4"
std::string MeshText(const std::vector<MeshAxis>& axes);

// The axes of the program's meshes, each name once. InvalidArgument: its annotations name no axes, or cannot be read.
absl::StatusOr<std::vector<std::string>> AxisNamesOf(const HloModule& module);

struct ReshapedProgram {
  std::unique_ptr<HloModule> module;
  std::vector<std::string> warnings;  // of what no size of an axis changes
};

// A copy of a global program whose meshes have these sizes, in its xla.sdy.meshes and in shardings over a mesh.
// Shardings by numbers of tiles follow the axes along which they cut on the mesh before, or stay as they are.
// InvalidArgument: a mesh has other axes, a sharding has a mesh of its own in a frontend attribute, or a mesh of
// another size lists its devices.
absl::StatusOr<ReshapedProgram> WithMesh(const HloModule& module, const std::vector<MeshAxis>& axes);

}  // namespace xla

#endif  // PASSES_MESH_COST_CHOSEN_MESH_H_
