#include "xla_core/evaluator/device_evaluator.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Calls nest at most this deep: each level takes stack.
constexpr int kMaxCallDepth = 2000;
// The clock is read once in so many steps.
constexpr int64_t kStepsPerClock = 256;
// Frames beyond this many values are given back rather than kept: only loop bodies profit, and those are small.
constexpr int kMaxKeptFrame = 4096;

// Puts the instruction's name in front of a message that does not carry it yet.
absl::Status WithName(const absl::Status& status, const HloInstruction& instruction) {
  const std::string prefix = absl::StrCat(instruction.name(), ":");
  if (status.message().find(prefix) != absl::string_view::npos || status.code() == absl::StatusCode::kAborted ||
      status.code() == absl::StatusCode::kCancelled || status.code() == absl::StatusCode::kDeadlineExceeded) {
    return status;
  }
  return absl::Status(status.code(), absl::StrCat(prefix, " ", status.message()));
}

}  // namespace

DeviceEvaluator::DeviceEvaluator(const RunState& run, const DeviceInfo& device)
    : run_(run), device_(device), seed_(run.options->seed + static_cast<uint64_t>(device.id()) * 0x9E3779B97F4A7C15) {}

DeviceEvaluator::~DeviceEvaluator() = default;

absl::StatusOr<Literal> DeviceEvaluator::RunEntry(const HloComputation& entry, std::vector<Literal> arguments) {
  return Call(entry, std::move(arguments));
}

absl::StatusOr<DeviceEvaluator::Prepared*> DeviceEvaluator::Prepare(const HloComputation& computation) {
  std::unique_ptr<Prepared>& prepared = prepared_[&computation];
  if (prepared == nullptr) {
    ASSIGN_OR_RETURN(auto plan, MakeExecutionPlan(computation));
    prepared = std::make_unique<Prepared>();
    prepared->plan = std::move(plan);
  }
  return prepared.get();
}

absl::StatusOr<Literal> DeviceEvaluator::Call(const HloComputation& computation, std::vector<Literal> arguments) {
  if (depth_ >= kMaxCallDepth) {
    return absl::ResourceExhaustedError(
        absl::StrCat("calls nest deeper than ", kMaxCallDepth, " at ", computation.name()));
  }
  ASSIGN_OR_RETURN(Prepared * prepared, Prepare(computation));
  const ExecutionPlan& plan = *prepared->plan;
  if (arguments.size() != plan.parameter_slots.size()) {
    return absl::InvalidArgumentError(absl::StrCat(computation.name(), " has ", plan.parameter_slots.size(),
                                                   " parameters, but was given ", arguments.size(), " values"));
  }
  std::vector<Literal> frame;
  if (!prepared->free_frames.empty()) {
    frame = std::move(prepared->free_frames.back());
    prepared->free_frames.pop_back();
  } else {
    frame.resize(plan.slot_count);
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (plan.parameter_slots[i] >= 0) frame[plan.parameter_slots[i]] = std::move(arguments[i]);
  }
  ++depth_;
  absl::StatusOr<Literal> result = RunPlan(plan, frame);
  --depth_;
  // After an error the values left in the frame go with it.
  if (result.ok() && plan.slot_count <= kMaxKeptFrame) {
    // Parameters that no step has used stay behind.
    for (int32_t slot : plan.parameter_slots) {
      if (slot >= 0) frame[slot] = Literal();
    }
    prepared->free_frames.push_back(std::move(frame));
  }
  return result;
}

absl::StatusOr<Literal> DeviceEvaluator::RunPlan(const ExecutionPlan& plan, std::vector<Literal>& frame) {
  const bool report = depth_ == 1 && device_.id() == 0 && run_.options->progress != nullptr;
  int64_t done = 0;
  for (const PlanStep& step : plan.steps) {
    RETURN_IF_ERROR(RunStep(step, frame));
    if (report) run_.options->progress(++done, static_cast<int64_t>(plan.steps.size()));
  }
  return std::move(frame[plan.root_slot]);
}

absl::Status DeviceEvaluator::RunStep(const PlanStep& step, std::vector<Literal>& frame) {
  RETURN_IF_ERROR(CountStep());
  absl::InlinedVector<Literal*, 6> values;
  for (int32_t slot : step.operands) values.push_back(&frame[slot]);
  OperandValues operands(values, step.owned);
  const bool profile = run_.options->profile != nullptr;
  const absl::Time start = profile ? absl::Now() : absl::Time();
  absl::StatusOr<Literal> result = step.evaluate(*step.instruction, operands, *this);
  if (!result.ok()) return WithName(result.status(), *step.instruction);
  if (profile) run_.options->profile->OnInstruction(*step.instruction, device_.id(), start, absl::Now());
  frame[step.result] = *std::move(result);
  for (int32_t slot : step.dead_after) frame[slot] = Literal();
  return absl::OkStatus();
}

