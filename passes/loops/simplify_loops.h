// Makes loops and their states smaller.
#ifndef PASSES_LOOPS_SIMPLIFY_LOOPS_H_
#define PASSES_LOOPS_SIMPLIFY_LOOPS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// - A loop that makes no iteration is its initial state; one that makes a single iteration is its body.
// - State that the body passes on unchanged is, after the loop, what it was before; if it begins as constants, the
// loop
//   makes them itself.
// - Of two elements that begin equal and change alike one is enough; of two counters that begin at different constants
//   one is the other and a constant.
//   before: w = (s32[], f32[8]) while((i, x)), body hands x on     y = get-tuple-element(w), index=1   ... y ...
//   after:  ... x ...
// Elements that nothing needs any more stay in the state: remove-dead-code takes them out.
absl::StatusOr<bool> SimplifyLoops(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_LOOPS_SIMPLIFY_LOOPS_H_
