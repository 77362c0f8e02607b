// Computes with narrow floats in f32.
#ifndef PASSES_PRECISION_NORMALIZE_NARROW_FLOATS_H_
#define PASSES_PRECISION_NORMALIZE_NARROW_FLOATS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Arithmetic on floats narrower than f32 becomes arithmetic on f32 between converts, with the rounding after each
// operation that the interpreter has: bit for bit in elementwise operations, comparisons, and reducers applied as
// written. Sums in reduce, reduce-window, dot and convolution are made and rounded in f32 and then rounded to the type.
// Option types: which ones; all if empty. Data still moves in its own type, and TOTALORDER compares patterns.
// Left alone: what works on the type itself (reduce-precision, stochastic-convert, rng), and expandable operations.
absl::StatusOr<bool> NormalizeNarrowFloats(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_PRECISION_NORMALIZE_NARROW_FLOATS_H_
