#include "backends/host/host_executable.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backends/host/literal_buffer.h"
#include "backends/host/program_cost.h"
#include "backends/host/serialized_program.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr char kRunning[] = "running the program";
// How often a launch that waits for its arguments looks at its limits.
constexpr absl::Duration kLimitCheckInterval = absl::Milliseconds(20);

// Waits for an argument within the limits of the launch.
absl::Status AwaitArgument(const Event& ready, const ResourceContext& launch) {
  if (ready.IsReady()) return ready.status();
  const ResourceContext resources(&launch, kWaitingForArguments);
  while (!ready.IsReady()) {
    RETURN_IF_ERROR(resources.Check());
    ready.WaitUntil(resources.has_limits() ? absl::Now() + kLimitCheckInterval : absl::InfiniteFuture());
  }
  return ready.status();
}

std::vector<int64_t> ParametersDonatedBy(const HloModule& module) {
  std::vector<int64_t> numbers;
  for (const InputOutputAlias& alias : module.config().input_output_alias) numbers.push_back(alias.parameter_number);
  for (const BufferDonor& donor : module.config().buffer_donors) numbers.push_back(donor.parameter_number);
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

// Takes what HostLaunch::result_memory holds for a device.
ValueMemories OfDevice(std::vector<ValueMemories>& memory, size_t d) {
  return d < memory.size() ? std::move(memory[d]) : ValueMemories();
}

// Gives the elements of a result their parts of its memory, in order.
class MemoryOfElements {
 public:
  explicit MemoryOfElements(ValueMemories all) : all_(std::move(all)) {}
  ValueMemories Next(const Literal& element) {
    if (all_.empty()) return {};
    const auto begin = all_.begin() + next_;
    next_ += LeafCount(element.shape());
    return ValueMemories(begin, all_.begin() + next_);
  }

 private:
  const ValueMemories all_;
  int64_t next_ = 0;
};

LiteralBuffer& AsLiteralBuffer(Buffer* buffer) { return *static_cast<LiteralBuffer*>(buffer); }

}  // namespace

ProgramShape ProgramShapeOf(const HloModule& module) {
  ProgramShape shape;
  for (const HloInstruction* parameter : module.entry()->parameters()) shape.parameters.push_back(parameter->shape());
  shape.result = module.entry()->root()->shape();
  return shape;
}

EvaluatorOptions ToEvaluatorOptions(const HostLaunch& launch, int64_t max_memory_bytes) {
  const ExecuteOptions& options = launch.options;
  EvaluatorOptions result;
  result.seed = options.seed;
  result.max_steps = options.max_steps;
  result.max_memory_bytes = max_memory_bytes;
  result.resources = &launch.resources;
  result.profile = options.profile;
  result.progress = options.progress;
  return result;
}

HostExecutable::HostExecutable(std::shared_ptr<HostClient> client, HostExecutableInfo info,
                               std::shared_ptr<const HostProgram> program)
    : client_(std::move(client)),
      info_(std::move(info)),
      program_(std::move(program)),
      device_list_(info_.devices.begin(), info_.devices.end()),
      donated_parameters_(ParametersDonatedBy(*info_.source)) {}

void HostExecutable::AddNotes(std::vector<std::string> notes) {
  for (std::string& note : notes) info_.report.notes.push_back(std::move(note));
}

std::string HostExecutable::fingerprint() const {
  return FingerprintOf(client_->platform_version(), *info_.source, replica_count(), partition_count());
}

CostEstimate HostExecutable::cost() const { return EstimateCost(*info_.source); }

absl::StatusOr<std::string> HostExecutable::Serialize() const {
  return SerializeProgram(client_->platform_version(), *info_.source, replica_count(), partition_count(),
                          program_->SerializedCode());
}

