// Writes arrays of run-time sizes as arrays of their bounds beside scalars that hold the sizes.
#ifndef PASSES_EXPANDING_EXPAND_DYNAMIC_DIMENSIONS_H_
#define PASSES_EXPANDING_EXPAND_DYNAMIC_DIMENSIONS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Parameters of the entry with dynamic dimensions are taken apart by the custom call PadToStatic, results put together
// by SliceToDynamic, and everything in between has static shapes. While loops, conditionals and calls hand a tuple of
// the array and an s32 size for each of its dynamic dimensions over in place of a dynamic array.
//   - Elements past a size that would count, in sums, products and windows, are replaced by what changes nothing; for a
//     reducer without such an element they are marked, and it passes over them.
//   - Sorts put them last; scatters drop them; gathers and dynamic slices start within the sizes.
//   - Concatenate, reverse and reshapes move the valid elements to where they belong by gathers of computed positions.
// Known are elementwise operations, map, broadcast, transpose, iota, reshape, dynamic-reshape, slice, dynamic-slice,
// dynamic-update-slice, concatenate, pad, reverse, gather, scatter, sort, reduce, reduce-window, select-and-scatter,
// dot, convolution, get- and set-dimension-size, cholesky, triangular-solve and fft with dynamic batches, tuples,
// while, conditional, call and opt-barrier. What is not defined by the program, elements past a size and the results of
// windows that do not fit into what is valid, may come out differently.
// Anything else of dynamic shape (fusions, collectives, batch-norm, a second set-dimension-size of the same dimension,
// ...) is a border: SliceToDynamic makes its operands, PadToStatic takes its results apart, and a warning names the
// first one and the reason; with option unknown=fail it is an Unimplemented error. What a border calls stays as it is,
// and so do computations that fusions and reducers call.
absl::StatusOr<bool> ExpandDynamicDimensions(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_EXPAND_DYNAMIC_DIMENSIONS_H_
