#include "xla_core/evaluator/device_evaluator.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "xla_core/evaluator/scalar_state.h"
#include "xla_core/support/limit_message.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Calls nest at most this deep: each level takes stack.
constexpr int kMaxCallDepth = 2000;
// Limits of time are looked at once in this many steps: each may take milliseconds.
constexpr int64_t kStepsPerCheck = 16;
// A loop over scalars looks at them once in this many iterations: each takes at least some nanoseconds.
constexpr int64_t kTurnsPerCheck = 4096;
// Frames beyond this many values are given back rather than kept: only loop bodies profit, and those are small.
constexpr int kMaxKeptFrame = 4096;

// Puts the instruction's name in front of a message that does not carry it yet, and the phase at the end of one that
// something has run out.
absl::Status WithName(const absl::Status& status, const HloInstruction& instruction, absl::string_view phase) {
  const std::string prefix = absl::StrCat(instruction.name(), ":");
  if (absl::StartsWith(status.message(), prefix) || status.code() == absl::StatusCode::kAborted ||
      status.code() == absl::StatusCode::kCancelled || status.code() == absl::StatusCode::kDeadlineExceeded) {
    return status;
  }
  return absl::Status(status.code(), absl::StrCat(prefix, " ", MessageInPhase(status, phase)));
}

}  // namespace

void DeviceEvaluator::Begin(const RunState* run, const DeviceInfo& device) {
  run_ = run;
  device_ = device;
  seed_ = run->options->seed + static_cast<uint64_t>(device.id()) * 0x9E3779B97F4A7C15;
  rng_state_ = {0, 0};
  steps_ = 0;
  depth_ = 0;
  if (run->turns != nullptr) turn_began_ = absl::Now();
}

absl::StatusOr<Literal> DeviceEvaluator::RunEntry(const HloComputation& entry, std::vector<Literal> arguments) {
  RETURN_IF_ERROR(CheckDeadline());
  return Call(entry, std::move(arguments));
}

absl::StatusOr<DeviceEvaluator::Prepared*> DeviceEvaluator::Prepare(const HloComputation& computation,
                                                                    PlanParameters parameters) {
  std::unique_ptr<Prepared>& prepared = prepared_[std::make_pair(&computation, parameters)];
  if (prepared == nullptr) {
    RETURN_IF_ERROR(CheckDeadline());
    ASSIGN_OR_RETURN(const ExecutionPlan* plan, plans_->GetPlan(computation, parameters, run_->resources));
    prepared = std::make_unique<Prepared>();
    prepared->plan = plan;
  }
  return prepared.get();
}

DeviceEvaluator::Frame DeviceEvaluator::TakeFrame(Prepared* prepared) {
  if (!prepared->free_frames.empty()) {
    Frame frame = std::move(prepared->free_frames.back());
    prepared->free_frames.pop_back();
    return frame;
  }
  Frame frame(prepared->plan->slot_count);
  for (const auto& constant : prepared->plan->constants) frame[constant.first] = constant.second;
  return frame;
}

void DeviceEvaluator::GiveBackFrame(Prepared* prepared, Frame frame) {
  if (prepared->plan->slot_count > kMaxKeptFrame) return;
  // Parameters that no step has used up stay behind.
  for (int32_t slot : prepared->plan->parameter_slots) {
    if (slot >= 0) frame[slot] = Literal();
  }
  prepared->free_frames.push_back(std::move(frame));
}

// Runs a computation on arguments that it may consume. Its frame, one literal a slot, is taken from a pool and given
// back, so that a loop allocates none per iteration. A frame of a failed run is not given back.
absl::StatusOr<Literal> DeviceEvaluator::Call(const HloComputation& computation, std::vector<Literal> arguments) {
  ASSIGN_OR_RETURN(Prepared * prepared, Prepare(computation, PlanParameters::kConsume));
  const ExecutionPlan& plan = *prepared->plan;
  if (arguments.size() != plan.parameter_slots.size()) {
    return absl::InvalidArgumentError(absl::StrCat(computation.name(), " has ", plan.parameter_slots.size(),
                                                   " parameters, but was given ", arguments.size(), " values"));
  }
  Frame frame = TakeFrame(prepared);
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (plan.parameter_slots[i] >= 0) frame[plan.parameter_slots[i]] = std::move(arguments[i]);
  }
  // A value that the computation does not read is not kept while it runs.
  arguments.clear();
  ASSIGN_OR_RETURN(Literal result, RunPlan(plan, frame));
  GiveBackFrame(prepared, std::move(frame));
  return result;
}

absl::StatusOr<bool> DeviceEvaluator::RunCondition(Prepared* condition, Literal* state) {
  const ExecutionPlan& plan = *condition->plan;
  Frame frame = TakeFrame(condition);
  const int32_t slot = plan.parameter_slots[0];
  // The condition borrows the state: a copy would cost a little for each element of a tuple.
  if (slot >= 0) frame[slot] = std::move(*state);
  ASSIGN_OR_RETURN(const Literal go_on, RunPlan(plan, frame));
  if (slot >= 0) *state = std::move(frame[slot]);
  GiveBackFrame(condition, std::move(frame));
  return *go_on.data<bool>();
}

