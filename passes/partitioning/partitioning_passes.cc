#include "passes/partitioning/partitioning_passes.h"

#include <vector>

#include "passes/partitioning/partition.h"

namespace xla {

absl::Span<const Pass> PartitioningPasses() {
  using Kind = PassOption::Kind;
  static const auto* const passes = new std::vector<Pass>{
      {"partition",
       "Cut a program on whole arrays into one for each device, as its shardings say, with the collectives it needs",
       &Partition,
       {{"partitions", Kind::kInt, "0", "number of devices; 0: leave the program as it is"}},
       "shardings on what shall be cut",
       "a program for each device, on shards"},
  };
  return *passes;
}

}  // namespace xla
