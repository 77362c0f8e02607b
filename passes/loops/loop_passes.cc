#include "passes/loops/loop_passes.h"

#include <vector>

#include "passes/loops/batch_loop_products.h"
#include "passes/loops/hoist_common_code.h"
#include "passes/loops/hoist_loop_invariants.h"
#include "passes/loops/simplify_conditionals.h"
#include "passes/loops/simplify_loops.h"
#include "passes/loops/unroll_loops.h"

namespace xla {

absl::Span<const Pass> LoopPasses() {
  using Kind = PassOption::Kind;
  static const auto* const passes = new std::vector<Pass>{
      {"simplify-conditionals",
       "Replace a conditional by the branch of its constant selector, or by a select of branches that are cheap",
       &SimplifyConditionals,
       {{"max-branches", Kind::kInt, "4", "most branches to compute all of"},
        {"max-instructions", Kind::kInt, "12", "most instructions in them, not counting tuples and constants"},
        {"max-bytes", Kind::kInt, "65536", "most bytes that these instructions write"}}},
      {"hoist-common-code",
       "Hoist what all branches of a conditional compute first, or last, out of it",
       &HoistCommonCode,
       {{"max-elements", Kind::kInt, "64", "most elements of the tuple that is passed to a branch"},
        {"max-bytes", Kind::kInt, "67108864", "do not hoist larger values, in bytes"},
        {"max-copied-instructions", Kind::kInt, "64", "most instructions to copy if a branch has other callers"}},
       "elements of tuples read directly (simplify-tuples)",
       "unused elements are left for remove-dead-code"},
      {"simplify-loops",
       "Remove loops of at most one iteration, and loop state that is invariant, constant or duplicated",
       &SimplifyLoops,
       {},
       "elements of tuples read directly (simplify-tuples)",
       "unused state is left for remove-dead-code"},
      {"hoist-loop-invariants",
       "Hoist loop-invariant instructions out of loops",
       &HoistLoopInvariants,
       {{"max-bytes", Kind::kInt, "67108864", "do not hoist larger values, in bytes"}}},
      {"batch-loop-products",
       "Replace small products of slices in a loop by one large product before it",
       &BatchLoopProducts,
       {{"max-rows", Kind::kInt, "128", "most rows of the slice that an iteration multiplies"},
        {"max-bytes", Kind::kInt, "67108864", "most bytes of the product of all slices"}}},
      {"unroll-loops",
       "Unroll short loops",
       &UnrollLoops,
       {{"max-iterations", Kind::kInt, "8", "most iterations of a loop to unroll"},
        {"max-instructions", Kind::kInt, "64",
         "most instructions of all iterations together, not counting tuples and constants"}}},
  };
  return *passes;
}

}  // namespace xla
