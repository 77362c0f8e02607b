// The order of the instructions of a computation: sets it, and says whether it is chosen already.
#ifndef PASSES_MEMORY_INSTRUCTION_ORDER_H_
#define PASSES_MEMORY_INSTRUCTION_ORDER_H_

#include "absl/types/span.h"
#include "xla_core/ir/hlo_computation.h"

namespace xla {

// `order` has every instruction of the tidy computation once, operands and control predecessors before what needs them.
void SetInstructionOrder(absl::Span<HloInstruction* const> order, HloComputation* computation);

// Whether it begins what other devices do while it runs: then the order says what runs meanwhile, and stays.
bool OrderSaysWhatRunsMeanwhile(const HloComputation& computation);

}  // namespace xla

#endif  // PASSES_MEMORY_INSTRUCTION_ORDER_H_
