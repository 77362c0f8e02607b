#include "tests/partitioning/partition_check.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "passes/check/compare_runs.h"
#include "passes/partitioning/entry_shards.h"
#include "passes/pass_runner.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/literal_io/leaves.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int64_t kMaxSteps = 2'000'000;
constexpr int64_t kMaxBytes = int64_t{1} << 30;

RunOutcome OutcomeOf(const Literal& result) {
  RunOutcome outcome;
  int number = -1;
  for (Literal& leaf : FlattenLeaves(result)) {
    ++number;
    if (!leaf.shape().IsArray()) continue;
    outcome.names.push_back(absl::StrCat("out", number));
    outcome.result_numbers.push_back(number);
    outcome.leaves.push_back(std::move(leaf));
  }
  return outcome;
}

bool IsLimit(const absl::Status& status) {
  return status.code() == absl::StatusCode::kResourceExhausted || status.code() == absl::StatusCode::kDeadlineExceeded;
}

// Whether each leaf agrees exactly, or by the tolerance if that is allowed.
bool AgreesBy(const PartitionCheckOptions& options, const RunOutcome& got, const RunOutcome& want,
              const ExactOutputs& exact) {
  if (options.tolerance == nullptr || got.leaves.size() != want.leaves.size()) return false;
  for (size_t i = 0; i < want.leaves.size(); ++i) {
    const int output = want.result_numbers[i];
    const PrimitiveType type = want.leaves[i].shape().element_type();
    if (!want.leaves[i].shape().Compatible(got.leaves[i].shape())) return false;
    const Tolerance tolerance = exact.results[output] ? Tolerance() : options.tolerance(output, type);
    if (!CompareArrays(got.leaves[i], want.leaves[i], tolerance).matches()) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<Literal> RunPartitioned(const HloModule& module, const PartitionCheckOptions& options,
                                       const std::vector<Literal>& arguments, RewriteCounts* counts) {
  const std::unique_ptr<HloModule> partitioned = CloneModule(module);
  ASSIGN_OR_RETURN(const Pipeline passes, ParsePasses(options.passes));
  PassRunnerOptions runner;
  runner.strict = true;
  PassContext context;
  std::vector<PassRecord> records;
  ASSIGN_OR_RETURN(const EntryShards shards, EntryShards::Of(module, options.devices));
  RETURN_IF_ERROR(RunPasses(passes, runner, context, *partitioned, &records).status());
  for (const PassRecord& record : records) {
    for (const auto& [name, count] : record.rewrites) (*counts)[name] += count;
  }
  std::vector<std::vector<Literal>> of_devices;
  for (int64_t device = 0; device < options.devices; ++device) {
    ASSIGN_OR_RETURN(of_devices.emplace_back(), shards.ArgumentsOf(device, arguments, ShardPadding::kAllBits));
  }
  EvaluatorOptions evaluation;
  evaluation.partition_count = options.devices;
  evaluation.max_steps = 8 * kMaxSteps;
  evaluation.max_memory_bytes = 8 * kMaxBytes;
  ASSIGN_OR_RETURN(const std::unique_ptr<Evaluator> evaluator, Evaluator::Create(*partitioned, evaluation));
  ASSIGN_OR_RETURN(std::vector<Literal> results, evaluator->Run(of_devices));
  for (Literal& result : results) result.LeaveBudget();
  return shards.JoinResults(results);
}

absl::StatusOr<PartitionCheckResult> CheckPartition(const HloModule& module, const HloModule& whole,
                                                    const PartitionCheckOptions& options,
                                                    const std::vector<Literal>& arguments, const ExactOutputs& exact) {
  PartitionCheckResult result;
  RunLimits limits;
  limits.max_steps = kMaxSteps;
  limits.max_memory_bytes = kMaxBytes;
  const RunOutcome want = RunForCheck(whole, {arguments}, limits);
  if (!want.status.ok()) return result;
  const absl::StatusOr<Literal> got = RunPartitioned(module, options, arguments, &result.counts);
  if (!got.ok() && IsLimit(got.status())) return result;
  if (!got.ok()) return got.status();
  result.was_compared = true;
  const RunOutcome joined = OutcomeOf(*got);
  result.difference = DifferenceBetween(joined, want, exact);
  if (!result.difference.empty() && AgreesBy(options, joined, want, exact)) result.difference.clear();
  return result;
}

}  // namespace xla
