// Whether an asynchronous operation can be printed as sugar, such as `all-reduce-start`.
#ifndef XLA_CORE_TEXT_ASYNC_SUGAR_PRINTER_H_
#define XLA_CORE_TEXT_ASYNC_SUGAR_PRINTER_H_

#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// The instruction that the chain of an async-start, -update or -done wraps, if `OPCODE-start(...)` says all there is to
// say: the wrapped computation holds it and its parameters in order, and nothing that the start does not repeat. Else
// nullptr.
const HloInstruction* SugaredInstruction(const HloInstruction& async);

}  // namespace xla

#endif  // XLA_CORE_TEXT_ASYNC_SUGAR_PRINTER_H_
