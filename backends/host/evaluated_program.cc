#include "backends/host/evaluated_program.h"

#include <utility>

#include "absl/time/clock.h"
#include "absl/types/optional.h"
#include "backends/host/collective_meetings.h"
#include "backends/host/device_feeds.h"
#include "xla_core/evaluator/program.h"
#include "xla_core/evaluator/queued_feeds.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

bool RefersTo(const Literal& literal, const void* begin, int64_t bytes) {
  for (int i = 0; i < literal.tuple_size(); ++i) {
    if (RefersTo(literal.element(i), begin, bytes)) return true;
  }
  const char* const data = static_cast<const char*>(literal.untyped_data());
  const char* const first = static_cast<const char*>(begin);
  return literal.size_bytes() > 0 && data >= first && data < first + bytes;
}

// Results must not refer to memory that an argument borrows: its owner takes it back when the argument ends.
absl::Status DetachFromBorrowed(const std::vector<const HostValue*>& borrowed, std::vector<Literal>& results) {
  for (Literal& result : results) {
    for (const HostValue* value : borrowed) {
      if (!RefersTo(result, value->literal().untyped_data(), value->size_bytes())) continue;
      ASSIGN_OR_RETURN(result, CopyElements(std::move(result)));
      break;
    }
  }
  return absl::OkStatus();
}

class EvaluatedProgram : public HostProgram {
 public:
  EvaluatedProgram(const HostClient& client, std::shared_ptr<const HloModule> module,
                   std::unique_ptr<EvaluatorProgram> program, std::vector<HostDevice*> devices)
      : module_(std::move(module)),
        program_(std::move(program)),
        pool_(client.pool()),
        memory_(client.memory()),
        client_has_ended_(client.has_ended()),
        devices_(std::move(devices)) {}

  absl::StatusOr<std::vector<Literal>> Run(const HostLaunch& launch) const override;

 private:
  const std::shared_ptr<const HloModule> module_;
  const std::unique_ptr<EvaluatorProgram> program_;
  const std::shared_ptr<ThreadPool> pool_;
  const std::shared_ptr<MemoryBudget> memory_;
  const std::shared_ptr<const std::atomic<bool>> client_has_ended_;
  const std::vector<HostDevice*> devices_;
};

// Runs the module on the interpreter with the launch's limits. Donated values are released first, so that operations
// may write into them. What is in a device's memory is copied.
absl::StatusOr<std::vector<Literal>> EvaluatedProgram::Run(const HostLaunch& launch) const {
  std::vector<std::vector<Literal>> literals(launch.arguments.size());
  std::vector<const HostValue*> borrowed;
  for (size_t d = 0; d < launch.arguments.size(); ++d) {
    literals[d].reserve(launch.arguments[d].size());
    for (size_t i = 0; i < launch.arguments[d].size(); ++i) {
      std::shared_ptr<HostValue>& value = launch.arguments[d][i];
      if (!value->memory().empty()) {
        RETURN_IF_ERROR(value->BringToHost());
        ASSIGN_OR_RETURN(Literal copy, CopyElements(value->literal()));
        literals[d].push_back(std::move(copy));
        continue;
      }
      literals[d].push_back(value->literal());
      if (value->is_borrowed()) {
        borrowed.push_back(value.get());
      } else if (!launch.donations.empty() && launch.donations[i]) {
        // If nothing else holds the value, the literal is now the only one, and operations may write into it.
        value.reset();
      }
    }
  }
  const ExecuteOptions& options = launch.options;
  const EvaluatorOptions evaluator_options =
      ToEvaluatorOptions(launch, options.max_memory_bytes > 0 ? options.max_memory_bytes : memory_->limit());
  absl::optional<QueuedFeeds> queued_feeds;
  DeviceFeeds device_feeds(devices_, program_->devices());
  EvaluatorRun run;
  run.options = &evaluator_options;
  run.abandoned = client_has_ended_.get();
  run.pool = pool_.get();
  if (options.feeds != nullptr) {
    run.feeds = &queued_feeds.emplace(options.feeds, program_->devices());
  } else {
    run.feeds = &device_feeds;
  }
  absl::optional<CollectiveMeetings> meetings;
  MemoryBudget memory(evaluator_options.max_memory_bytes, &launch.resources.memory());
  run.memory = &memory;
  if (options.collectives != nullptr) run.meetings = &meetings.emplace(options.collectives, &memory);
  const absl::Time start = options.report != nullptr ? absl::Now() : absl::Time();
  absl::StatusOr<std::vector<Literal>> results = program_->Run(std::move(literals), run);
  if (options.report != nullptr) {
    *options.report = ExecutionReport();  // no step is a fallback
    options.report->steps = run.steps;
    options.report->peak_memory_bytes = run.peak_memory_bytes;
    options.report->elapsed = absl::Now() - start;
  }
  if (results.ok() && !borrowed.empty()) RETURN_IF_ERROR(DetachFromBorrowed(borrowed, *results));
  return results;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const HostProgram>> MakeEvaluatedProgram(const HostClient& client,
                                                                        std::shared_ptr<const HloModule> module,
                                                                        OwnDevices own,
                                                                        std::vector<HostDevice*> devices) {
  ASSIGN_OR_RETURN(auto program, EvaluatorProgram::Create(*module, std::move(own)));
  return std::make_shared<const EvaluatedProgram>(client, std::move(module), std::move(program), std::move(devices));
}

}  // namespace xla
