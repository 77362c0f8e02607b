// What the expansions of linear algebra share: batches of matrices in the type that the interpreter computes in.
#ifndef PASSES_EXPANDING_WIDE_MATRICES_H_
#define PASSES_EXPANDING_WIDE_MATRICES_H_

#include <cstdint>

#include "passes/base/instruction_builder.h"

namespace xla {

// F64 for floats, C128 for complex types.
PrimitiveType WideType(PrimitiveType type);
// x as batch x rows x columns in the wide type.
HloInstruction* WideMatrices(HloInstruction* x, InstructionBuilder& build);
// The other way: to the dimensions and the type of `shape`.
HloInstruction* RoundMatrices(HloInstruction* x, const Shape& shape, InstructionBuilder& build);
// Every matrix of batch x rows x columns transposed; with `conjugated`, complex elements are conjugated.
HloInstruction* TransposeMatrices(HloInstruction* x, bool conjugated, InstructionBuilder& build);
HloInstruction* ConjugateElements(HloInstruction* x, InstructionBuilder& build);
// batch x a x b times batch x b x c, or, with `rhs_transposed`, batch x c x b.
HloInstruction* MultiplyMatrices(HloInstruction* lhs, HloInstruction* rhs, bool rhs_transposed,
                                 InstructionBuilder& build);
// x / y of f64 or c128 as the processor's C++ divides, which for complex numbers means: scaled so that neither squares
// nor sums overflow, and with infinities where HLO's divide, by the textbook, has NaN.
HloInstruction* DivideAsCpp(HloInstruction* x, HloInstruction* y, InstructionBuilder& build);

}  // namespace xla

#endif  // PASSES_EXPANDING_WIDE_MATRICES_H_
