#include "backends/interpreter/interpreter_executable.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/types/optional.h"
#include "backends/host/literal_buffer.h"
#include "backends/interpreter/device_feeds.h"
#include "backends/interpreter/program_cost.h"
#include "backends/interpreter/serialized_program.h"
#include "backends/launch_checks.h"
#include "xla_core/evaluator/queued_feeds.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// How often a launch that waits for its arguments looks at its cancellation.
constexpr absl::Duration kCheckInterval = absl::Milliseconds(20);

EvaluatorOptions ToEvaluatorOptions(const ExecuteOptions& options, const MemoryBudget& memory) {
  EvaluatorOptions result;
  result.seed = options.seed;
  result.max_steps = options.max_steps;
  result.max_memory_bytes = options.max_memory_bytes > 0 ? options.max_memory_bytes : memory.limit();
  result.timeout = options.timeout;
  if (options.cancellation != nullptr) result.cancelled = &options.cancellation->flag();
  result.profile = options.profile;
  result.progress = options.progress;
  return result;
}

// Waits for an argument within the limits of the launch.
absl::Status AwaitArgument(const Event& ready, const ExecuteOptions& options, absl::Time deadline) {
  while (!ready.IsReady()) {
    const bool can_cancel = options.cancellation != nullptr;
    if (can_cancel && options.cancellation->IsCancelled()) {
      return absl::CancelledError("the execution was cancelled while it waited for its arguments");
    }
    const absl::Time until = can_cancel ? std::min(deadline, absl::Now() + kCheckInterval) : deadline;
    if (!ready.WaitUntil(until) && absl::Now() >= deadline) {
      return absl::DeadlineExceededError("the deadline passed while the execution waited for its arguments");
    }
  }
  return ready.status();
}

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

std::vector<int64_t> ParametersDonatedBy(const HloModule& module) {
  std::vector<int64_t> numbers;
  for (const InputOutputAlias& alias : module.config().input_output_alias) numbers.push_back(alias.parameter_number);
  for (const BufferDonor& donor : module.config().buffer_donors) numbers.push_back(donor.parameter_number);
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

LiteralBuffer& AsLiteralBuffer(Buffer* buffer) { return *static_cast<LiteralBuffer*>(buffer); }

}  // namespace

InterpreterExecutable::InterpreterExecutable(std::shared_ptr<InterpreterClient> client, std::shared_ptr<Core> core,
                                             int64_t replica_count, int64_t partition_count, CompileReport report)
    : client_(std::move(client)),
      core_(std::move(core)),
      replica_count_(replica_count),
      partition_count_(partition_count),
      report_(std::move(report)),
      device_list_(core_->devices.begin(), core_->devices.end()) {
  for (const HloInstruction* parameter : core_->module->entry()->parameters()) {
    program_shape_.parameters.push_back(parameter->shape());
  }
  program_shape_.result = core_->module->entry()->root()->shape();
  donated_parameters_ = ParametersDonatedBy(*core_->module);
}

absl::StatusOr<std::unique_ptr<Executable>> InterpreterExecutable::Create(
    std::shared_ptr<InterpreterClient> client, std::shared_ptr<const HloModule> module, int64_t replica_count,
    int64_t partition_count, std::vector<InterpreterDevice*> devices, CompileReport report) {
  auto core = std::make_shared<Core>();
  core->module = std::move(module);
  ASSIGN_OR_RETURN(core->program, EvaluatorProgram::Create(*core->module, replica_count, partition_count));
  core->pool = client->pool();
  core->memory = client->memory();
  core->client_has_ended = client->has_ended();
  core->devices = std::move(devices);
  return std::unique_ptr<Executable>(
      new InterpreterExecutable(std::move(client), std::move(core), replica_count, partition_count, std::move(report)));
}

std::string InterpreterExecutable::fingerprint() const {
  return FingerprintOf(*core_->module, replica_count_, partition_count_);
}

CostEstimate InterpreterExecutable::cost() const { return EstimateCost(*core_->module); }

MemoryNeed InterpreterExecutable::memory_need() const { return EstimateMemory(*core_->module); }

