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
      {"remove-dead-code", "takes away instructions, parameters, tuple elements and computations that nobody needs",
       &RemoveDeadCode},
      {"merge-equal", "computes what is computed twice only once", &MergeEqual},
      {"fold-constants",
       "computes what depends on constants alone",
       &FoldConstants,
       {{"max-bytes", Kind::kInt, "67108864", "results of more bytes are not computed"},
        {"small-bytes", Kind::kInt, "1024", "results of up to so many bytes may be larger than what they are made of"},
        {"max-work", Kind::kInt, "100000000", "scalar operations of one step, roughly"},
        {"max-seconds", Kind::kInt, "10", "for one step, if its work was estimated far too low"}}},
      {"simplify-tuples",
       "takes elements of tuples where they come from",
       &SimplifyTuples,
       {},
       "",
       "",
       &SimplifyTuplesRules},
      {"inline-calls",
       "puts the bodies of called computations where they are called",
       &InlineCalls,
       {{"single-call-site", Kind::kBool, "false", "only computations that are called from one place"},
        {"max-instructions", Kind::kInt, "10000", "of a computation that is called from several places"}}},
      {"flatten-call-graph",
       "gives each call, loop and conditional computations of its own",
       &FlattenCallGraph,
       {{"max-instructions", Kind::kInt, "1000000", "that the program may have by copying"}}},
      {"place-barriers",
       "puts optimization barriers around some instructions, to keep other passes away from them",
       &PlaceBarriers,
       {{"instructions", Kind::kList, "", "their names: a+b+.."}}},
      {"remove-barriers", "takes optimization barriers away, at the end of a pipeline", &RemoveBarriers},
      {"remove-zero-sized", "replaces arrays without elements by constants", &RemoveZeroSized},
      {"remove-dead-collectives", "takes away collectives that nobody uses or that change nothing",
       &RemoveDeadCollectives},
      {"remove-no-ops",
       "takes away copies, domains and dependencies that do nothing",
       &RemoveNoOps,
       {},
       "copies that keep buffers apart have not been inserted",
       "",
       &RemoveNoOpsRules},
      {"share-constants",
       "keeps the values of equal constants in memory once",
       &ShareConstants,
       {{"min-bytes", Kind::kInt, "1024", "smaller constants are not worth it"}}},
      {"dissolve-small-fusions", "puts the one operation of a fusion that has no more in its place", &DissolveFusions},
      {"unfuse", "puts the bodies of all fusions but custom ones in their places, for tests", &Unfuse},
  };
  return *passes;
}

}  // namespace xla
