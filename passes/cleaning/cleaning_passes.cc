#include "passes/cleaning/cleaning_passes.h"

#include <vector>

#include "passes/cleaning/merge_equal.h"
#include "passes/cleaning/remove_dead_code.h"

namespace xla {

absl::Span<const Pass> CleaningPasses() {
  static const auto* const passes = new std::vector<Pass>{
      {"remove-dead-code", "takes away instructions, parameters, tuple elements and computations that nobody needs",
       &RemoveDeadCode},
      {"merge-equal", "computes what is computed twice only once", &MergeEqual},
  };
  return *passes;
}

}  // namespace xla
