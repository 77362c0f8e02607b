#include "backends/replicated/replicated_executable.h"

#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "backends/host/local_collectives.h"
#include "backends/replicated/replicated_buffer.h"
#include "backends/replicated/watched_collectives.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr char kRunning[] = "running the program";
// How often a launch that waits for its arguments looks at its limits.
constexpr absl::Duration kLimitCheckInterval = absl::Milliseconds(20);

// All that may change bits of results, or what a program needs; folders may differ between processes.
std::string OptionsText(const CompileOptions& options) {
  BackendSettings settings = options.settings;
  settings.erase("cache");
  settings.erase("dump");
  return absl::StrCat("level ", options.optimization_level, options.fast_math ? " fast-math" : "", " weights ",
                      absl::StrJoin(options.weights, ","), " ", absl::StrJoin(settings, " ", absl::PairFormatter("=")));
}

ReplicatedBuffer& AsReplicated(Buffer* buffer) { return *static_cast<ReplicatedBuffer*>(buffer); }

// The client below has its own checks; these are those that it cannot make.
bool AreOn(absl::Span<Device* const> devices, absl::Span<const absl::Span<Buffer* const>> arguments) {
  if (arguments.size() != devices.size()) return false;
  for (size_t d = 0; d < arguments.size(); ++d) {
    for (const Buffer* const buffer : arguments[d]) {
      if (buffer == nullptr || &buffer->device() != devices[d]) return false;
    }
  }
  return true;
}

// For the calls of Launch below.
class Pointers {
 public:
  explicit Pointers(const std::vector<std::vector<std::shared_ptr<Buffer>>>& buffers) : pointers_(buffers.size()) {
    for (size_t d = 0; d < buffers.size(); ++d) {
      for (const std::shared_ptr<Buffer>& buffer : buffers[d]) pointers_[d].push_back(buffer.get());
      spans_.push_back(pointers_[d]);
    }
  }
  absl::Span<const absl::Span<Buffer* const>> spans() const { return spans_; }

 private:
  std::vector<std::vector<Buffer*>> pointers_;
  std::vector<absl::Span<Buffer* const>> spans_;
};

}  // namespace

ReplicatedExecutable::ReplicatedExecutable(std::shared_ptr<ClientOverBackend> client, ProgramPlacement placement,
                                           const CompileOptions& options, std::unique_ptr<Executable> below)
    : client_(std::move(client)),
      placement_(std::make_shared<const ProgramPlacement>(std::move(placement))),
      options_text_(OptionsText(options)),
      below_(std::move(below)) {
  const int64_t first_id = client_->addressable_devices()[0]->id();
  for (const Device* const device : below_->devices()) {
    devices_.push_back(client_->addressable_devices()[device->id() - first_id]);
  }
}

std::string ReplicatedExecutable::fingerprint() const {
  return absl::StrCat(below_->fingerprint(), " ", options_text_);
}

absl::StatusOr<std::string> ReplicatedExecutable::Serialize() const {
  ASSIGN_OR_RETURN(const std::string below, below_->Serialize());
  return absl::StrCat(kSerialized, replica_count(), " ", partition_count(), "\n", below);
}

std::vector<BufferList> ReplicatedExecutable::Wrap(std::vector<BufferList> below) const {
  for (size_t d = 0; d < below.size(); ++d) {
    for (std::unique_ptr<Buffer>& buffer : below[d]) buffer = client_->Wrap(*devices_[d], std::move(buffer));
  }
  return below;
}

absl::StatusOr<Execution> ReplicatedExecutable::Launch(absl::Span<const absl::Span<Buffer* const>> arguments,
                                                       const ExecuteOptions& options) {
  if (client_->group() != nullptr) return LaunchWithOthers(arguments, options);
  const bool is_watched = options.report != nullptr || client_->collective_timeout() != absl::InfiniteDuration();
  const bool meets_here = has_several_devices() && options.collectives == nullptr;
  return is_watched && meets_here ? LaunchWatched(arguments, options) : LaunchHere(arguments, options);
}

// ---- In one process