// Runs a loop whose state consists of scalars without making a literal per instruction: condition and body are
// compiled to scalar programs that read and write the cells of the state. False, with the state untouched, if the
// loop does not allow it. Steps, deadline and limits count as in the general way.
absl::StatusOr<bool> DeviceEvaluator::RunScalarLoop(const HloInstruction& loop, Literal* state) {
  // A profile needs to see each instruction; effects are not compiled.
  if (run_->options->profile != nullptr) return false;
  for (const HloComputation* part : loop.called_computations()) {
    if (plans_->effectful().contains(part)) return false;
  }
  ASSIGN_OR_RETURN(const ScalarFunction* condition, GetScalarFunction(*loop.called_computation(0)));
  if (!condition->is_compiled()) return false;
  ASSIGN_OR_RETURN(const ScalarFunction* body, GetScalarFunction(*loop.called_computation(1)));
  if (!body->is_compiled()) return false;

  // An iteration counts even if it holds no instruction.
  const int64_t turn_steps = std::max<int64_t>(1, condition->step_count() + body->step_count());
  ScalarState cells(state);
  bool go_on = true;
  void* const go_on_result[] = {&go_on};
  for (int64_t turn = 0;; ++turn) {
    if (turn % kTurnsPerCheck == 0) RETURN_IF_ERROR(CheckDeadline());
    RETURN_IF_ERROR(condition->Apply(1, cells.inputs(), go_on_result, *this));
    if (!go_on) break;
    RETURN_IF_ERROR(body->Apply(1, cells.inputs(), cells.results(), *this));
    cells.Advance();
    steps_ += turn_steps;
    RETURN_IF_ERROR(CheckStepLimit());
  }
  cells.Store();
  return true;
}

// The general way: condition and body as plans. The condition keeps its parameter, since the body needs the state
// afterwards; the body consumes it, so that its updates may happen in place.
absl::StatusOr<Literal> DeviceEvaluator::RunWhile(const HloInstruction& loop, Literal state) {
  ASSIGN_OR_RETURN(const bool done, RunScalarLoop(loop, &state));
  if (done) return state;
  ASSIGN_OR_RETURN(Prepared * condition, Prepare(*loop.called_computation(0), PlanParameters::kKeep));
  while (true) {
    // Steps check it, of which an empty condition and body have none.
    RETURN_IF_ERROR(CheckDeadline());
    const int64_t steps_before = steps_;
    ASSIGN_OR_RETURN(const bool go_on, RunCondition(condition, &state));
    if (!go_on) return state;
    std::vector<Literal> arguments;
    arguments.push_back(std::move(state));
    ASSIGN_OR_RETURN(state, Call(*loop.called_computation(1), std::move(arguments)));
    // An iteration counts even if it holds no instruction.
    if (steps_ == steps_before) ++steps_;
    RETURN_IF_ERROR(CheckStepLimit());
  }
}

// Runs the steps of a plan in order. Progress is reported for the entry on device 0 only: one number for the user,
// whatever the other devices do. `keeps_root` says that the root's value is still needed in its slot and must be
// copied.
absl::StatusOr<Literal> DeviceEvaluator::RunPlan(const ExecutionPlan& plan, Frame& frame) {
  if (depth_ >= kMaxCallDepth) {
    return absl::ResourceExhaustedError(
        absl::StrCat("calls nest deeper than ", kMaxCallDepth, " at ", plan.computation->name()));
  }
  const bool report = depth_ == 0 && device_.id() == 0 && run_->options->progress != nullptr;
  int64_t done = 0;
  ++depth_;
  for (const PlanStep& step : plan.steps) {
    // An error ends the whole run: nothing reads the depth, or what is left in the frame, afterwards.
    RETURN_IF_ERROR(RunStep(step, frame));
    if (report) run_->options->progress(++done, static_cast<int64_t>(plan.steps.size()));
  }
  --depth_;
  Literal& root = frame[plan.root_slot];
  return plan.keeps_root ? root : std::move(root);
}

absl::Status DeviceEvaluator::RunStep(const PlanStep& step, Frame& frame) {
  ++steps_;
  RETURN_IF_ERROR(CheckStepLimit());
  if (run_->turns != nullptr) RETURN_IF_ERROR(GiveUpLongTurn());
  if (steps_ % kStepsPerCheck == 0) RETURN_IF_ERROR(CheckDeadline());
  absl::InlinedVector<Literal*, 6> values;
  for (int32_t slot : step.operands) values.push_back(&frame[slot]);
  OperandValues operands(values, step.owned);
  const bool profile = run_->options->profile != nullptr;
  const absl::Time start = profile ? absl::Now() : absl::Time();
  const auto evaluate = [&] { return step.evaluate(*step.instruction, operands, *this); };
  // What a custom call does is up to its target, which may wait for those of other devices.
  const bool may_wait = step.instruction->opcode() == HloOpcode::kCustomCall;
  absl::StatusOr<Literal> result = may_wait ? WhileOthersWork(evaluate) : evaluate();
  if (!result.ok()) return WithName(result.status(), *step.instruction, run_->resources->phase());
  if (profile) run_->options->profile->OnInstruction(*step.instruction, device_.id(), start, absl::Now());
  frame[step.result] = *std::move(result);
  for (int32_t slot : step.dead_after) frame[slot] = Literal();
  return absl::OkStatus();
}

