// What is said about devices, shardings and replica groups, to and from messages.
#ifndef XLA_CORE_PROTO_DEVICE_CONVERSION_H_
#define XLA_CORE_PROTO_DEVICE_CONVERSION_H_

#include "absl/status/statusor.h"
#include "xla_core/ir/annotations.h"
#include "xla_core/ir/mesh.h"
#include "xla_core/proto/hlo.pb.h"
#include "xla_core/proto/proto_warnings.h"

namespace xla {

absl::StatusOr<Sharding> ShardingFromProto(const halo::hlo::OpSharding& proto, ProtoWarnings& warnings);
void ShardingToProto(const Sharding& sharding, halo::hlo::OpSharding* proto);

// Whichever of the four fields for replica groups is set.
ReplicaGroups ReplicaGroupsFromProto(const halo::hlo::HloInstructionProto& proto);
void ReplicaGroupsToProto(const ReplicaGroups& groups, halo::hlo::HloInstructionProto* proto);

}  // namespace xla

#endif  // XLA_CORE_PROTO_DEVICE_CONVERSION_H_
