// How often one evaluation of an instruction runs the computations it calls.
#ifndef PASSES_ANALYSES_CALLEE_RUNS_H_
#define PASSES_ANALYSES_CALLEE_RUNS_H_

#include <vector>

#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// Runs are fractions where branches are equally likely: a conditional of three branches has 1/3 each.
struct CalleeRuns {
  std::vector<double> runs;  // one number for each called computation
  bool known = true;         // false: a loop without a trip count, counted as one iteration
};

// Estimates: a loop runs its estimated trip count, each branch of a conditional equally often, a comparator n log2 n
// times for n elements, a reducer once for each element that it takes in.
CalleeRuns EstimateCalleeRuns(const HloInstruction& caller);

}  // namespace xla

#endif  // PASSES_ANALYSES_CALLEE_RUNS_H_
