// Writes topk as a sort.
#ifndef PASSES_EXPANDING_EXPAND_TOPK_H_
#define PASSES_EXPANDING_EXPAND_TOPK_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// topk(x), k=K becomes the first K columns of a stable sort of x and of the positions, best first. Floats are compared
// by total order, as topk does, so NaN is the largest. The custom call TopK too.
//
// The custom call ApproxTopK becomes the same of a stable sort by its own comparator, which is exact; so does TopK
// whose comparator is another than less or greater. With the option comparators-only nothing else changes.
absl::StatusOr<bool> ExpandTopK(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_EXPAND_TOPK_H_
