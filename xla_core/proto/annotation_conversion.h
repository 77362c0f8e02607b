// What instructions carry besides their meaning, and what is said about devices, to and from messages.
#ifndef XLA_CORE_PROTO_ANNOTATION_CONVERSION_H_
#define XLA_CORE_PROTO_ANNOTATION_CONVERSION_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_core/ir/annotations.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/ir/mesh.h"
#include "xla_core/proto/hlo.pb.h"
#include "xla_core/proto/proto_warnings.h"

namespace xla {

// Metadata, sharding, frontend attributes, backend configuration, statistics, accuracy and origin. `module` holds the
// payloads that an instruction may refer to. The instruction has its shape already.
absl::Status ReadAnnotations(const halo::hlo::HloInstructionProto& proto, const halo::hlo::HloModuleProto& module,
                             ProtoWarnings& warnings, HloInstruction* instruction);
void WriteAnnotations(const HloInstruction& instruction, halo::hlo::HloInstructionProto* proto);

absl::StatusOr<Sharding> ShardingFromProto(const halo::hlo::OpSharding& proto, ProtoWarnings& warnings);
void ShardingToProto(const Sharding& sharding, halo::hlo::OpSharding* proto);

// Whichever of the four fields for replica groups is set.
ReplicaGroups ReplicaGroupsFromProto(const halo::hlo::HloInstructionProto& proto);
void ReplicaGroupsToProto(const ReplicaGroups& groups, halo::hlo::HloInstructionProto* proto);

FrontendAttributes FrontendAttributesFromProto(const halo::hlo::FrontendAttributes& proto);
void FrontendAttributesToProto(const FrontendAttributes& attributes, halo::hlo::FrontendAttributes* proto);

OriginalValue::Array OriginalArrayFromProto(const halo::hlo::OriginalArrayProto& proto);
void OriginalArrayToProto(const OriginalValue::Array& array, halo::hlo::OriginalArrayProto* proto);

}  // namespace xla

#endif  // XLA_CORE_PROTO_ANNOTATION_CONVERSION_H_