absl::StatusOr<std::string> InterpreterExecutable::Serialize() const {
  return SerializeProgram(*core_->module, replica_count_, partition_count_);
}

absl::StatusOr<std::vector<InterpreterExecutable::Values>> InterpreterExecutable::TakeValues(
    absl::Span<const absl::Span<Buffer* const>> arguments, const Donations& donations) const {
  std::vector<Values> values(arguments.size());
  absl::Status status;
  for (size_t d = 0; d < arguments.size() && status.ok(); ++d) {
    values[d].reserve(arguments[d].size());
    for (size_t i = 0; i < arguments[d].size() && status.ok(); ++i) {
      LiteralBuffer& buffer = AsLiteralBuffer(arguments[d][i]);
      auto value = !donations.empty() && donations[i] ? buffer.Donate() : buffer.Share();
      if (value.ok()) {
        values[d].push_back(*std::move(value));
      } else {
        status = absl::Status(value.status().code(),
                              absl::StrCat(ArgumentName(*this, d, i), ": ", value.status().message()));
      }
    }
  }
  if (status.ok()) return values;
  // Nothing was launched: what was donated is whole again.
  for (size_t d = 0; !donations.empty() && d < arguments.size(); ++d) {
    for (size_t i = 0; i < values[d].size(); ++i) {
      if (donations[i]) AsLiteralBuffer(arguments[d][i]).UndoDonation(std::move(values[d][i]));
    }
  }
  return status;
}

absl::StatusOr<std::vector<Literal>> InterpreterExecutable::Run(const Core& core, std::vector<Values>& arguments,
                                                                const Donations& donations,
                                                                const ExecuteOptions& options, absl::Time deadline) {
  std::vector<std::vector<Literal>> literals(arguments.size());
  std::vector<const HostValue*> borrowed;
  for (size_t d = 0; d < arguments.size(); ++d) {
    literals[d].reserve(arguments[d].size());
    for (size_t i = 0; i < arguments[d].size(); ++i) {
      std::shared_ptr<HostValue>& value = arguments[d][i];
      literals[d].push_back(value->literal());
      if (value->is_borrowed()) {
        borrowed.push_back(value.get());
      } else if (!donations.empty() && donations[i]) {
        // If nobody else holds the value, the literal is now the only one, and operations may write into it.
        value.reset();
      }
    }
  }
  const EvaluatorOptions evaluator_options = ToEvaluatorOptions(options, *core.memory);
  absl::optional<QueuedFeeds> queued_feeds;
  DeviceFeeds device_feeds(core.devices);
  EvaluatorRun run;
  run.options = &evaluator_options;
  run.deadline = deadline;
  run.abandoned = core.client_has_ended.get();
  run.pool = core.pool.get();
  if (options.feeds != nullptr) {
    run.feeds = &queued_feeds.emplace(options.feeds, static_cast<int64_t>(core.devices.size()));
  } else {
    run.feeds = &device_feeds;
  }
  const absl::Time start = options.report != nullptr ? absl::Now() : absl::Time();
  absl::StatusOr<std::vector<Literal>> results = core.program->Run(std::move(literals), run);
  if (options.report != nullptr) {
    options.report->steps = run.steps;
    options.report->peak_memory_bytes = run.peak_memory_bytes;
    options.report->elapsed = absl::Now() - start;
  }
  if (results.ok() && !borrowed.empty()) RETURN_IF_ERROR(DetachFromBorrowed(borrowed, *results));
  return results;
}

