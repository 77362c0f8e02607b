#include "xla_core/evaluator/evaluator.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "xla_core/evaluator/device_evaluator.h"
#include "xla_core/evaluator/rendezvous.h"
#include "xla_core/support/large_stack.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/support/thread_pool.h"

namespace xla {
namespace {

// Address space for a chain of calls as deep as DeviceEvaluator allows, with room for sanitizers.
constexpr size_t kStackBytes = size_t{64} << 20;
// More devices than this are a mistake: each is a thread.
constexpr int64_t kMaxDevices = 4096;

class HostEvaluator : public Evaluator {
 public:
  HostEvaluator(const HloModule& module, EvaluatorOptions options)
      : module_(module),
        options_(std::move(options)),
        effectful_(FindEffectfulComputations(module)),
        pool_(options_.threads) {}

  absl::StatusOr<std::vector<Literal>> Run(std::vector<std::vector<Literal>> arguments, FeedQueues* queues) override;
  int64_t peak_memory_bytes() const override { return peak_memory_bytes_; }
  int64_t steps() const override { return steps_; }

 private:
  int64_t device_count() const { return options_.replica_count * options_.partition_count; }
  absl::Status CheckArguments(const std::vector<std::vector<Literal>>& arguments) const;

  const HloModule& module_;
  const EvaluatorOptions options_;
  const EffectfulComputations effectful_;
  ThreadPool pool_;
  int64_t peak_memory_bytes_ = 0;
  int64_t steps_ = 0;
};

absl::Status HostEvaluator::CheckArguments(const std::vector<std::vector<Literal>>& arguments) const {
  if (static_cast<int64_t>(arguments.size()) != device_count()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected arguments for ", device_count(), " devices, found ", arguments.size()));
  }
  const std::vector<HloInstruction*> parameters = module_.entry()->parameters();
  for (size_t d = 0; d < arguments.size(); ++d) {
    const std::string where = arguments.size() > 1 ? absl::StrCat(" for device ", d) : "";
    if (arguments[d].size() != parameters.size()) {
      return absl::InvalidArgumentError(absl::StrCat("the program has ", parameters.size(), " parameters, found ",
                                                     arguments[d].size(), " arguments", where));
    }
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (!arguments[d][i].shape().Compatible(parameters[i]->shape())) {
        return absl::InvalidArgumentError(
            absl::StrCat("argument ", i, where, " has shape ", arguments[d][i].shape().ToString(), ", expected ",
                         parameters[i]->shape().ToString(), " of parameter ", parameters[i]->name()));
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Literal>> HostEvaluator::Run(std::vector<std::vector<Literal>> arguments,
                                                        FeedQueues* queues) {
  RETURN_IF_ERROR(CheckArguments(arguments));
  const int64_t devices = device_count();
  MemoryBudget budget(options_.max_memory_bytes);
  Rendezvous rendezvous(devices);
  if (queues != nullptr) queues->outfeed.resize(devices);
  const RunState run = {&options_, &effectful_, &pool_, &budget, &rendezvous, queues, absl::Now() + options_.timeout};

  std::vector<absl::StatusOr<Literal>> results(devices, absl::InternalError("not run"));
  std::vector<int64_t> steps(devices, 0);
  std::vector<StackThread> threads(devices);
  for (int64_t d = 0; d < devices; ++d) {
    const DeviceInfo device = {d / options_.partition_count, d % options_.partition_count, options_.replica_count,
                               options_.partition_count};
    const absl::Status started = threads[d].Start(kStackBytes, [&, d, device] {
      DeviceEvaluator evaluator(run, device);
      results[d] = evaluator.RunEntry(*module_.entry(), std::move(arguments[d]));
      steps[d] = evaluator.steps();
      rendezvous.DeviceEnded(d, results[d].status());
    });
    if (!started.ok()) {
      results[d] = started;
      rendezvous.DeviceEnded(d, started);
    }
  }
  for (StackThread& thread : threads) thread.Join();

  peak_memory_bytes_ = budget.peak();
  steps_ = 0;
  for (int64_t n : steps) steps_ += n;
  // Values that leave this run outlive its budget.
  for (auto& result : results) {
    if (result.ok()) result->LeaveBudget();
  }
  if (queues != nullptr) {
    for (auto& values : queues->outfeed) {
      for (Literal& value : values) value.LeaveBudget();
    }
  }
  // The error that stopped a run is worth more than the echo on the devices that waited for it.
  const absl::Status* error = nullptr;
  for (const auto& result : results) {
    if (result.ok()) continue;
    if (error == nullptr ||
        (error->code() == absl::StatusCode::kAborted && result.status().code() != absl::StatusCode::kAborted)) {
      error = &result.status();
    }
  }
  if (error != nullptr) return *error;
  std::vector<Literal> values;
  for (auto& result : results) values.push_back(*std::move(result));
  return values;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Evaluator>> Evaluator::Create(const HloModule& module, EvaluatorOptions options) {
  if (options.replica_count < 1 || options.partition_count < 1 || options.replica_count > kMaxDevices ||
      options.partition_count > kMaxDevices / options.replica_count) {
    return absl::InvalidArgumentError(absl::StrCat("replicas and partitions must be at least 1 and at most ",
                                                   kMaxDevices, " together, found ", options.replica_count, " x ",
                                                   options.partition_count));
  }
  if (module.entry() == nullptr) return absl::InvalidArgumentError("the module has no entry computation");
  return std::unique_ptr<Evaluator>(new HostEvaluator(module, std::move(options)));
}

absl::StatusOr<Literal> Evaluator::RunOne(std::vector<Literal> arguments) {
  std::vector<std::vector<Literal>> all;
  all.push_back(std::move(arguments));
  ASSIGN_OR_RETURN(std::vector<Literal> results, Run(std::move(all)));
  return std::move(results[0]);
}

}  // namespace xla
