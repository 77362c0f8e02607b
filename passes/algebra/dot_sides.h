// A dot by its operands: which dimensions of each are batch, contracting and free.
#ifndef PASSES_ALGEBRA_DOT_SIDES_H_
#define PASSES_ALGEBRA_DOT_SIDES_H_

#include <cstdint>

#include "absl/types/span.h"
#include "passes/base/instruction_builder.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// The dimensions of one operand, each in the order in which they count for the dot.
struct DotSide {
  DimensionVector batch, contracting, free;
};

DotSide SideOf(const HloInstruction& dot, int operand);

// Where the free dimensions of operand `i` begin among those of the result.
int64_t FirstFreeOf(int i, const DotSide sides[2]);

// Whether sums of parts may be added up afterwards: exactly so, or as the same sum in another order.
bool MayAddParts(const HloInstruction& dot);

// The same dot of other operands and dimensions; `dimensions` are those of the result.
HloInstruction* MakeDot(const HloInstruction& like, HloInstruction* lhs, const DotSide& left, HloInstruction* rhs,
                        const DotSide& right, absl::Span<const int64_t> dimensions, InstructionBuilder& build);

}  // namespace xla

#endif  // PASSES_ALGEBRA_DOT_SIDES_H_
