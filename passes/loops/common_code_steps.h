// The steps of hoist-common-code: what it does with one conditional.
#ifndef PASSES_LOOPS_COMMON_CODE_STEPS_H_
#define PASSES_LOOPS_COMMON_CODE_STEPS_H_

#include "passes/base/pass_context.h"
#include "passes/cleaning/equal_instructions.h"
#include "passes/loops/loop_parts.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// A conditional without control edges or sharding, whose branches are its own or may be copied.
struct CommonCodeStep {
  HloInstruction* conditional;
  ComputationNumbers& computations;
  PassContext& context;

  int BranchCount() const { return static_cast<int>(conditional->called_computations().size()); }
  HloComputation* Branch(int i) const { return conditional->called_computation(i); }
  // Copies branches that are called from elsewhere too.
  bool MakeOwn() const;
};

// Each returns whether it changed anything.

// What all branches do with the same values from outside is done before and passed in.
bool DoCommonWorkBefore(const CommonCodeStep& step);
// A result that is the same value from outside in all branches is taken from there.
bool TakeCommonResultsFromOutside(const CommonCodeStep& step);
// An operation that all branches do last, each on one value of its own, is done after.
bool DoCommonWorkAfter(const CommonCodeStep& step);

}  // namespace xla

#endif  // PASSES_LOOPS_COMMON_CODE_STEPS_H_
