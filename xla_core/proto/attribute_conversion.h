// The typed attributes of instructions to and from HloInstructionProto: one loop over the schema of the attributes.
#ifndef XLA_CORE_PROTO_ATTRIBUTE_CONVERSION_H_
#define XLA_CORE_PROTO_ATTRIBUTE_CONVERSION_H_

#include "absl/status/status.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/proto/hlo.pb.h"
#include "xla_core/proto/large_literal.h"
#include "xla_core/proto/proto_warnings.h"

namespace xla {

// Gives `instruction`, which has its operands and its shape already, the attributes of its opcode. `elements` are those
// of its literal if they were taken out of `proto`. An error names the field.
absl::Status ReadAttributes(const halo::hlo::HloInstructionProto& proto, const EncodedElements& elements,
                            ProtoWarnings& warnings, HloInstruction* instruction);
// InvalidArgument if a value does not fit its field.
absl::Status WriteAttributes(const HloInstruction& instruction, halo::hlo::HloInstructionProto* proto);

}  // namespace xla

#endif  // XLA_CORE_PROTO_ATTRIBUTE_CONVERSION_H_
