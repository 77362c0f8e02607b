#include "xla_core/evaluator/program.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "xla_core/evaluator/device_evaluator.h"
#include "xla_core/evaluator/device_turns.h"
#include "xla_core/evaluator/first_cause.h"
#include "xla_core/evaluator/literal_meetings.h"
#include "xla_core/evaluator/plan_cache.h"
#include "xla_core/support/large_stack.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/support/thread_pool.h"

namespace xla {
namespace {

// Address space for a chain of calls as deep as DeviceEvaluator allows, with room for sanitizers.
constexpr size_t kStackBytes = size_t{64} << 20;
// Calls that nest no deeper than this run on the caller's stack: in a sanitizer's build a level takes some 30 kB.
constexpr int kMaxDepthOnCallersStack = 16;
// More devices than this are a mistake: each is a thread.
constexpr int64_t kMaxDevices = 4096;
// The system shares processors among so many devices for each of them; if there are more, they take turns.
constexpr int64_t kDevicesPerProcessor = 4;
// What a thread that has begun holds beside values: the part of its stack that was touched, and what the system and
// malloc keep for it (measured: 40 to 46 kB each, of 4096 that meet). A few devices' are not worth counting.
constexpr int64_t kThreadBytes = 48 << 10;
// The phase of a run that is not part of something else.
constexpr char kRunning[] = "running the program";

// How deeply calls nest: 1 for an entry that calls nothing.
int CallDepth(const HloModule& module) {
  absl::flat_hash_map<const HloComputation*, int> depths;
  // Callees precede their callers.
  for (const auto& computation : module.computations()) {
    int depth = 1;
    for (const auto& instruction : computation->instructions()) {
      for (const HloComputation* callee : instruction->called_computations()) {
        depth = std::max(depth, depths[callee] + 1);
      }
    }
    depths[computation.get()] = depth;
  }
  return depths[module.entry()];
}

int64_t MostDevicesAtOnce() {
  static const int64_t most = kDevicesPerProcessor * UsableCpuCount();
  return most;
}

}  // namespace

EvaluatorProgram::EvaluatorProgram(const HloModule& module, OwnDevices devices)
    : module_(module),
      devices_(std::move(devices)),
      needs_large_stack_(devices_.program_count() > 1 || CallDepth(module) > kMaxDepthOnCallersStack),
      plans_(std::make_unique<PlanCache>(module)) {}

EvaluatorProgram::~EvaluatorProgram() = default;

absl::StatusOr<std::unique_ptr<EvaluatorProgram>> EvaluatorProgram::Create(const HloModule& module,
                                                                           OwnDevices devices) {
  const int64_t replica_count = devices.replica_count();
  const int64_t partition_count = devices.partition_count();
  if (replica_count < 1 || partition_count < 1 || replica_count > kMaxDevices ||
      partition_count > kMaxDevices / replica_count) {
    return absl::InvalidArgumentError(absl::StrCat("replicas and partitions must be at least 1 and at most ",
                                                   kMaxDevices, " together, found ", replica_count, " x ",
                                                   partition_count));
  }
  if (module.entry() == nullptr) return absl::InvalidArgumentError("the module has no entry computation");
  auto program = std::unique_ptr<EvaluatorProgram>(new EvaluatorProgram(module, std::move(devices)));
  for (const HloInstruction* parameter : module.entry()->parameters()) {
    program->parameter_shapes_.push_back(parameter->shape());
  }
  return program;
}

// There must be one list of arguments for each device and, in each, one argument of a compatible shape for each
// parameter. Layouts do not count.
absl::Status EvaluatorProgram::CheckArguments(const std::vector<std::vector<Literal>>& arguments) const {
  if (static_cast<int64_t>(arguments.size()) != devices_.count()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected arguments for ", devices_.count(), " devices, found ", arguments.size()));
  }
  for (size_t d = 0; d < arguments.size(); ++d) {
    const auto where = [&] { return arguments.size() > 1 ? absl::StrCat(" for device ", d) : ""; };
    if (arguments[d].size() != parameter_shapes_.size()) {
      return absl::InvalidArgumentError(absl::StrCat("the program has ", parameter_shapes_.size(),
                                                     " parameters, found ", arguments[d].size(), " arguments",
                                                     where()));
    }
    for (size_t i = 0; i < parameter_shapes_.size(); ++i) {
      if (!arguments[d][i].shape().Compatible(parameter_shapes_[i])) {
        return absl::InvalidArgumentError(
            absl::StrCat("argument ", i, where(), " has shape ", arguments[d][i].shape().ToString(), ", expected ",
                         parameter_shapes_[i].ToString(), " of parameter ", module_.entry()->parameters()[i]->name()));
      }
    }
  }
  return absl::OkStatus();
}

std::unique_ptr<DeviceEvaluator> EvaluatorProgram::TakeIdle() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<DeviceEvaluator> evaluator = std::move(idle_.back());
      idle_.pop_back();
      return evaluator;
    }
  }
  return std::make_unique<DeviceEvaluator>(plans_.get());
}

