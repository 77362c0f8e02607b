// What a lowering needs to know of the function that a reduction, a window or a scatter combines with.
#ifndef BACKENDS_KERNEL_IR_LOWERING_KERNEL_REDUCER_H_
#define BACKENDS_KERNEL_IR_LOWERING_KERNEL_REDUCER_H_

#include <vector>

#include "absl/types/optional.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/types/literal.h"

namespace xla {

// If `op` is unset, the computation itself is applied to every pair of values, in order. `reorders` is only set if
// `op` is.
struct KernelReducer {
  // Set if it is one binary operation, with an identity, in types that sums are made in.
  absl::optional<HloOpcode> op;
  Literal neutral;  // of accumulator_type
  PrimitiveType accumulator_type = PRIMITIVE_TYPE_INVALID;
  bool reorders = false;  // another order than that of the indices is as good
};

// Whether taking in an element twice is as good as once: extrema, `and` and `or`.
bool MayRepeatElements(const KernelReducer& reducer);

// How values of `type` (the accumulator of the instruction's text) are combined by `computation`. Narrow floats
// are combined in f32 and rounded once.
KernelReducer AnalyzeReducer(const HloComputation& computation, PrimitiveType type);
// The same for a sum of products whose result is of `type`.
KernelReducer SumReducer(PrimitiveType type);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_KERNEL_REDUCER_H_
