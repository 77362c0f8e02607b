// What may leave the body of a loop or the branches of a conditional.
#ifndef PASSES_LOOPS_MOVABLE_WORK_H_
#define PASSES_LOOPS_MOVABLE_WORK_H_

#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// Worth an element of the state: everything but what moves or makes elements for nothing.
bool IsWork(HloOpcode opcode);

// Operations on arrays of known size that are the same wherever they run: no control flow, nothing from outside.
bool MayMove(const HloInstruction& instruction);

}  // namespace xla

#endif  // PASSES_LOOPS_MOVABLE_WORK_H_
