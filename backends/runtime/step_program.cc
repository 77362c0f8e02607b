#include "backends/runtime/step_program.h"

#include "absl/base/attributes.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backends/runtime/overlap.h"
#include "backends/runtime/step_hook.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::Status StepLimitReached(int64_t limit) {
  return absl::ResourceExhaustedError(absl::StrCat("step limit reached: the program has run ", limit,
                                                   " instructions; raise the step limit if that is right"));
}

int32_t SwitchTarget(const StepProgram& program, const ProgramStep& step, const void* index_address) {
  int64_t index =
      step.is_pred ? !*static_cast<const bool*>(index_address) : *static_cast<const int32_t*>(index_address);
  if (index < 0 || index >= step.target_count) index = step.target_count - 1;
  return program.targets[step.first_target + index];
}

// How many thunks the step runs at once in this run.
int64_t ThunksTogether(const ProgramStep& step, const StepOptions& options, int64_t count,
                       const ExecuteContext& context) {
  if (step.kind != ProgramStep::Kind::kRunTogether || context.thread_count() == 1) return 1;
  if (context.device_work != nullptr) return 1;
  return options.max_steps > 0 && count + step.target_count > options.max_steps ? 1 : step.target_count;
}

// Steps from one on that a device is given together: where they end, and how many thunks they run.
struct DeviceSteps {
  int32_t end = 0;
  int64_t thunks = 0;
};

// A run that is to end waits for no more than these.
constexpr int64_t kMostDeviceThunks = 512;

// Those that follow each other and run on the device, `most` at most; the first is the one that is asked for.
DeviceSteps FindDeviceSteps(const StepProgram& program, int32_t first, int64_t most) {
  DeviceSteps found;
  const auto end = static_cast<int32_t>(program.steps.size());
  for (int32_t at = first; at < end && found.thunks < most; ++at) {
    const ProgramStep& step = program.steps[at];
    if (step.kind == ProgramStep::Kind::kEntryDone) continue;
    if (step.thunk == nullptr || !step.thunk->info().is_on_device) break;
    ++found.thunks;
    found.end = at + 1;
  }
  return found;
}

// A thunk of the host may write only a part of a slice, so that it needs the rest of it too. One that touches nothing
// does not wait for the device.
absl::Status ExecuteInStep(const Thunk& thunk, ExecuteContext& context) {
  const ThunkInfo& info = thunk.info();
  if (context.device_work == nullptr || (info.reads.empty() && info.writes.empty())) return thunk.Execute(context);
  RETURN_IF_ERROR(context.device_work->ToHost(info.reads));
  RETURN_IF_ERROR(context.device_work->ToHost(info.writes));
  RETURN_IF_ERROR(thunk.Execute(context));
  return context.device_work->ToDevice(info.writes);
}

// Loops whose iterations a run counts instead of asking the device whether they go on: the device works on while the
// host is at the next iteration.
class CountedLoops {
 public:
  explicit CountedLoops(const StepProgram& program) : program_(program) {}

  static bool IsCounted(const ProgramStep& test, const ExecuteContext& context) {
    return test.trip_count >= 0 && context.device_work != nullptr;
  }
  // The step after the test of a loop at `test`, which begins another iteration or ends the loop.
  int32_t Next(int32_t test) {
    const ProgramStep& step = program_.steps[test];
    int64_t& done = done_[test];
    if (done++ < step.trip_count) return test + 1;
    done = 0;
    return step.target;
  }

 private:
  const StepProgram& program_;
  absl::flat_hash_map<int32_t, int64_t> done_;  // iterations begun, by test
};

