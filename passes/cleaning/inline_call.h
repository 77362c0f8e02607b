// Puts the body of a computation in the place of an instruction that calls it.
#ifndef PASSES_CLEANING_INLINE_CALL_H_
#define PASSES_CLEANING_INLINE_CALL_H_

#include "absl/types/span.h"
#include "passes/analyses/side_effects.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Whether a copy of `body`, run on `arguments`, can stand for `call`: no control edges or sharding at the call, and
// shapes that agree but for layouts.
bool CanInline(const HloInstruction& call, const HloComputation& body, absl::Span<HloInstruction* const> arguments);

// Does it, and removes `call`. Side effects keep their order, those of the caller and of the body. CanInline must
// hold. Returns what stands for the call now.
HloInstruction* InlineCall(HloInstruction* call, const HloComputation& body,
                           absl::Span<HloInstruction* const> arguments, SideEffects& effects);

}  // namespace xla

#endif  // PASSES_CLEANING_INLINE_CALL_H_
