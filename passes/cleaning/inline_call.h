// Replaces an instruction by the body of the computation that it calls.
#ifndef PASSES_CLEANING_INLINE_CALL_H_
#define PASSES_CLEANING_INLINE_CALL_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "passes/analyses/side_effects.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Whether a copy of `body`, run on `arguments`, can stand for `call`: no control edges or sharding at the call, and
// shapes that agree except for layouts.
bool CanInline(const HloInstruction& call, const HloComputation& body, absl::Span<HloInstruction* const> arguments);

// Puts bodies in place of several calls of one computation, also of calls that come in with such a body. Side
// effects keep their order, those of the caller and of the bodies: between the first Inline and Finish nothing else may
// change the caller.
class CallInliner {
 public:
  CallInliner(HloComputation* caller, SideEffects& effects) : caller_(caller), effects_(effects) {}

  // CanInline must hold. Removes `call`, adds the copies to the end of the caller's instructions, and returns what
  // stands for the call now.
  HloInstruction* Inline(HloInstruction* call, const HloComputation& body, absl::Span<HloInstruction* const> arguments);
  // Brings the effects of all bodies to their places.
  void Finish();

 private:
  HloComputation* const caller_;
  SideEffects& effects_;
  // What has an effect, in order, before the first body that has one came in; and what stands for calls among them.
  std::vector<HloInstruction*> effectful_;
  absl::flat_hash_map<const HloInstruction*, std::vector<HloInstruction*>> stands_for_;
};

// Does it for one call, and removes `call`. Side effects keep their order, those of the caller and of the body.
// CanInline must hold. Returns what stands for the call now.
HloInstruction* InlineCall(HloInstruction* call, const HloComputation& body,
                           absl::Span<HloInstruction* const> arguments, SideEffects& effects);

}  // namespace xla

#endif  // PASSES_CLEANING_INLINE_CALL_H_
