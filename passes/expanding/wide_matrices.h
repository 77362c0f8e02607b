// What the expansions of linear algebra share: batches of matrices, in the wide form too.
#ifndef PASSES_EXPANDING_WIDE_MATRICES_H_
#define PASSES_EXPANDING_WIDE_MATRICES_H_

#include <cstdint>

#include "passes/base/instruction_builder.h"
#include "passes/expanding/wide_math.h"

namespace xla {

// x as batch x rows x columns in the wide form.
WideArray WideMatrices(HloInstruction* x, const WideMath& math);
// The other way: to the dimensions and the type of `shape`.
HloInstruction* RoundMatrices(const WideArray& x, const Shape& shape, const WideMath& math);
// Every matrix of batch x rows x columns transposed; with `conjugated`, complex elements are conjugated.
HloInstruction* TransposeMatrices(HloInstruction* x, bool conjugated, InstructionBuilder& build);
WideArray TransposeMatrices(const WideArray& x, bool conjugated, const WideMath& math);
HloInstruction* ConjugateElements(HloInstruction* x, InstructionBuilder& build);
// batch x a x b times batch x b x c, or, with `rhs_transposed`, batch x c x b.
HloInstruction* MultiplyMatrices(HloInstruction* lhs, HloInstruction* rhs, bool rhs_transposed,
                                 InstructionBuilder& build);
// x / y as the processor's C++ divides f64 and c128, which for complex numbers means: scaled so that neither squares
// nor sums overflow, and with infinities where HLO's divide, by the textbook, has NaN.
WideArray DivideAsCpp(const WideArray& x, const WideArray& y, const WideMath& math);

}  // namespace xla

#endif  // PASSES_EXPANDING_WIDE_MATRICES_H_
