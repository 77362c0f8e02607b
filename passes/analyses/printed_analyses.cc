#include "passes/analyses/printed_analyses.h"

#include "passes/analyses/aliasing.h"
#include "passes/analyses/call_graph.h"
#include "passes/analyses/cost.h"
#include "passes/analyses/dataflow.h"
#include "passes/analyses/exactness.h"
#include "passes/analyses/index_maps.h"
#include "passes/analyses/liveness.h"
#include "passes/analyses/loop_invariants.h"
#include "passes/analyses/reachability.h"
#include "passes/analyses/side_effects.h"
#include "passes/analyses/trip_counts.h"
#include "passes/analyses/use_walk.h"
#include "passes/analyses/value_ranges.h"
#include "xla_core/support/status_macros.h"

namespace xla {

absl::StatusOr<std::string> PrintedAnalysis::Print(const HloModule& module, const ResourceContext* resources) const {
  std::string text = print(module, resources);
  RETURN_IF_ERROR(CheckResources(resources));
  return text;
}

// The table that the tools list and look names up in: name, what the analysis says in a line, and the function that
// prints it.
absl::Span<const PrintedAnalysis> PrintedAnalyses() {
  static constexpr PrintedAnalysis kAnalyses[] = {
      {"aliasing", "which values belong into one buffer, and which may share one", &PrintAliasing},
      {"call-graph", "who calls each computation, from where, and as control flow or element by element",
       &PrintCallGraph},
      {"cost", "operations and bytes read and written, of a run and of each instruction", &PrintCost},
      {"dataflow", "each value, and every place that it comes to through tuples, loops, branches and calls",
       &PrintDataflow},
      {"def-use", "where the result of each instruction is used, and as which operand", &PrintDefUse},
      {"exactness", "values whose bits may differ when a sum of floats is taken in another order", &PrintExactness},
      {"index-maps", "which elements of its operands each element of a result is made of", &PrintIndexMaps},
      {"liveness", "the point of the program at which most bytes are live, and what is live there", &PrintLiveness},
      {"loop-invariants", "what is the same in every iteration of each loop", &PrintLoopInvariants},
      {"reachability", "how deep each instruction stands in its computation, and what it waits for",
       &PrintReachability},
      {"side-effects", "instructions that must run although their results are unused", &PrintSideEffects},
      {"trip-counts", "how often the body of each while loop runs", &PrintTripCounts},
      {"value-ranges", "integers and predicates that lie in a smaller range than their types", &PrintValueRanges},
  };
  return kAnalyses;
}

const PrintedAnalysis* FindPrintedAnalysis(absl::string_view name) {
  for (const PrintedAnalysis& analysis : PrintedAnalyses()) {
    if (analysis.name == name) return &analysis;
  }
  return nullptr;
}

}  // namespace xla
