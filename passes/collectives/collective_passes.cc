#include "passes/collectives/collective_passes.h"

#include <vector>

#include "passes/collectives/combine_collectives.h"
#include "passes/collectives/form_reduce_scatter.h"

namespace xla {

absl::Span<const Pass> CollectivePasses() {
  using Kind = PassOption::Kind;
  static const auto* const passes = new std::vector<Pass>{
      {"form-reduce-scatter",
       "Replace an all-reduce of which each device reads its own part by a reduce-scatter",
       &FormReduceScatter,
       {},
       "offsets of parts computed where they are read, not passed to loops or calls (before hoist-loop-invariants)"},
      {"combine-collectives",
       "Combine collectives among the same devices to one of several arrays",
       &CombineCollectives,
       {{"max-bytes", Kind::kInt, "33554432", "most bytes that one collective gives or gets after it was combined"},
        {"max-operands", Kind::kInt, "256", "most arrays of one collective"}}},
  };
  return *passes;
}

}  // namespace xla
