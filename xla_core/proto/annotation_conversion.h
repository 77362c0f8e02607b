// What instructions carry besides their meaning, to and from messages.
#ifndef XLA_CORE_PROTO_ANNOTATION_CONVERSION_H_
#define XLA_CORE_PROTO_ANNOTATION_CONVERSION_H_

#include "absl/status/status.h"
#include "xla_core/ir/annotations.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/proto/hlo.pb.h"
#include "xla_core/proto/proto_warnings.h"

namespace xla {

// Metadata, sharding, frontend attributes, backend configuration, statistics, accuracy and origin. `module` holds the
// payloads that an instruction may refer to. The instruction has its shape already.
absl::Status ReadAnnotations(const halo::hlo::HloInstructionProto& proto, const halo::hlo::HloModuleProto& module,
                             ProtoWarnings& warnings, HloInstruction* instruction);
void WriteAnnotations(const HloInstruction& instruction, halo::hlo::HloInstructionProto* proto);

// Source places and names. A payload may be kept in the module.
OpMetadata MetadataFromProto(const halo::hlo::OpMetadata& proto, const halo::hlo::HloModuleProto& module,
                             ProtoWarnings& warnings);
void MetadataToProto(const OpMetadata& metadata, halo::hlo::OpMetadata* proto);

FrontendAttributes FrontendAttributesFromProto(const halo::hlo::FrontendAttributes& proto);
void FrontendAttributesToProto(const FrontendAttributes& attributes, halo::hlo::FrontendAttributes* proto);

OriginalValue::Array OriginalArrayFromProto(const halo::hlo::OriginalArrayProto& proto);
void OriginalArrayToProto(const OriginalValue::Array& array, halo::hlo::OriginalArrayProto* proto);

}  // namespace xla

#endif  // XLA_CORE_PROTO_ANNOTATION_CONVERSION_H_
