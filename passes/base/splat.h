// Arrays whose elements are all the same known value: constants, and broadcasts of them.
#ifndef PASSES_BASE_SPLAT_H_
#define PASSES_BASE_SPLAT_H_

#include <cstdint>

#include "absl/types/optional.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/types/literal.h"

namespace xla {

// The value of a constant instruction; nullptr for others and for elided constants.
const Literal* ConstantValue(const HloInstruction& instruction);

// The scalar that all elements of the array are, bit for bit: a constant of equal elements, or a broadcast, reshape or
// transpose of one. nullopt also for arrays without elements. Costs a look at the elements up to the first that
// differs.
absl::optional<Literal> SplatValue(const HloInstruction& instruction);

// Whether both are one instruction, or their elements are all the same known value, bit for bit.
bool SameValue(const HloInstruction& a, const HloInstruction& b);

// Whether all elements are `value`, which means its bits: 0 is +0 and not -0; for complex types the imaginary part is
// +0.
bool IsSplatOf(const HloInstruction& instruction, int64_t value);
// -0.0 of a float type, or both parts of a complex one.
bool IsSplatOfNegativeZero(const HloInstruction& instruction);
// The value of an integer or predicate scalar constant (or splat), if it fits.
absl::optional<int64_t> SplatInteger(const HloInstruction& instruction);

}  // namespace xla

#endif  // PASSES_BASE_SPLAT_H_
