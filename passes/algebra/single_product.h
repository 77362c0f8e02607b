// A product that is not a sum: what a dot or convolution comes to where there is one product for each result.
#ifndef PASSES_ALGEBRA_SINGLE_PRODUCT_H_
#define PASSES_ALGEBRA_SINGLE_PRODUCT_H_

#include "passes/base/instruction_builder.h"

namespace xla {

// Whether SingleProduct has a way to multiply elements of types `a` and `b` for a result of `type`: all of one type, or
// of two that `type` holds exactly. Not complex numbers, whose multiplication has other rules for infinities.
bool HasSingleProduct(PrimitiveType a, PrimitiveType b, PrimitiveType type);

// x * y, arrays of equal dimensions, as elements of `type`, rounded once. A sum begins with +0, so a product of floats
// that is -0 becomes +0.
HloInstruction* SingleProduct(HloInstruction* x, HloInstruction* y, PrimitiveType type, InstructionBuilder& build);

}  // namespace xla

#endif  // PASSES_ALGEBRA_SINGLE_PRODUCT_H_