// The way of programs for one device, on which nothing is done but to take the wrappers off and to put them on.
absl::StatusOr<Execution> ReplicatedExecutable::LaunchHere(absl::Span<const absl::Span<Buffer* const>> arguments,
                                                           const ExecuteOptions& options) {
  if (!AreOn(devices_, arguments)) return CheckArguments(*this, arguments, Donations());
  absl::InlinedVector<std::shared_ptr<Buffer>, 16> below;
  absl::InlinedVector<Buffer*, 16> pointers;
  for (size_t d = 0; d < arguments.size(); ++d) {
    for (size_t i = 0; i < arguments[d].size(); ++i) {
      absl::StatusOr<std::shared_ptr<Buffer>> shared = AsReplicated(arguments[d][i]).Share();
      if (!shared.ok()) {
        return absl::Status(shared.status().code(),
                            absl::StrCat(ArgumentName(*this, d, i), ": ", shared.status().message()));
      }
      pointers.push_back(shared->get());
      below.push_back(*std::move(shared));
    }
  }
  absl::InlinedVector<absl::Span<Buffer* const>, 4> spans;
  absl::Span<Buffer* const> rest = pointers;
  for (const absl::Span<Buffer* const> of_device : arguments) {
    spans.push_back(rest.subspan(0, of_device.size()));
    rest.remove_prefix(of_device.size());
  }
  ASSIGN_OR_RETURN(Execution execution, below_->Launch(spans, options));
  execution.results = Wrap(std::move(execution.results));
  return execution;
}

// Where the devices of a launch meet when their meetings are watched.
struct ReplicatedExecutable::Here {
  Here(const ClientOverBackend& client, int64_t device_count, const WatchedCollectives::Options& options)
      : pool(client.pool()),
        memory(client.memory()),
        local(device_count, pool.get(), memory.get()),
        watched(&local, options) {}

  const std::shared_ptr<ThreadPool> pool;
  const std::shared_ptr<MemoryBudget> memory;
  LocalCollectives local;
  WatchedCollectives watched;
};

absl::StatusOr<Execution> ReplicatedExecutable::LaunchWatched(absl::Span<const absl::Span<Buffer* const>> arguments,
                                                              const ExecuteOptions& options) {
  WatchedCollectives::Options watched_options;
  watched_options.measures = options.report != nullptr;
  watched_options.timeout = client_->collective_timeout();
  const auto here = std::make_shared<Here>(*client_, replica_count() * partition_count(), watched_options);
  ExecuteOptions below_options = options;
  below_options.collectives = &here->watched;
  absl::StatusOr<Execution> execution = LaunchHere(arguments, below_options);
  if (options.mode != ExecutionMode::kAsync || !execution.ok()) {
    if (options.report != nullptr) options.report->collectives = here->watched.costs();
    return execution;
  }
  // The meetings live until all devices have ended, and the report is complete before `done` happens.
  const auto done = std::make_shared<EventSource>();
  execution->done.OnReady([here, done, report = options.report](const absl::Status& status) {
    if (report != nullptr) report->collectives = here->watched.costs();
    done->Set(status);
  });
  execution->done = done->event();
  return execution;
}

// ---- With other processes

absl::StatusOr<ReplicatedExecutable::BuffersBelow> ReplicatedExecutable::TakeArguments(
    absl::Span<const absl::Span<Buffer* const>> arguments, const Donations& donations) const {
  BuffersBelow below(arguments.size());
  const auto is_donated = [&](size_t i) { return !donations.empty() && donations[i]; };
  absl::Status status;
  for (size_t d = 0; d < arguments.size() && status.ok(); ++d) {
    for (size_t i = 0; i < arguments[d].size() && status.ok(); ++i) {
      ReplicatedBuffer& buffer = AsReplicated(arguments[d][i]);
      auto taken = is_donated(i) ? buffer.Donate() : buffer.Share();
      if (taken.ok()) {
        below[d].push_back(*std::move(taken));
      } else {
        status = absl::Status(taken.status().code(),
                              absl::StrCat(ArgumentName(*this, d, i), ": ", taken.status().message()));
      }
    }
  }
  if (status.ok()) return below;
  // Nothing was launched: what was donated is whole again.
  for (size_t d = 0; d < below.size(); ++d) {
    for (size_t i = 0; i < below[d].size(); ++i) {
      if (is_donated(i)) AsReplicated(arguments[d][i]).UndoDonation(std::move(below[d][i]));
    }
  }
  return status;
}

