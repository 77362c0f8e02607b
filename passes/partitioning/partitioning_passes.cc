#include "passes/partitioning/partitioning_passes.h"

#include <vector>

#include "passes/partitioning/partition.h"
#include "passes/partitioning/propagate_shardings.h"

namespace xla {

absl::Span<const Pass> PartitioningPasses() {
  using Kind = PassOption::Kind;
  static const auto* const passes = new std::vector<Pass>{
      {"propagate-shardings",
       "Annotate values that have no sharding with one that follows from their operands and users",
       &PropagateShardings,
       {{"partitions", Kind::kInt, "0", "number of devices; 0: leave the program as it is"}},
       "shardings on some values"},
      {"partition",
       "Cut a program on whole arrays into one for each device, as its shardings say, with the collectives it needs",
       &Partition,
       {{"partitions", Kind::kInt, "0", "number of devices; 0: leave the program as it is"},
        {"ring-bytes", Kind::kInt, "67108864",
         "products that would gather an operand, or scatter a sum, of this many bytes go around a ring; -1: none do"}},
       "shardings on what shall be cut",
       "a program for each device, on shards"},
  };
  return *passes;
}

}  // namespace xla
