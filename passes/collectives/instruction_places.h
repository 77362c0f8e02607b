// InstructionPlaces: where instructions stand in the list of their computation, for passes that move some of them.
//
// The list is the order in which a program runs, unless it is ordered again, and the order in which devices come
// to their meetings. A pass that adds and removes instructions gives each new one a place and has the list put in
// order: what has side effects, meetings among it, then follows the places exactly, and everything else as far as
// operands allow.
#ifndef PASSES_COLLECTIVES_INSTRUCTION_PLACES_H_
#define PASSES_COLLECTIVES_INSTRUCTION_PLACES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "passes/analyses/side_effects.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

class InstructionPlaces {
 public:
  // Between two neighbors of the list there is room for what goes next to either.
  static constexpr int64_t kStep = 4;
  // Of what was added and given none.
  static constexpr int64_t kNone = 0;

  // Of a tidy computation: the first instruction is at kStep, the next at twice that.
  explicit InstructionPlaces(HloComputation* computation);

  int64_t Of(const HloInstruction& instruction) const {
    const auto number = static_cast<size_t>(instruction.place());
    return number < places_.size() ? places_[number] : kNone;
  }
  void Set(const HloInstruction& instruction, int64_t place);
  // Whether the order of the instruction among others of its kind means something: it has side effects.
  bool IsOrdered(const HloInstruction& instruction) { return effects_.Has(instruction); }
  // Whether an ordered instruction at `place` or later must come before `instruction`, or is it.
  bool NeedsOrderedFrom(int64_t place, const HloInstruction& instruction);

  // Tidies the computation and orders it; instructions without a place go where operands and users let them. Among
  // equal places the older instruction comes first. Internal error if ordered ones depend on each other in another
  // order than that of their places.
  absl::Status Apply();

 private:
  HloComputation* const computation_;
  SideEffects effects_;
  std::vector<int64_t> places_;  // by HloInstruction::place()
};

}  // namespace xla

#endif  // PASSES_COLLECTIVES_INSTRUCTION_PLACES_H_
