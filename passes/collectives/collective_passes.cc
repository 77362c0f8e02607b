#include "passes/collectives/collective_passes.h"

#include <vector>

#include "passes/collectives/combine_collectives.h"
#include "passes/collectives/form_reduce_scatter.h"
#include "passes/collectives/sink_collectives.h"
#include "passes/collectives/split_collectives.h"

namespace xla {

absl::Span<const Pass> CollectivePasses() {
  using Kind = PassOption::Kind;
  static const auto* const passes = new std::vector<Pass>{
      {"form-reduce-scatter",
       "Replace an all-reduce of which each device reads its own part by a reduce-scatter",
       &FormReduceScatter,
       {{"keep-order", Kind::kBool, "false",
         "keep the order in which devices are added up, unless fast math allows reassociate"}},
       "offsets of parts computed where they are read, not passed to loops or calls (before hoist-loop-invariants)"},
      {"sink-collectives",
       "Add up what devices have before they meet: sums of all-reduces, scaled ones, and those that a loop accumulates",
       &SinkCollectives,
       {{"keep-order", Kind::kBool, "false", "keep the order of sums of floats, unless fast math allows reassociate"}},
       "elements of tuples read directly (simplify-tuples)"},
      {"combine-collectives",
       "Combine collectives among the same devices to one of several arrays",
       &CombineCollectives,
       {{"max-bytes", Kind::kInt, "33554432", "most bytes that one collective gives or gets after it was combined"},
        {"max-operands", Kind::kInt, "256", "most arrays of one collective"}}},
      {"split-collectives",
       "Split collectives into a start and a done, and move independent work in between",
       &SplitCollectives,
       {{"ops", Kind::kList,
         "all-gather+all-reduce+all-to-all+collective-broadcast+collective-permute+ragged-all-to-all+reduce-scatter",
         "which collectives"},
        {"growth-percent", Kind::kInt, "10", "by how much the most bytes that are live at once may grow, or ..."},
        {"growth-bytes", Kind::kInt, "1048576", "... by how many bytes, if that is more"}},
       "the order of instructions is the one to run (after schedule-for-memory, which orders them)"},
  };
  return *passes;
}

}  // namespace xla