absl::Status DeviceEvaluator::CheckStepLimit() const {
  if (run_->options->max_steps == 0 || steps_ <= run_->options->max_steps) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("step limit reached: the program has run ", run_->options->max_steps,
                                                   " instructions; raise the step limit if that is right"));
}

// To be called between instructions, when no scratch memory is held. Much may have happened by the time the device goes
// on.
absl::Status DeviceEvaluator::GiveUpLongTurn() {
  if (!run_->turns->are_wanted() || absl::Now() - turn_began_ < DeviceTurns::kLength) return absl::OkStatus();
  run_->turns->End();
  run_->turns->Begin();
  turn_began_ = absl::Now();
  return CheckDeadline();
}

template <typename Wait>
std::invoke_result_t<Wait> DeviceEvaluator::WhileOthersWork(const Wait& wait) {
  if (run_->turns == nullptr) return wait();
  run_->turns->End();
  std::invoke_result_t<Wait> result = wait();
  run_->turns->Begin();
  turn_began_ = absl::Now();
  if (result.ok()) RETURN_IF_ERROR(CheckDeadline());
  return result;
}

absl::Status DeviceEvaluator::CheckDeadline() {
  if (run_->abandoned != nullptr && run_->abandoned->load(std::memory_order_relaxed)) {
    return absl::CancelledError("the run was abandoned: its results have no receiver");
  }
  if (run_->meetings->failed()) return absl::AbortedError("stopped because another device failed");
  return run_->resources->Check();
}

absl::Status DeviceEvaluator::ParallelFor(int64_t count, int64_t grain,
                                          const std::function<void(int64_t, int64_t)>& body) {
  if (count <= grain) {
    if (count > 0) body(0, count);
    return absl::OkStatus();
  }
  std::atomic<bool> stop{false};
  run_->pool->ParallelFor(count, grain, [&](int64_t begin, int64_t end) {
    if (stop.load(std::memory_order_relaxed)) return;
    body(begin, end);
    if (!CheckDeadline().ok()) stop.store(true, std::memory_order_relaxed);
  });
  return stop.load() ? CheckDeadline() : absl::OkStatus();
}

absl::StatusOr<const ScalarFunction*> DeviceEvaluator::GetScalarFunction(const HloComputation& computation) {
  const ScalarFunction*& function = scalar_functions_[&computation];
  if (function == nullptr) {
    ASSIGN_OR_RETURN(function, plans_->GetScalarFunction(computation));
  }
  return function;
}

std::pair<uint64_t, uint64_t> DeviceEvaluator::AdvanceRngState(uint64_t delta) {
  const std::pair<uint64_t, uint64_t> before = rng_state_;
  rng_state_.first += delta;
  if (rng_state_.first < delta) ++rng_state_.second;
  return before;
}

absl::StatusOr<Contributions> DeviceEvaluator::Exchange(const HloInstruction& instruction,
                                                        absl::Span<const int64_t> group, std::vector<Literal> mine) {
  if (group.size() == 1) return Contributions{std::make_shared<const std::vector<Literal>>(std::move(mine))};
  return WhileOthersWork([&] {
    return run_->meetings->Exchange(device_.id(), instruction, group, std::move(mine),
                                    [this] { return CheckDeadline(); });
  });
}

absl::Status DeviceEvaluator::Send(int64_t channel, int64_t peer, Literal value) {
  return run_->meetings->Send(device_.id(), peer, channel, std::move(value));
}

absl::StatusOr<Literal> DeviceEvaluator::Receive(int64_t channel, int64_t peer, const HloInstruction& instruction) {
  return WhileOthersWork([&] {
    return run_->meetings->Receive(device_.id(), peer, channel, instruction, [this] { return CheckDeadline(); });
  });
}

absl::StatusOr<Literal> DeviceEvaluator::Infeed(const HloInstruction& instruction, const Shape& shape) {
  if (shape.IsTuple() && shape.tuple_size() == 0) return Literal::Tuple({});
  return WhileOthersWork(
      [&] { return run_->feeds->Infeed(device_.id(), instruction, shape, [this] { return CheckDeadline(); }); });
}

absl::Status DeviceEvaluator::Outfeed(const HloInstruction& instruction, Literal value) {
  return run_->feeds->Outfeed(device_.id(), instruction, std::move(value));
}

}  // namespace xla
