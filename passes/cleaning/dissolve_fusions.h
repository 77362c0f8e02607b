// The passes dissolve-small-fusions and unfuse.
#ifndef PASSES_CLEANING_DISSOLVE_FUSIONS_H_
#define PASSES_CLEANING_DISSOLVE_FUSIONS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Puts the one operation of a fusion that has no more, or the parameter that it passes on, in its place.
//   before: f = f32[4] fusion(x), calls=g, where g returns copy(its parameter)     after: f = f32[4] copy(x)
// So it does with all operations of a fusion that concatenates dozens of arrays, or that has hundreds of operands or
// results.
// Custom fusions, those that say which memory they share, and those with control edges stay.
absl::StatusOr<bool> DissolveFusions(HloModule& module, PassContext& context);

// Replaces fusions by their bodies, however large they are; with the same exceptions. For tests, and to
// compare what is computed with and without fusion.
absl::StatusOr<bool> Unfuse(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_CLEANING_DISSOLVE_FUSIONS_H_
