// A while loop whose state is taken apart and put together in plain sight, and changes of it.
#ifndef PASSES_LOOPS_LOOP_PARTS_H_
#define PASSES_LOOPS_LOOP_PARTS_H_

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "passes/loops/tuple_elements.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Pointers into the module, valid until the loop or its computations change in another way than by the functions of
// this file.
struct LoopParts {
  HloInstruction* loop;
  HloComputation* condition;
  HloComputation* body;
  HloInstruction* condition_parameter;  // both parameters have no users but get-tuple-elements
  HloInstruction* body_parameter;
  HloInstruction* next;  // the root of the body, a tuple

  int size() const { return next->operand_count(); }
  // Element i of the first state if that is a tuple in plain sight, else nullptr.
  HloInstruction* Initial(int i) const;
  // The first value of what the body sees as `element`, a get-tuple-element of its parameter.
  HloInstruction* InitialOf(const HloInstruction& element) const;
  // Whether the body passes element i on unchanged.
  bool IsInvariant(int i) const;
};

// nullopt if the loop is not of this form, or has control edges or a sharding. Its computations may be called from
// elsewhere too: see MakeOwn.
absl::optional<LoopParts> FindLoopParts(HloInstruction* loop);

// Whether it is called several times, be it by one instruction.
bool IsShared(const HloComputation& computation);
// Makes sure that nothing else calls the computations of the loop, or a callee of any instruction, before it is changed
// for one of them: what is called several times is copied. False if a copy would not be small: it calls others itself.
bool MakeOwn(LoopParts& parts);
bool MakeOwn(HloInstruction* caller, int callee);

// Adds elements to the end of the state, which the body passes on unchanged and which begin as `values`. Returns the
// elements as the body sees them. Users of the loop's result see what they saw.
std::vector<HloInstruction*> AddInvariantElements(LoopParts& parts, absl::Span<HloInstruction* const> values);

}  // namespace xla

#endif  // PASSES_LOOPS_LOOP_PARTS_H_
