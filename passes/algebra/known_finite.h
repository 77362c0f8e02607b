// Whether an array is known to hold no infinity and no NaN, which zeros of other arrays could meet.
#ifndef PASSES_ALGEBRA_KNOWN_FINITE_H_
#define PASSES_ALGEBRA_KNOWN_FINITE_H_

#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// Integers, predicates, counting numbers and finite constants, moved about or not; constants are looked at up to a
// size. Not complex numbers.
bool IsKnownFinite(const HloInstruction& x);

}  // namespace xla

#endif  // PASSES_ALGEBRA_KNOWN_FINITE_H_
