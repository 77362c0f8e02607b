// Whether an instruction must run although its result is unused.
#ifndef XLA_CORE_OPS_SIDE_EFFECTS_H_
#define XLA_CORE_OPS_SIDE_EFFECTS_H_

#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// Side effects of the instruction itself, apart from those of what it calls; and every meeting with other devices,
// which must happen on all of them alike, with the end of one that was
// started.
bool HasOwnSideEffect(const HloInstruction& instruction);

}  // namespace xla

#endif  // XLA_CORE_OPS_SIDE_EFFECTS_H_
