// SourceLineOf: where an instruction comes from.
#ifndef XLA_CORE_IR_SOURCE_LINE_H_
#define XLA_CORE_IR_SOURCE_LINE_H_

#include <string>

#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// "model.py:12" of the line that made the instruction, from its own metadata or from the module's stack frames; empty
// if neither says.
std::string SourceLineOf(const HloInstruction& instruction);

}  // namespace xla

#endif  // XLA_CORE_IR_SOURCE_LINE_H_
