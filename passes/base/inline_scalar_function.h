// Applies a function of scalars to whole arrays.
#ifndef PASSES_BASE_INLINE_SCALAR_FUNCTION_H_
#define PASSES_BASE_INLINE_SCALAR_FUNCTION_H_

#include <vector>

#include "absl/types/span.h"
#include "passes/base/instruction_builder.h"

namespace xla {

// Whether InlineScalarFunction can write `function`, whose parameters are scalars, as operations on arrays: all that it
// does is elementwise on scalars (calls of such functions are not), and its results are scalars, or a tuple of them.
bool CanInlineScalarFunction(const HloComputation& function);

// Adds what `function` does with each element of the arguments, which are arrays of the dimensions of `shape`, and
// returns its results: one, or the elements of its tuple. Constants are broadcast.
//   Precondition: CanInlineScalarFunction, and arguments of the types of the parameters.
std::vector<HloInstruction*> InlineScalarFunction(const HloComputation& function,
                                                  absl::Span<HloInstruction* const> arguments, const Shape& shape,
                                                  InstructionBuilder& build);

}  // namespace xla

#endif  // PASSES_BASE_INLINE_SCALAR_FUNCTION_H_
