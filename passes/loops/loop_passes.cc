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
       "takes the branch of a constant selector, and computes and selects where branches are cheap",
       &SimplifyConditionals,
       {{"max-branches", Kind::kInt, "4", "branches that may all be computed"},
        {"max-instructions", Kind::kInt, "12", "instructions of them all, without tuples and constants"},
        {"max-bytes", Kind::kInt, "65536", "what these instructions write"}}},
      {"hoist-common-code",
       "does once, before or after a conditional, what all of its branches do first or last",
       &HoistCommonCode,
       {{"max-elements", Kind::kInt, "64", "elements of the tuple that a branch is given"},
        {"max-bytes", Kind::kInt, "67108864", "a value of more bytes is computed in the branches"},
        {"max-copied-instructions", Kind::kInt, "64", "of branches that are called from elsewhere too"}},
       "tuples taken apart directly (simplify-tuples)",
       "elements that nobody needs, for remove-dead-code"},
      {"simplify-loops",
       "removes loops of no or one turn, and state that is invariant, constant or there twice",
       &SimplifyLoops,
       {},
       "tuples taken apart directly (simplify-tuples)",
       "state that nobody needs, for remove-dead-code"},
      {"hoist-loop-invariants",
       "computes before a loop what is the same in every turn",
       &HoistLoopInvariants,
       {{"max-bytes", Kind::kInt, "67108864", "what all new elements of a loop's state hold together"}}},
      {"batch-loop-products",
       "computes small products of slices of an array before a loop, all at once",
       &BatchLoopProducts,
       {{"max-rows", Kind::kInt, "128", "rows of the slice that a turn multiplies"},
        {"max-bytes", Kind::kInt, "67108864", "what the product of all slices holds"}}},
      {"unroll-loops",
       "writes short loops out",
       &UnrollLoops,
       {{"max-turns", Kind::kInt, "8", "turns of a loop that is written out"},
        {"max-instructions", Kind::kInt, "64", "instructions of all turns together, without tuples and constants"}}},
  };
  return *passes;
}

}  // namespace xla