// A launch, with all that it needs of the client, which may end before it.
struct ReplicatedExecutable::WithOthers {
  std::shared_ptr<ProcessGroup> group;
  std::shared_ptr<const ProgramPlacement> placement;
  std::shared_ptr<Executable> below;
  std::shared_ptr<ThreadPool> pool;
  std::shared_ptr<MemoryBudget> memory;
  absl::Duration collective_timeout;
  std::string fingerprint;
  int64_t launch_id = 0;

  // `arguments_status` is that of the arguments: with an error, the launch begins all the same, and fails for all.
  // `resources` has the limits of `options`.
  absl::StatusOr<std::vector<BufferList>> Run(const BuffersBelow& arguments, const absl::Status& arguments_status,
                                              const ExecuteOptions& options, const ResourceContext& resources) const {
    if (options.report != nullptr) *options.report = ExecutionReport();
    LaunchDescription description;
    description.launch_id = launch_id;
    description.fingerprint = fingerprint;
    description.process_of_device = placement->process_of_device;
    description.module = below->module();
    description.collective_timeout = collective_timeout;
    description.pool = pool.get();
    description.memory = memory.get();
    ASSIGN_OR_RETURN(const std::unique_ptr<Collectives> collectives,
                     group->Begin(description, [&resources] { return resources.Check(); }));
    WatchedCollectives::Options watched_options;
    watched_options.measures = options.report != nullptr;
    WatchedCollectives watched(collectives.get(), watched_options);
    const auto launch_below = [&]() -> absl::StatusOr<Execution> {
      RETURN_IF_ERROR(arguments_status);
      ExecuteOptions below_options = options;
      below_options.mode = ExecutionMode::kInline;
      below_options.timeout = absl::InfiniteDuration();
      below_options.deadline = absl::InfiniteFuture();
      below_options.cancellation = nullptr;
      below_options.resources = &resources;
      below_options.collectives = &watched;
      return below->Launch(Pointers(arguments).spans(), below_options);
    };
    absl::StatusOr<Execution> execution = launch_below();
    watched.EndOthers(placement->own_numbers, execution.status());
    if (options.report != nullptr) options.report->collectives = watched.costs();
    RETURN_IF_ERROR(execution.status());
    return std::move(execution->results);
  }
};

