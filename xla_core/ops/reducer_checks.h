// What reduce and reduce-window have in common: n arrays, then n scalar initial values, and a reducer
// (acc_0 .. acc_n-1, x_0 .. x_n-1) -> (acc_0 .. acc_n-1).
#ifndef XLA_CORE_OPS_REDUCER_CHECKS_H_
#define XLA_CORE_OPS_REDUCER_CHECKS_H_

#include <vector>

#include "absl/status/status.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/types/shape.h"

namespace xla {

// Arrays that a reduce or reduce-window reduces together.
inline int ReducedArrayCount(const HloInstruction& instruction) { return instruction.operand_count() / 2; }

// The operands must be n arrays of equal dimensions and n more.
absl::Status CheckReducedArrays(const HloInstruction& instruction);

// Whether the result is a tuple of arrays: it is for several, and for one whose reducer gives a tuple.
bool GivesTuple(const HloInstruction& instruction);

// The element types of the accumulators, in which the reducer works: those of the operands, except that a float operand
// may be reduced in another float type, that of the reducer's result.
std::vector<PrimitiveType> AccumulatorTypes(const HloInstruction& instruction);

// The element types of the results: those of the accumulators, or if these are floats any float types, as written.
std::vector<PrimitiveType> ReducedTypes(const HloInstruction& instruction);

// Initial values must be scalars of the accumulators' types, or of any float types for floats, and the reducer must
// work on the accumulators. Warns if anything is of another type than they are. Expects CheckReducedArrays to hold.
void CheckReducer(const HloInstruction& instruction, Violations& violations);

}  // namespace xla

#endif  // XLA_CORE_OPS_REDUCER_CHECKS_H_
