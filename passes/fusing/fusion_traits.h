// What fusion needs to know of single operations: whether they can be part of a fused loop, what recomputing them
// costs, and how they read their operands.
#ifndef PASSES_FUSING_FUSION_TRAITS_H_
#define PASSES_FUSING_FUSION_TRAITS_H_

#include <cstdint>

#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// How a place in a fusion an operation may have.
enum class FusionRole {
  kNone,     // stays outside
  kMember,   // anywhere: an element of the result is computed from few elements of the operands, when it is asked for
  kReduce,   // a reduction: read through its result, it takes a loop of its own
  kProduct,  // dot, convolution, reduce-window: at most one in a fusion, which only its elementwise users join
  kRoot,     // only where the fusion writes: dynamic-update-slice, scatter, reductions of several operands
};
FusionRole FusionRoleOf(const HloInstruction& instruction);

// Whose value is known.
bool IsScalarConstant(const HloInstruction& instruction);
// Moves or makes elements without arithmetic worth counting: broadcast, reshape, slice, iota, convert, scalar constant
// ...
bool IsFreeToRepeat(const HloInstruction& instruction);
// A few cheap operations on iotas and scalar constants, which take no memory to compute again wherever elements are
// asked for; then index arithmetic sees where they lie.
bool IsCounted(const HloInstruction& instruction);
// Too much work to do twice: transcendental functions, divisions, reductions, products.
bool IsExpensive(const HloInstruction& instruction);

// How `user` reads its operand number `operand` relative to its own row-major order of elements.
enum class ReadOrder {
  kSame,     // the element of the same number; a scalar operand read by all is also this
  kPrefix,   // broadcast along trailing dimensions: elements in order, each for a whole row
  kReduced,  // a reduction of trailing dimensions: a whole row for each element
  kStrided,  // a reduction of other dimensions
  kMoved,    // each element at most once, in another order: transpose, slice, pad, concatenate ...
  kRepeated  // elements more than once: broadcast along leading dimensions, gather, windows
};
ReadOrder ReadOrderOf(const HloInstruction& user, int operand);

// An operand of a product that dequantizes: converts, scales and shifts of an integer array of at most 8 bits.
bool IsDequantization(const HloInstruction& instruction);

}  // namespace xla

#endif  // PASSES_FUSING_FUSION_TRAITS_H_