// Waits for arguments within the limits of the launch.
static absl::Status AwaitArguments(const std::vector<std::vector<std::shared_ptr<Buffer>>>& arguments,
                                   const ResourceContext& launch) {
  const ResourceContext resources(&launch, kWaitingForArguments);
  for (const auto& of_device : arguments) {
    for (const std::shared_ptr<Buffer>& argument : of_device) {
      const Event ready = argument->ready();
      while (!ready.WaitUntil(absl::Now() + kLimitCheckInterval)) RETURN_IF_ERROR(resources.Check());
      RETURN_IF_ERROR(ready.status());
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Execution> ReplicatedExecutable::LaunchWithOthers(absl::Span<const absl::Span<Buffer* const>> arguments,
                                                                 const ExecuteOptions& options) {
  if (options.launch_id < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(name(), ": ExecuteOptions::launch_id must not be negative, got ", options.launch_id));
  }
  if (options.collectives != nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(name(),
                     ": the backend replicated says where the devices of several processes meet: leave "
                     "ExecuteOptions::collectives out"));
  }
  WithOthers launch;
  launch.group = client_->shared_group();
  launch.placement = placement_;
  launch.below = below_;
  launch.pool = client_->pool();
  launch.memory = client_->memory();
  launch.collective_timeout = client_->collective_timeout();
  launch.fingerprint = absl::StrCat(fingerprint(), " seed ", options.seed);
  // Also of a launch that fails at once, so that those that follow pair up.
  launch.launch_id = options.launch_id != 0 ? options.launch_id : client_->NextLaunchId();
  ASSIGN_OR_RETURN(const Donations donations, FindDonations(*this, options));
  RETURN_IF_ERROR(CheckArguments(*this, arguments, donations));
  if (options.mode == ExecutionMode::kAsync) return LaunchLater(arguments, donations, std::move(launch), options);
  // The client below takes what is donated.
  ASSIGN_OR_RETURN(const BuffersBelow below, TakeArguments(arguments, Donations()));
  const ResourceContext resources(options.resources, kRunning, LimitsOf(options));
  const absl::Status ready = AwaitArguments(below, resources);
  ASSIGN_OR_RETURN(std::vector<BufferList> results, launch.Run(below, ready, options, resources));
  Execution execution;
  execution.results = Wrap(std::move(results));
  return execution;
}

// A launch that begins when its arguments are ready.
struct ReplicatedExecutable::Later {
  Later(WithOthers with_others, const ExecuteOptions& asked, std::shared_ptr<const Cancellation> ending)
      : launch(std::move(with_others)),
        options(asked),
        until_end(options.resources, kRunning, LimitOf(std::move(ending))),
        resources(&until_end, nullptr, LimitsOf(options)) {}

  static ResourceLimits LimitOf(std::shared_ptr<const Cancellation> ending) {
    ResourceLimits limits;
    limits.cancellation = std::move(ending);
    return limits;
  }

  void Finish(const absl::Status& ready) {
    absl::Status status = FillResults(ready);
    // What was given to the launch ends before it is reported as done.
    arguments.clear();
    done.Set(std::move(status));
  }

  absl::Status FillResults(const absl::Status& ready) {
    ASSIGN_OR_RETURN(const std::vector<BufferList> buffers, launch.Run(arguments, ready, options, resources));
    for (size_t d = 0; d < buffers.size(); ++d) {
      for (size_t i = 0; i < buffers[d].size(); ++i) {
        ASSIGN_OR_RETURN(*results[d][i], buffers[d][i]->ToLiteral());
      }
    }
    return absl::OkStatus();
  }

  const WithOthers launch;
  const ExecuteOptions options;
  const ResourceContext until_end;  // of the client
  const ResourceContext resources;
  BuffersBelow arguments;
  std::vector<std::vector<std::shared_ptr<Literal>>> results;  // by device
  EventSource done;
};

absl::StatusOr<Execution> ReplicatedExecutable::LaunchLater(absl::Span<const absl::Span<Buffer* const>> arguments,
                                                            const Donations& donations, WithOthers launch,
                                                            const ExecuteOptions& options) {
  const auto later = std::make_shared<Later>(std::move(launch), options, client_->ending());
  later->results.resize(devices_.size());
  Execution execution;
  execution.done = later->done.event();
  execution.results.resize(devices_.size());
  const Shape& result = program_shape().result;
  const bool untuples = options.untuple_result && result.IsTuple();
  const absl::Span<const Shape> shapes = untuples ? result.tuple_shapes() : absl::MakeConstSpan(&result, 1);
  for (size_t d = 0; d < devices_.size(); ++d) {
    for (const Shape& shape : shapes) {
      const std::shared_ptr<Literal>& value = later->results[d].emplace_back(std::make_shared<Literal>());
      ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer,
                       client_->BufferFromFuture(Future<Literal>(execution.done, value), shape, *devices_[d]));
      execution.results[d].push_back(std::move(buffer));
    }
  }
  // The last thing that can fail: from here on what is donated is gone.
  ASSIGN_OR_RETURN(later->arguments, TakeArguments(arguments, donations));
  std::vector<Event> ready;
  for (const auto& of_device : later->arguments) {
    for (const std::shared_ptr<Buffer>& argument : of_device) ready.push_back(argument->ready());
  }
  client_->launches().Launch(AllOf(ready), std::shared_ptr<const ResourceContext>(later, &later->resources),
                             [later](const absl::Status& status) { later->Finish(status); });
  return execution;
}

}  // namespace xla