absl::StatusOr<Execution> InterpreterExecutable::RunInline(std::vector<Values> arguments, const Donations& donations,
                                                           const ExecuteOptions& options) {
  const absl::Time deadline = DeadlineOf(options);
  for (const Values& of_device : arguments) {
    for (const auto& value : of_device) RETURN_IF_ERROR(AwaitArgument(value->ready(), options, deadline));
  }
  ASSIGN_OR_RETURN(std::vector<Literal> literals, Run(*core_, arguments, donations, options, deadline));
  Execution execution;
  execution.results.resize(literals.size());
  for (size_t d = 0; d < literals.size(); ++d) {
    const auto add = [&](Literal literal) -> absl::Status {
      Shape shape = literal.shape();
      ASSIGN_OR_RETURN(auto value, HostValue::Make(core_->memory, std::move(literal)));
      execution.results[d].push_back(client_->MakeBuffer(*device_list_[d], std::move(shape), std::move(value)));
      return absl::OkStatus();
    };
    if (!untuples(options)) {
      RETURN_IF_ERROR(add(std::move(literals[d])));
      continue;
    }
    for (Literal& element : literals[d].TakeElements()) RETURN_IF_ERROR(add(std::move(element)));
  }
  return execution;
}

// An execution that runs later.
struct InterpreterExecutable::InFlight {
  std::shared_ptr<const Core> core;
  std::vector<Values> arguments;
  Donations donations;
  ExecuteOptions options;
  absl::Time deadline;
  bool untuple = false;
  std::vector<Values> results;
  EventSource done;

  void Finish(absl::Status status) {
    if (status.ok()) status = FillResults();
    // What was given to the execution ends before it is said to be done.
    arguments.clear();
    results.clear();
    done.Set(std::move(status));
  }

  absl::Status FillResults() {
    ASSIGN_OR_RETURN(std::vector<Literal> literals, Run(*core, arguments, donations, options, deadline));
    for (size_t d = 0; d < literals.size(); ++d) {
      if (!untuple) {
        results[d][0]->Fill(std::move(literals[d]));
        continue;
      }
      std::vector<Literal> elements = literals[d].TakeElements();
      for (size_t i = 0; i < elements.size(); ++i) results[d][i]->Fill(std::move(elements[i]));
    }
    return absl::OkStatus();
  }
};

absl::StatusOr<Execution> InterpreterExecutable::StartAsync(absl::Span<const absl::Span<Buffer* const>> arguments,
                                                            const Donations& donations, const ExecuteOptions& options) {
  auto in_flight = std::make_shared<InFlight>();
  in_flight->core = core_;
  in_flight->donations = donations;
  in_flight->options = options;
  in_flight->deadline = DeadlineOf(options);
  in_flight->untuple = untuples(options);
  in_flight->results.resize(arguments.size());
  Execution execution;
  execution.done = in_flight->done.event();
  execution.results.resize(arguments.size());
  const absl::Span<const Shape> shapes =
      in_flight->untuple ? program_shape_.result.tuple_shapes() : absl::MakeConstSpan(&program_shape_.result, 1);
  for (size_t d = 0; d < arguments.size(); ++d) {
    for (const Shape& shape : shapes) {
      ASSIGN_OR_RETURN(auto value, HostValue::MakePending(core_->memory, shape, execution.done));
      in_flight->results[d].push_back(value);
      execution.results[d].push_back(client_->MakeBuffer(*device_list_[d], shape, std::move(value)));
    }
  }
  // The last thing that can fail: from here on what is donated is gone.
  ASSIGN_OR_RETURN(in_flight->arguments, TakeValues(arguments, donations));
  std::vector<Event> ready;
  for (const Values& of_device : in_flight->arguments) {
    for (const auto& value : of_device) ready.push_back(value->ready());
  }
  client_->launches().Launch(AllOf(ready), in_flight->deadline, options.cancellation,
                             [in_flight](const absl::Status& status) { in_flight->Finish(status); });
  return execution;
}

absl::StatusOr<Execution> InterpreterExecutable::Launch(absl::Span<const absl::Span<Buffer* const>> arguments,
                                                        const ExecuteOptions& options) {
  ASSIGN_OR_RETURN(const Donations donations, FindDonations(*this, options));
  RETURN_IF_ERROR(CheckArguments(*this, arguments, donations));
  if (options.mode == ExecutionMode::kAsync) return StartAsync(arguments, donations, options);
  ASSIGN_OR_RETURN(std::vector<Values> values, TakeValues(arguments, donations));
  return RunInline(std::move(values), donations, options);
}

}  // namespace xla
