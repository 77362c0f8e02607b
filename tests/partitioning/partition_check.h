// Compares a partitioned program with the program on whole arrays.
#ifndef TESTS_PARTITIONING_PARTITION_CHECK_H_
#define TESTS_PARTITIONING_PARTITION_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/analyses/exactness.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/types/literal.h"

namespace xla {

struct PartitionCheckOptions {
  // As --passes= takes them; what partitions comes last.
  std::string passes;
  int64_t devices = 1;
};

struct PartitionCheckResult {
  std::string difference;  // "" if there is none
  bool was_compared = false;
  RewriteCounts counts;  // of the passes
};

// Runs the module as it is, its shardings left out, on one device, and on all devices what the passes turn it into,
// where padding is NaN. Results must agree: bit by bit those that are `exact`. An error of the passes, or of the run
// after them, is an error; of the first run, it means that nothing was compared.
absl::StatusOr<PartitionCheckResult> CheckPartition(const HloModule& module, const PartitionCheckOptions& options,
                                                    const std::vector<Literal>& arguments, const ExactOutputs& exact);

// What the partitioned program gives for these arguments, put together.
absl::StatusOr<Literal> RunPartitioned(const HloModule& module, const PartitionCheckOptions& options,
                                       const std::vector<Literal>& arguments, RewriteCounts* counts);

}  // namespace xla

#endif  // TESTS_PARTITIONING_PARTITION_CHECK_H_