// The host's memory holds what the hook is told of.
absl::Status BringObserved(const Thunk& thunk, const ExecuteContext& context) {
  if (context.device_work == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(context.device_work->ToHost(thunk.info().reads));
  return context.device_work->ToHost(thunk.info().writes);
}

absl::Status TellBefore(const Thunk& thunk, StepHook* hook, ExecuteContext& context) {
  if (hook == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(BringObserved(thunk, context));
  return hook->BeforeThunk(thunk, context);
}

absl::Status TellAfter(const Thunk& thunk, StepHook* hook, ExecuteContext& context) {
  if (hook == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(BringObserved(thunk, context));
  return hook->AfterThunk(thunk, context);
}

absl::Status RunOne(const Thunk& thunk, ProfileSink* profile, StepHook* hook, ExecuteContext& context) {
  RETURN_IF_ERROR(TellBefore(thunk, hook, context));
  RETURN_IF_ERROR(RunThunk(thunk, profile, context));
  return TellAfter(thunk, hook, context);
}

absl::Status RunAllTogether(const StepProgram& program, const ProgramStep& step, ProfileSink* profile, StepHook* hook,
                            ExecuteContext& context) {
  const auto thunk = [&](int32_t i) -> const Thunk& { return *program.thunks[step.first_target + i]; };
  for (int32_t i = 0; i < step.target_count; ++i) RETURN_IF_ERROR(TellBefore(thunk(i), hook, context));
  RETURN_IF_ERROR(RunTogether(program, step, profile, context));
  for (int32_t i = 0; i < step.target_count; ++i) RETURN_IF_ERROR(TellAfter(thunk(i), hook, context));
  return absl::OkStatus();
}

// The thunks of steps `first` to `end`, which run on the device; a single one if there is a hook.
absl::Status RunOnDevice(const StepProgram& program, int32_t first, int32_t end, ProfileSink* profile, StepHook* hook,
                         ExecuteContext& context) {
  const Thunk* const thunk = program.steps[end - 1].thunk;
  RETURN_IF_ERROR(TellBefore(*thunk, hook, context));
  RETURN_IF_ERROR(context.device_work->RunSteps(program, first, end, profile, context));
  return TellAfter(*thunk, hook, context);
}

// Before a jump reads what it depends on.
absl::Status BringChoice(const BufferSlice& slice, const ExecuteContext& context) {
  return context.device_work == nullptr ? absl::OkStatus() : context.device_work->ToHost({slice});
}

}  // namespace

absl::Status RunThunk(const Thunk& thunk, ProfileSink* profile, ExecuteContext& context) {
  if (profile == nullptr) return ExecuteInStep(thunk, context);
  const absl::Time start = absl::Now();
  RETURN_IF_ERROR(ExecuteInStep(thunk, context));
  profile->OnInstruction(*thunk.info().instruction, context.device.id(), start, absl::Now());
  return absl::OkStatus();
}

// The loop that runs a program. Steps count thunks and the instructions that these stand for; the limit is checked
// after each, as are those of the run. A jump backwards counts as a step if its iteration had none, so that the limit
// ends an empty loop too.
absl::Status RunSteps(const StepProgram& program, const StepOptions& options, ExecuteContext& context,
                      StepCounts* counts) {
  auto* const hook = dynamic_cast<StepHook*>(options.profile);
  ProfileSink* const profile = hook == nullptr ? options.profile : nullptr;
  int64_t& count = counts->steps;
  int64_t count_at_turn = 0;
  CountedLoops loops(program);
  const int32_t end = static_cast<int32_t>(program.steps.size());
  for (int32_t at = 0; at < end;) {
    if (context.device_work != nullptr) {
      const DeviceSteps steps = FindDeviceSteps(program, at, hook != nullptr ? 1 : kMostDeviceThunks);
      if (steps.thunks > 0) {
        if (options.max_steps > 0 && count + steps.thunks > options.max_steps) {
          return StepLimitReached(options.max_steps);
        }
        RETURN_IF_ERROR(RunOnDevice(program, at, steps.end, profile, hook, context));
        count += steps.thunks;
        at = steps.end;
        RETURN_IF_ERROR(context.CheckStopped());
        continue;
      }
    }
    const int32_t number = at;
    const ProgramStep& step = program.steps[at++];
    switch (step.kind) {
      case ProgramStep::Kind::kRunTogether:
        if (const int64_t together = ThunksTogether(step, options, count, context); together > 1) {
          RETURN_IF_ERROR(RunAllTogether(program, step, profile, hook, context));
          count += together;
          at = step.target;
          break;
        }
        ABSL_FALLTHROUGH_INTENDED;
      case ProgramStep::Kind::kRun:
        if (options.max_steps > 0) context.steps_left = options.max_steps - count;
        RETURN_IF_ERROR(RunOne(*step.thunk, profile, hook, context));
        count += 1 + context.more_steps;
        context.more_steps = 0;
        if (step.thunk->info().is_fallback) ++counts->fallbacks;
        break;
      case ProgramStep::Kind::kJump:
        // Backwards, which ends an iteration of a loop: it counts even if nothing is in it.
        if (step.target < at && count == count_at_turn) ++count;
        count_at_turn = count;
        at = step.target;
        // The condition computes what nothing asks for.
        if (step.first_target > 0 && CountedLoops::IsCounted(program.steps[step.first_target], context)) {
          at = loops.Next(step.first_target);
        }
        if (hook != nullptr) hook->AfterJump(number, at);
        break;
      case ProgramStep::Kind::kJumpUnless:
        if (CountedLoops::IsCounted(step, context)) {
          at = loops.Next(number);
        } else {
          RETURN_IF_ERROR(BringChoice(step.slice, context));
          if (!*static_cast<const bool*>(context.Address(step.slice))) at = step.target;
        }
        if (hook != nullptr) hook->AfterJump(number, at);
        continue;
      case ProgramStep::Kind::kSwitch:
        RETURN_IF_ERROR(BringChoice(step.slice, context));
        at = SwitchTarget(program, step, context.Address(step.slice));
        continue;
      case ProgramStep::Kind::kEntryDone:
        if (options.progress != nullptr) (*options.progress)(step.target, program.entry_instructions);
        continue;
    }
    if (options.max_steps > 0 && count > options.max_steps) return StepLimitReached(options.max_steps);
    // A thunk that stopped early has left no results.
    RETURN_IF_ERROR(context.CheckStopped());
  }
  // Tiles may have been left out since it was asked last.
  return context.CheckStopped();
}

}  // namespace xla
