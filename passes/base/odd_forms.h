// Forms that are allowed but odd, of which the verifier warns. The pass standardize-forms writes them as ordinary ones;
// rules of other passes do not see them (rewrite_rule.h).
#ifndef PASSES_BASE_ODD_FORMS_H_
#define PASSES_BASE_ODD_FORMS_H_

#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// The result for one array is a tuple of it: of a reduction, a sort, a scatter or a collective operation.
bool GivesTupleOfOne(const HloInstruction& instruction);
// A scatter of one array whose function gives a tuple.
bool CombinesToTuple(const HloInstruction& scatter);
// A reduce or reduce-window whose arrays, initial values or results are of another type than its function's.
bool ReducesInOtherType(const HloInstruction& reduction);
// A reduce-window or select-and-scatter.
bool HasReversedWindow(const HloInstruction& instruction);
bool SelectsTuple(const HloInstruction& select);
// A product of numbers with predicates, or of complex numbers with real ones.
bool MultipliesKinds(const HloInstruction& product);
// A product of integers of which one is wider than the result.
bool SumsNarrowly(const HloInstruction& product);
// A comparison as if the operands were of another type.
bool ComparesAsOtherType(const HloInstruction& compare);
// A bitcast-convert between complex and real numbers.
bool BitcastsParts(const HloInstruction& bitcast_convert);

// Any of these.
bool IsOddForm(const HloInstruction& instruction);

}  // namespace xla

#endif  // PASSES_BASE_ODD_FORMS_H_