absl::Status DeviceEvaluator::CountStep() {
  ++steps_;
  if (run_.options->max_steps > 0 && steps_ > run_.options->max_steps) {
    return absl::ResourceExhaustedError(absl::StrCat("step limit reached: the program has run ",
                                                     run_.options->max_steps,
                                                     " instructions; raise the step limit if that is right"));
  }
  return steps_ % kStepsPerClock == 0 ? CheckDeadline() : absl::OkStatus();
}

absl::Status DeviceEvaluator::CheckDeadline() {
  if (run_.options->cancelled != nullptr && run_.options->cancelled->load(std::memory_order_relaxed)) {
    return absl::CancelledError("the run was cancelled");
  }
  if (run_.deadline != absl::InfiniteFuture() && absl::Now() > run_.deadline) {
    return absl::DeadlineExceededError(
        absl::StrCat("the time limit of ", absl::FormatDuration(run_.options->timeout), " has passed"));
  }
  return absl::OkStatus();
}

absl::Status DeviceEvaluator::ParallelFor(int64_t count, int64_t grain,
                                          const std::function<void(int64_t, int64_t)>& body) {
  if (count <= grain) {
    if (count > 0) body(0, count);
    return absl::OkStatus();
  }
  std::atomic<bool> stop{false};
  run_.pool->ParallelFor(count, grain, [&](int64_t begin, int64_t end) {
    if (stop.load(std::memory_order_relaxed)) return;
    body(begin, end);
    if (!CheckDeadline().ok()) stop.store(true, std::memory_order_relaxed);
  });
  return stop.load() ? CheckDeadline() : absl::OkStatus();
}

absl::StatusOr<const ScalarFunction*> DeviceEvaluator::GetScalarFunction(const HloComputation& computation) {
  std::unique_ptr<ScalarFunction>& function = scalar_functions_[&computation];
  if (function == nullptr) {
    ASSIGN_OR_RETURN(function, ScalarFunction::Compile(computation));
  }
  return function.get();
}

std::pair<uint64_t, uint64_t> DeviceEvaluator::AdvanceRngState(uint64_t delta) {
  const std::pair<uint64_t, uint64_t> before = rng_state_;
  rng_state_.first += delta;
  if (rng_state_.first < delta) ++rng_state_.second;
  return before;
}

absl::StatusOr<std::vector<std::vector<Literal>>> DeviceEvaluator::Exchange(const HloInstruction& instruction,
                                                                            absl::Span<const int64_t> group,
                                                                            std::vector<Literal> mine) {
  if (group.size() == 1) {
    std::vector<std::vector<Literal>> alone;
    alone.push_back(std::move(mine));
    return alone;
  }
  return run_.rendezvous->Exchange(device_.id(), instruction, group, std::move(mine),
                                   [this] { return CheckDeadline(); });
}

absl::Status DeviceEvaluator::Send(int64_t channel, int64_t peer, Literal value) {
  run_.rendezvous->Send(device_.id(), peer, channel, std::move(value));
  return absl::OkStatus();
}

absl::StatusOr<Literal> DeviceEvaluator::Receive(int64_t channel, int64_t peer, const HloInstruction& instruction) {
  return run_.rendezvous->Receive(device_.id(), peer, channel, instruction, [this] { return CheckDeadline(); });
}

absl::StatusOr<Literal> DeviceEvaluator::Infeed(const HloInstruction& instruction, const Shape& shape) {
  if (shape.IsTuple() && shape.tuple_size() == 0) return Literal::Tuple({});
  const size_t device = static_cast<size_t>(device_.id());
  const bool has_queue = run_.queues != nullptr && device < run_.queues->infeed.size();
  const size_t queued = has_queue ? run_.queues->infeed[device].size() : 0;
  if (infeed_taken_ >= queued) {
    return absl::FailedPreconditionError(absl::StrCat(instruction.name(), ": wants value ", infeed_taken_ + 1,
                                                      " of device ", device, "'s infeed queue, which was given ",
                                                      queued, "; expected ", shape.ToString()));
  }
  Literal& next = run_.queues->infeed[device][infeed_taken_++];
  if (!next.shape().Compatible(shape)) {
    return absl::InvalidArgumentError(absl::StrCat(instruction.name(), ": value ", infeed_taken_,
                                                   " of the infeed queue has shape ", next.shape().ToString(),
                                                   ", expected ", shape.ToString()));
  }
  return next;
}

absl::Status DeviceEvaluator::Outfeed(const HloInstruction&, Literal value) {
  const size_t device = static_cast<size_t>(device_.id());
  if (run_.queues != nullptr && device < run_.queues->outfeed.size())
    run_.queues->outfeed[device].push_back(std::move(value));
  return absl::OkStatus();
}

}  // namespace xla
