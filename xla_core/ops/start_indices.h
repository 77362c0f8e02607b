// The start indices of dynamic-slice and dynamic-update-slice: one scalar per dimension or, in old files, one array of
// rank 1 with an entry per dimension.
#ifndef XLA_CORE_OPS_START_INDICES_H_
#define XLA_CORE_OPS_START_INDICES_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/types/shape.h"

namespace xla {

// The operands from `first` on are start indices for an array of `rank` dimensions, all of one integer type.
absl::Status CheckStartIndices(const HloInstruction& instruction, int first, int rank);

// Their values, each clamped to [0, sizes[d] - window[d]] (0 if the window is larger). Unsigned values count as
// unsigned, so that large ones clamp to the end.
DimensionVector ReadStartIndices(const OperandValues& operands, int first, absl::Span<const int64_t> sizes,
                                 absl::Span<const int64_t> window);

}  // namespace xla

#endif  // XLA_CORE_OPS_START_INDICES_H_
