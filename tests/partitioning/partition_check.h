// Compares a partitioned program with the program on whole arrays.
#ifndef TESTS_PARTITIONING_PARTITION_CHECK_H_
#define TESTS_PARTITIONING_PARTITION_CHECK_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/analyses/exactness.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/literal_io/compare_literals.h"
#include "xla_core/types/literal.h"

namespace xla {

struct PartitionCheckOptions {
  // As --passes= takes them; what partitions comes last.
  std::string passes;
  int64_t devices = 1;
  // Of a result that is not exact, beside the default of its type; nullptr: none.
  std::function<Tolerance(int output, PrimitiveType type)> tolerance;
};

struct PartitionCheckResult {
  std::string difference;  // "" if there is none
  bool was_compared = false;
  RewriteCounts counts;  // of the passes
};

// Runs `whole`, a program of one device, and on all devices what the passes turn `module` into, where padding is NaN.
// Results must agree: bit by bit those that are `exact`. An error of the passes, or of the run after them, is an error;
// of the first run, it means that nothing was compared.
absl::StatusOr<PartitionCheckResult> CheckPartition(const HloModule& module, const HloModule& whole,
                                                    const PartitionCheckOptions& options,
                                                    const std::vector<Literal>& arguments, const ExactOutputs& exact);

// What the partitioned program gives for these arguments, put together.
absl::StatusOr<Literal> RunPartitioned(const HloModule& module, const PartitionCheckOptions& options,
                                       const std::vector<Literal>& arguments, RewriteCounts* counts);

}  // namespace xla

#endif  // TESTS_PARTITIONING_PARTITION_CHECK_H_
