// Writes arrays of run-time sizes as arrays of their bounds beside scalars that hold the sizes.
#ifndef PASSES_EXPANDING_EXPAND_DYNAMIC_DIMENSIONS_H_
#define PASSES_EXPANDING_EXPAND_DYNAMIC_DIMENSIONS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Parameters of the entry with dynamic dimensions are taken apart by the custom call PadToStatic, results put together
// by SliceToDynamic, and everything in between has static shapes: where elements past a size would count, in sums and
// products, they are replaced by what changes nothing. Known: elementwise operations, broadcast, transpose, reduce by
// one known operation, dot, get- and set-dimension-size, in the entry computation. A module with anything else of
// dynamic shape stays as it is, with a warning that names the instruction; with option unknown=fail it is an
// Unimplemented error.
absl::StatusOr<bool> ExpandDynamicDimensions(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_EXPAND_DYNAMIC_DIMENSIONS_H_
