// Operations that do the same to arrays whose dimensions are in another order.
#ifndef PASSES_ALGEBRA_REORDERED_OPERATION_H_
#define PASSES_ALGEBRA_REORDERED_OPERATION_H_

#include "absl/types/span.h"
#include "passes/base/instruction_builder.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// `place` is where each dimension goes: dimension d of an array becomes dimension place[d] of the same array in the
// other order. So transpose(other, place) is the array, and transpose(array, InversePermutation(place)) the other.

// Whether the operation can be done in the other order, of operands in that order to a result in that order: it has as
// many dimensions, and so do its operands but for scalars, and it combines elements in the same order as before.
// Elementwise operations, pad, slice, reverse, concatenate, and reduce-window of one array.
bool CanReorder(const HloInstruction& operation, const DimensionVector& place);
// That, on these operands.
HloInstruction* Reordered(const HloInstruction& operation, const DimensionVector& place,
                          absl::Span<HloInstruction* const> operands, InstructionBuilder& build);

// Whether an operation can read its operand i in the other order and still yield the same result: a reduction of one
// array that finds dimensions in the same order, or a dot along one dimension.
bool CanReadReordered(const HloInstruction& operation, int i, const DimensionVector& place);
// That, with `reordered` as operand i.
HloInstruction* ReadingReordered(const HloInstruction& operation, int i, const DimensionVector& place,
                                 HloInstruction* reordered, InstructionBuilder& build);

// Whether x is a dot, or one except for dimensions of size 1, that yields the other order with its operands exchanged.
bool IsReorderedByExchange(const HloInstruction& x, const DimensionVector& place);
// That, of the dot, where x has this shape.
HloInstruction* WithExchangedOperands(const HloInstruction& dot, const Shape& shape, const DimensionVector& place,
                                      InstructionBuilder& build);

}  // namespace xla

#endif  // PASSES_ALGEBRA_REORDERED_OPERATION_H_
