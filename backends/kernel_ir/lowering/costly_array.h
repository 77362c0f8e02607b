// What it takes to compute an element of an array, as far as a planner needs to know before it has written a draft.
#ifndef BACKENDS_KERNEL_IR_LOWERING_COSTLY_ARRAY_H_
#define BACKENDS_KERNEL_IR_LOWERING_COSTLY_ARRAY_H_

#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// Operations that combine many elements into one.
bool IsFold(HloOpcode opcode);

// Whether an element of the array is more expensive to compute than to keep. What is computed once for several elements
// does not count.
bool IsCostly(const HloInstruction& instruction);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_COSTLY_ARRAY_H_
