// Takes small products of slices out of loops, as one product of the whole array.
#ifndef PASSES_LOOPS_BATCH_LOOP_PRODUCTS_H_
#define PASSES_LOOPS_BATCH_LOOP_PRODUCTS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// The inputs of a recurrent network are multiplied with the same weights iteration by iteration: few rows each time, so
// that the product reads all weights for little arithmetic. Before the loop, one product does it for all iterations.
//   before: body: x = dynamic-slice(xs, i, 0), sizes={1,256}  y = dot(x, w)     xs, w passed on
//   after:  ys = dot(xs, w) before the loop, body: y = dynamic-slice(ys, i, 0), sizes={1,1024}
// The start index stays as it is, and what it is clamped to. There is no more arithmetic than before, because the loop
// is known to make as many iterations at least as there are slices.
absl::StatusOr<bool> BatchLoopProducts(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_LOOPS_BATCH_LOOP_PRODUCTS_H_
