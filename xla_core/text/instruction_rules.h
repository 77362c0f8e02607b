// What single opcodes ask of their text beyond their attributes' own syntax, and what they fill in.
#ifndef XLA_CORE_TEXT_INSTRUCTION_RULES_H_
#define XLA_CORE_TEXT_INSTRUCTION_RULES_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/text/token_reader.h"

namespace xla {

// The text names of the computations that an instruction with these operands calls, in order, as in
// OpDefinition::called_computations. For `conditional` the type of operand 0 decides; *error is set if it can be
// neither form.
std::vector<std::string> CalledComputationNames(const HloInstruction& instruction, std::string* error);

// Checks and completes a freshly read instruction. `seen` says whether an attribute was written. Returns what is wrong,
// or nothing.
std::string CompleteInstruction(HloInstruction* instruction, bool shape_written,
                                const std::function<bool(absl::string_view)>& seen);

// An attribute that releases before today's wrote, or that means nothing, for the given opcode: reads and drops its
// value, or keeps it in today's place. *known is false if there is no such attribute. Called after the name.
bool ParseOldAttribute(TokenReader& reader, absl::string_view name, HloInstruction* instruction, bool* known);
// Whether ParseOldAttribute knows it.
bool IsOldAttribute(HloOpcode opcode, absl::string_view name);

// Whether result_accuracy= may be written: on the transcendental elementwise operations.
bool MayHaveResultAccuracy(HloOpcode opcode);

}  // namespace xla

#endif  // XLA_CORE_TEXT_INSTRUCTION_RULES_H_