void EvaluatorProgram::GiveBack(std::unique_ptr<DeviceEvaluator> evaluator) {
  std::lock_guard<std::mutex> lock(mutex_);
  idle_.push_back(std::move(evaluator));
}

// Runs each device on a thread of its own if there are several or if calls nest deeply: all at once, or in turns where
// they are many. Each device tells where they meet when it ends, so that those who wait for it fail instead of hanging.
// The error returned is the first cause, not one that another device's failure caused.
absl::StatusOr<std::vector<Literal>> EvaluatorProgram::Run(std::vector<std::vector<Literal>> arguments,
                                                           EvaluatorRun& run) {
  RETURN_IF_ERROR(CheckArguments(arguments));
  const EvaluatorOptions& options = *run.options;
  const int64_t devices = devices_.count();
  const ResourceContext* const whole = options.resources;
  ResourceLimits limits;
  limits.timeout = options.timeout;
  const ResourceContext resources(whole, whole == nullptr ? kRunning : nullptr, limits);
  MemoryBudget own_budget(options.max_memory_bytes, whole == nullptr ? nullptr : &whole->memory());
  MemoryBudget& budget = run.memory != nullptr ? *run.memory : own_budget;
  absl::optional<LiteralMeetings> own_meetings;
  DeviceMeetings* const meetings = run.meetings != nullptr ? run.meetings : &own_meetings.emplace(devices);
  absl::optional<DeviceTurns> shared_turns;
  DeviceTurns* const turns = devices > MostDevicesAtOnce() ? &shared_turns.emplace(MostDevicesAtOnce()) : nullptr;
  const RunState state = {&options, run.pool, &budget, meetings, run.feeds, &resources, run.abandoned, turns};

  // An error without a message takes no memory; each device overwrites it.
  std::vector<absl::StatusOr<Literal>> results(devices, absl::Status(absl::StatusCode::kInternal, ""));
  absl::InlinedVector<int64_t, 8> steps(devices, 0);
  const auto run_device = [&](int64_t d) {
    std::unique_ptr<DeviceEvaluator> evaluator = TakeIdle();
    evaluator->Begin(&state, devices_.InfoOf(d));
    results[d] = evaluator->RunEntry(*module_.entry(), std::move(arguments[d]));
    steps[d] = evaluator->steps();
    GiveBack(std::move(evaluator));
    if (turns != nullptr) turns->End();
    meetings->DeviceEnded(devices_.NumberOf(d), results[d].status());
  };
  if (needs_large_stack_) {
    std::vector<StackThread> threads(devices);
    int64_t counted_bytes = 0;
    const auto start = [&](int64_t d) {
      if (turns != nullptr) {
        RETURN_IF_ERROR(budget.Reserve(kThreadBytes));
        counted_bytes += kThreadBytes;
        // A device whose turn has not come needs no thread yet.
        turns->Begin();
      }
      absl::Status started = threads[d].Start(kStackBytes, [&run_device, d] { run_device(d); });
      if (turns != nullptr && !started.ok()) turns->End();
      return started;
    };
    for (int64_t d = 0; d < devices; ++d) {
      const absl::Status started = start(d);
      if (started.ok()) continue;
      results[d] = started;
      meetings->DeviceEnded(devices_.NumberOf(d), started);
    }
    for (StackThread& thread : threads) thread.Join();
    budget.Release(counted_bytes);
  } else {
    run_device(0);
  }

  run.peak_memory_bytes = budget.peak();
  run.steps = 0;
  for (int64_t n : steps) run.steps += n;
  // Values that leave this run outlive its budget.
  for (int64_t d = 0; d < devices; ++d) run.feeds->DeviceEnded(devices_.NumberOf(d));
  for (auto& result : results) {
    if (result.ok()) result->LeaveBudget();
  }
  RETURN_IF_ERROR(FirstCause(results));
  std::vector<Literal> values;
  values.reserve(devices);
  for (auto& result : results) values.push_back(*std::move(result));
  return values;
}

}  // namespace xla
