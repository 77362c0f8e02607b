// Groups of devices: lists of ids, or axes of a mesh.
#ifndef BUILDERS_STABLEHLO_LOWERING_REPLICA_GROUPS_H_
#define BUILDERS_STABLEHLO_LOWERING_REPLICA_GROUPS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/stablehlo/lowering/operation_call.h"
#include "xla_core/ir/mesh.h"

namespace xla {
namespace stablehlo {

// Axes of a mesh, and parts of axes in a sharding. There are as many of size 2 as a number of devices has bits.
inline constexpr size_t kMostAxes = 64;

// The attribute replica_groups. Without ids, one group of all. With `pads`, an id of -1 fills up the
// row of a group that is shorter than others. Errors: it is missing, or not a
// list of groups; an id twice or less than 0, by the names of constraints.
absl::StatusOr<ReplicaGroups> ReplicaGroupsOf(const OperationCall& call, absl::string_view unique_constraint,
                                              absl::string_view range_constraint, bool pads);
// What the ids of groups count.
enum class GroupIds { kReplicas, kPartitions, kDevices };
// Whether the ids are less than the number of what they count, and all of them are listed, by the names of constraints;
// "" for the second: some may be left out. A program that does not say how many there are is told so when it is run.
absl::Status CheckGroupIds(const ProgramLowering& program, const ReplicaGroups& groups, GroupIds ids,
                           absl::string_view range_constraint, absl::string_view count_constraint);
// A mesh that is written down, or the name of one of the module.
absl::StatusOr<Mesh> MeshOf(const ProgramLowering& program, const Attribute& attribute);
// Whether the mesh names each axis once and each of its devices, or one device, once.
absl::Status CheckMesh(const ProgramLowering& program, const Attribute& attribute);
// An axis of the mesh, or a part of one.
absl::StatusOr<AxisRef> AxisRefOf(const Module& module, const Mesh& mesh, const Attribute& attribute);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_REPLICA_GROUPS_H_
