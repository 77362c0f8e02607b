// Applies a function of scalars, control flow and all, to every element of arrays at once.
#ifndef PASSES_EXPANDING_LIFT_SCALAR_FUNCTION_H_
#define PASSES_EXPANDING_LIFT_SCALAR_FUNCTION_H_

#include "absl/types/span.h"
#include "passes/base/instruction_builder.h"

namespace xla {

// Whether LiftScalarFunction can write `function`: all its values are scalars and tuples of them, made by elementwise
// operations, calls, conditionals and while loops, and written out it is not very long.
bool CanLiftScalarFunction(const HloComputation& function);

// Adds what `function`, which returns a scalar, does with each element of the arguments, arrays of the dimensions of
// `shape`. A conditional becomes a choice between the results of all its branches. A while loop runs as long as any
// element needs another iteration; those that are done keep their state.
//   Precondition: CanLiftScalarFunction, and arguments of the types of the parameters.
HloInstruction* LiftScalarFunction(const HloComputation& function, absl::Span<HloInstruction* const> arguments,
                                   const Shape& shape, InstructionBuilder& build);

}  // namespace xla

#endif  // PASSES_EXPANDING_LIFT_SCALAR_FUNCTION_H_
