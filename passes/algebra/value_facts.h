// What is known of the elements of an array from the few instructions that it comes from.
//
// Each function looks at most a few operands deep, so that asking costs little, and says no when it does not know.
#ifndef PASSES_ALGEBRA_VALUE_FACTS_H_
#define PASSES_ALGEBRA_VALUE_FACTS_H_

#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// low <= element <= high, in a type that holds every integer of HLO and sums of them.
struct IntRange {
  __int128 low = 0;
  __int128 high = 0;
  bool Contains(const IntRange& other) const { return low <= other.low && other.high <= high; }
};
// Of an integer type, or of PRED (0 to 1).
IntRange IntRangeOfType(PrimitiveType type);
// Of an array of integers or predicates; at worst that of its type.
IntRange IntRangeOf(const HloInstruction& instruction);

// No element of this float array has a sign: none is negative or -0, though any may be NaN.
bool SignIsClear(const HloInstruction& instruction);
// No element of this float array is -0.
bool NeverNegativeZero(const HloInstruction& instruction);
// No element of this float array is NaN.
bool NeverNan(const HloInstruction& instruction);

}  // namespace xla

#endif  // PASSES_ALGEBRA_VALUE_FACTS_H_
