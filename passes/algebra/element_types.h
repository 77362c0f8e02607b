// What the rules ask about the element type of an array.
#ifndef PASSES_ALGEBRA_ELEMENT_TYPES_H_
#define PASSES_ALGEBRA_ELEMENT_TYPES_H_

#include "passes/algebra/splat_number.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

inline PrimitiveType TypeOf(const HloInstruction& x) { return x.shape().element_type(); }
// Its arithmetic wraps around and is exact.
inline bool IsIntegral(const HloInstruction& x) { return IsInt(TypeOf(x)); }
// Its arithmetic rounds, and has signed zeros, infinities and NaNs.
inline bool IsInexact(const HloInstruction& x) { return IsSignedFloat(TypeOf(x)) || IsComplex(TypeOf(x)); }

}  // namespace xla

#endif  // PASSES_ALGEBRA_ELEMENT_TYPES_H_
