// Runs two programs on the same arguments and says whether the results agree.
#ifndef PASSES_CHECK_COMPARE_RUNS_H_
#define PASSES_CHECK_COMPARE_RUNS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "passes/analyses/exactness.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {

// Limits of one run of a program that is checked. They are the reason why a program is skipped, never why it fails.
struct RunLimits {
  int64_t max_steps = 20'000'000;
  int64_t max_memory_bytes = int64_t{2} << 30;
  absl::Duration timeout = absl::Seconds(60);
  const ResourceContext* resources = nullptr;  // limits besides these
  int threads = 1;
  int64_t partition_count = 0;  // 0: as the module's header says
  uint64_t seed = 0;            // of rng
  // By device; nullptr: ordinary numbers, the same in every run.
  const std::vector<std::vector<Literal>>* infeed = nullptr;
};

// How closely the two must agree: bit by bit, the sign of zero included, except that a NaN is a NaN; or by the default
// tolerance of the element type.
enum class Agreement { kExact, kByTolerance };

// What a program did with some arguments: the leaves of its results, device by device, and what it sent to outfeeds.
struct RunOutcome {
  absl::Status status;
  std::vector<Literal> leaves;      // arrays only
  std::vector<std::string> names;   // of the leaves: "out0", "r1_out0", "outfeed0"
  std::vector<int> result_numbers;  // of the leaves, 0 for "r1_out0"; -1 for outfeeds
};
// Runs a verified module on as many devices as there are lists of arguments. Of the status, ResourceExhausted and
// DeadlineExceeded say that a limit was reached.
RunOutcome RunForCheck(const HloModule& module, const std::vector<std::vector<Literal>>& arguments,
                       const RunLimits& limits);

// "" if `got` agrees with `want`, else what differs, in a few lines that begin with the first differing element. Both
// ran without an error.
std::string DifferenceBetween(const RunOutcome& got, const RunOutcome& want, Agreement agreement);
// The same, where exact outputs must agree exactly and the others by tolerance.
std::string DifferenceBetween(const RunOutcome& got, const RunOutcome& want, const ExactOutputs& exact);

}  // namespace xla

#endif  // PASSES_CHECK_COMPARE_RUNS_H_
