// Reductions of several arrays by a function that selects: argmax and the like.
#ifndef PASSES_PARTITIONING_ORDERED_REDUCTION_H_
#define PASSES_PARTITIONING_ORDERED_REDUCTION_H_

#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// Whether a reduction gives the same if parts of its elements, in their order, are reduced first, each from the initial
// values, and then their results, in that order, in the same way:
//
//   f(f(f(f(init, a), b), c), d)  =  f(f(init, p), q)    p = f(f(init, a), b)    q = f(f(init, c), d)
//
// What a function of comparisons, logic and selections gives depends on how its arguments compare, and on nothing else.
// So the law is tried on arguments that compare in all ways in which three elements can, NaN and zeros of both signs
// among them: that is a proof. Initial values must be constants. Functions that compute, or compare what is not an
// argument, are not looked at.
bool IsRegroupedInOrder(const HloInstruction& reduce);

}  // namespace xla

#endif  // PASSES_PARTITIONING_ORDERED_REDUCTION_H_
