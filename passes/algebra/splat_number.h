// What the equal elements of an array are, as numbers (passes/base/splat.h has them as literals).
#ifndef PASSES_ALGEBRA_SPLAT_NUMBER_H_
#define PASSES_ALGEBRA_SPLAT_NUMBER_H_

#include <cstdint>

#include "absl/types/optional.h"
#include "passes/base/instruction_builder.h"
#include "passes/base/splat.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// The element of a splat of a float type; exact.
absl::optional<double> SplatFloat(const HloInstruction& instruction);

// The bits of the element of a splat of integers or predicates, sign- or zero-extended to 64.
absl::optional<uint64_t> SplatBits(const HloInstruction& instruction);

// Whether all elements are this number: an integer (1 is all bits of s1, so never 1), a predicate (1 is true), a float
// with the sign of zero, or a complex number whose imaginary part is +0.
bool IsNumber(const HloInstruction& instruction, double number);
// 0 of integers, false, +0 or -0 of floats, any of the four zeros of complex numbers.
bool IsAnyZero(const HloInstruction& instruction);
// What adding leaves any number as it is: 0 of integers, false, -0 of floats, (-0, -0) of complex types. Also +0 if the
// type has no -0.
bool IsNeutralZero(const HloInstruction& instruction);
// All bits of integers set, or true.
bool IsAllOnes(const HloInstruction& instruction);

// A splat of an integer type, of the low bits of `bits`, or of PRED (anything but 0 is true).
HloInstruction* SplatOfBits(InstructionBuilder& build, const Shape& shape, uint64_t bits);

// Known when the program is made, or the broadcast of such: what belongs on the right side of operations.
bool IsConstantLike(const HloInstruction& instruction);

// Whether the type has a -0 that differs from +0.
bool HasNegativeZero(PrimitiveType type);
// f16, bf16, f32, f64: with infinities, NaN, both zeros and denormals.
bool IsIeeeFloat(PrimitiveType type);
// Floats for which the laws of real numbers hold as far as rounding lets them: all but f8e8m0fnu, which has neither
// sign nor zero.
bool IsSignedFloat(PrimitiveType type);
// All of pred and integers.
inline bool IsPredOrInt(PrimitiveType type) { return type == PRED || IsInt(type); }

}  // namespace xla

#endif  // PASSES_ALGEBRA_SPLAT_NUMBER_H_