// Shares arguments, or takes donated ones. If one fails, those that were taken are given back.
absl::StatusOr<std::vector<HostValues>> HostExecutable::TakeValues(
    absl::Span<const absl::Span<Buffer* const>> arguments, const Donations& donations) const {
  std::vector<HostValues> values(arguments.size());
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

// Runs on the caller's thread, after waiting for the arguments.
absl::StatusOr<Execution> HostExecutable::RunInline(std::vector<HostValues> arguments, const Donations& donations,
                                                    const ExecuteOptions& options) {
  const ResourceContext resources(options.resources, kRunning, LimitsOf(options));
  for (const HostValues& of_device : arguments) {
    for (const auto& value : of_device) RETURN_IF_ERROR(AwaitArgument(value->ready(), resources));
  }
  std::vector<ValueMemories> memory;
  ASSIGN_OR_RETURN(std::vector<Literal> literals, program_->Run({arguments, donations, options, resources, memory}));
  Execution execution;
  execution.results.resize(literals.size());
  for (size_t d = 0; d < literals.size(); ++d) {
    MemoryOfElements memory_of(OfDevice(memory, d));
    const auto add = [&](Literal&& literal) -> absl::Status {
      Shape shape = literal.shape();
      ValueMemories leaves = memory_of.Next(literal);
      ASSIGN_OR_RETURN(auto value, HostValue::Make(client_->memory(), std::move(literal), std::move(leaves)));
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
struct HostExecutable::InFlight {
  InFlight(std::shared_ptr<const HostProgram> run, Donations donated, const ExecuteOptions& asked)
      : program(std::move(run)),
        donations(std::move(donated)),
        options(asked),
        resources(options.resources, kRunning, LimitsOf(options)) {}

  const std::shared_ptr<const HostProgram> program;
  std::vector<HostValues> arguments;
  const Donations donations;
  const ExecuteOptions options;
  const ResourceContext resources;
  bool untuple = false;
  std::vector<HostValues> results;
  EventSource done;

  void Finish(absl::Status status) {
    if (status.ok()) status = FillResults();
    // What was given to the execution ends before it is reported as done.
    arguments.clear();
    results.clear();
    done.Set(std::move(status));
  }

  absl::Status FillResults() {
    std::vector<ValueMemories> memory;
    ASSIGN_OR_RETURN(std::vector<Literal> literals, program->Run({arguments, donations, options, resources, memory}));
    for (size_t d = 0; d < literals.size(); ++d) {
      if (!untuple) {
        results[d][0]->Fill(std::move(literals[d]), OfDevice(memory, d));
        continue;
      }
      MemoryOfElements memory_of(OfDevice(memory, d));
      std::vector<Literal> elements = literals[d].TakeElements();
      for (size_t i = 0; i < elements.size(); ++i) {
        ValueMemories leaves = memory_of.Next(elements[i]);
        results[d][i]->Fill(std::move(elements[i]), std::move(leaves));
      }
    }
    return absl::OkStatus();
  }
};

// Makes the results as pending buffers and launches when all arguments are ready. Nothing is donated if anything
// fails before the launch.
absl::StatusOr<Execution> HostExecutable::StartAsync(absl::Span<const absl::Span<Buffer* const>> arguments,
                                                     const Donations& donations, const ExecuteOptions& options) {
  auto in_flight = std::make_shared<InFlight>(program_, donations, options);
  in_flight->untuple = untuples(options);
  in_flight->results.resize(arguments.size());
  Execution execution;
  execution.done = in_flight->done.event();
  execution.results.resize(arguments.size());
  const absl::Span<const Shape> shapes = in_flight->untuple ? info_.program_shape.result.tuple_shapes()
                                                            : absl::MakeConstSpan(&info_.program_shape.result, 1);
  for (size_t d = 0; d < arguments.size(); ++d) {
    for (const Shape& shape : shapes) {
      ASSIGN_OR_RETURN(auto value, HostValue::MakePending(client_->memory(), shape, execution.done));
      in_flight->results[d].push_back(value);
      execution.results[d].push_back(client_->MakeBuffer(*device_list_[d], shape, std::move(value)));
    }
  }
  // The last thing that can fail: from here on what is donated is gone.
  ASSIGN_OR_RETURN(in_flight->arguments, TakeValues(arguments, donations));
  std::vector<Event> ready;
  for (const HostValues& of_device : in_flight->arguments) {
    for (const auto& value : of_device) ready.push_back(value->ready());
  }
  client_->launches().Launch(AllOf(ready), std::shared_ptr<const ResourceContext>(in_flight, &in_flight->resources),
                             [in_flight](const absl::Status& status) { in_flight->Finish(status); });
  return execution;
}

// Devices that run elsewhere cannot be met in this process.
absl::Status HostExecutable::CheckMeetingPlace(const ExecuteOptions& options) const {
  if (info_.own.are_all() || options.collectives != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      name(), ": the program runs on ", info_.own.program_count(), " devices, of which this client has ",
      info_.own.count(), "; set ExecuteOptions::collectives to where they meet, or use the backend 'replicated'"));
}

absl::StatusOr<Execution> HostExecutable::Launch(absl::Span<const absl::Span<Buffer* const>> arguments,
                                                 const ExecuteOptions& options) {
  RETURN_IF_ERROR(CheckMeetingPlace(options));
  ASSIGN_OR_RETURN(const Donations donations, FindDonations(*this, options));
  RETURN_IF_ERROR(CheckArguments(*this, arguments, donations));
  if (options.mode == ExecutionMode::kAsync) return StartAsync(arguments, donations, options);
  ASSIGN_OR_RETURN(std::vector<HostValues> values, TakeValues(arguments, donations));
  return RunInline(std::move(values), donations, options);
}

}  // namespace xla
