// Joins operations into fusions.
#ifndef PASSES_FUSING_FUSE_H_
#define PASSES_FUSING_FUSE_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Replaces groups of instructions by fusions, whose bodies hold them, so that values that nothing else needs are never
// written: elementwise operations and data movement (kind loop), with reductions and the rows that they go over (kind
// input), and with one dot, convolution or reduce-window and its epilogue (kind output).
//   before: e = f32[8] exponential(x)  s = f32[8] add(e, y)     after: s = f32[8] fusion(x, y), kind=kLoop, calls=f
// fusion_clusters.h says how the groups are found. The order of sums is not changed. Computations that operations apply
// element by element, and fusions that are there, stay as they are.
absl::StatusOr<bool> Fuse(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_FUSING_FUSE_H_
