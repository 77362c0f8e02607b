#include "passes/cleaning/cleaning_passes.h"

#include <vector>

#include "passes/cleaning/dissolve_fusions.h"
#include "passes/cleaning/flatten_call_graph.h"
#include "passes/cleaning/fold_constants.h"
#include "passes/cleaning/inline_calls.h"
#include "passes/cleaning/merge_equal.h"
#include "passes/cleaning/place_barriers.h"
#include "passes/cleaning/remove_barriers.h"
#include "passes/cleaning/remove_dead_code.h"
#include "passes/cleaning/remove_dead_collectives.h"
#include "passes/cleaning/remove_no_ops.h"
#include "passes/cleaning/remove_zero_sized.h"
#include "passes/cleaning/share_constants.h"
#include "passes/cleaning/simplify_tuples.h"

namespace xla {

absl::Span<const Pass> CleaningPasses() {
  using Kind = PassOption::Kind;
  static const auto* const passes = new std::vector<Pass>{
      {"remove-dead-code", "Remove instructions, parameters, tuple elements and computations without users",
       &RemoveDeadCode},
      {"merge-equal", "Merge equal instructions", &MergeEqual},
      {"fold-constants",
       "Evaluate instructions whose operands are constants",
       &FoldConstants,
       {{"max-bytes", Kind::kInt, "67108864", "do not compute larger results, in bytes"},
        {"small-bytes", Kind::kInt, "1024", "results up to this size, in bytes, may be larger than their operands"},
        {"max-work", Kind::kInt, "100000000", "limit of scalar operations in one step, estimated"},
        {"max-seconds", Kind::kInt, "10", "limit of one step, in case the estimate of its work is far too low"}}},
      {"simplify-tuples",
       "Replace elements of tuples by the values that the tuples are built from",
       &SimplifyTuples,
       {},
       "",
       "",
       &SimplifyTuplesRules},
      {"inline-calls",
       "Inline called computations",
       &InlineCalls,
       {{"single-call-site", Kind::kBool, "false", "inline only computations with a single caller"},
        {"max-instructions", Kind::kInt, "10000", "largest computation to inline into several callers"}}},
      {"flatten-call-graph", "Copy computations so that each call, loop and conditional has its own",
       &FlattenCallGraph},
      {"place-barriers",
       "Insert optimization barriers around chosen instructions, so that other passes leave them alone",
       &PlaceBarriers,
       {{"instructions", Kind::kList, "", "names of the instructions: a+b+.."}}},
      {"remove-barriers", "Remove optimization barriers, at the end of a pipeline", &RemoveBarriers},
      {"remove-zero-sized", "Replace arrays without elements by constants", &RemoveZeroSized},
      {"remove-dead-collectives", "Remove collectives that have no users, change nothing or repeat another",
       &RemoveDeadCollectives},
      {"remove-no-ops",
       "Remove copies, domains and dependencies that do nothing",
       &RemoveNoOps,
       {},
       "copies that keep buffers apart have not been inserted",
       "",
       &RemoveNoOpsRules},
      {"share-constants",
       "Share the memory of equal constants",
       &ShareConstants,
       {{"min-bytes", Kind::kInt, "1024", "leave smaller constants alone"}}},
      {"dissolve-small-fusions", "Replace a fusion of one operation, or of very many arrays, by its body",
       &DissolveFusions},
      {"unfuse", "Replace all fusions except custom ones by their bodies, for tests", &Unfuse},
  };
  return *passes;
}

}  // namespace xla
