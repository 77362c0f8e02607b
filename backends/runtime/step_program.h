// StepProgram: a program as one flat list: thunks, and jumps between them. Loops and branches of the program, nested
// however deeply, are jumps, so that running it takes neither stack nor memory.
//
//   while: 3: run condition   4: jump to 7 unless [predicate]   5: run body   6: jump to 3   7: ...
#ifndef BACKENDS_RUNTIME_STEP_PROGRAM_H_
#define BACKENDS_RUNTIME_STEP_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "backends/runtime/execute_context.h"
#include "backends/runtime/thunk.h"
#include "xla_core/evaluator/evaluator.h"

namespace xla {

// One entry of the list. Jumps are to numbers of steps; which fields a kind uses is said at the kind.
struct ProgramStep {
  enum class Kind : uint8_t {
    kRun,          // the thunk
    kRunTogether,  // `target_count` thunks from number `first_target` on, then on to `target`; or only its thunk
    kJump,         // to `target`; if `first_target` is not 0, that is the kJumpUnless of the loop it repeats
    kJumpUnless,   // to `target` if the pred at `slice` is false, which is so after `trip_count` times if that is known
    kSwitch,       // to targets[first_target + i] where i is the index at `slice` (pred: true is 0), or else the last
    kEntryDone,    // `target` instructions of the entry are done
  };
  Kind kind = Kind::kRun;
  bool is_pred = false;  // kSwitch: the index is a pred, not an s32
  const Thunk* thunk = nullptr;
  int32_t target = 0;
  int32_t first_target = 0;
  int32_t target_count = 0;
  int64_t trip_count = -1;  // of the loop that a kJumpUnless ends, each time it is entered; -1: not known
  BufferSlice slice;
};

// Owns its thunks; steps refer to them. A program ends when the step after the last is reached.
struct StepProgram {
  std::vector<std::unique_ptr<Thunk>> thunks;  // in the order of the steps that run them
  std::vector<ProgramStep> steps;
  std::vector<int32_t> targets;  // of kSwitch
  int32_t entry_instructions = 0;
};

// Limits and observers of one run.
struct StepOptions {
  int64_t max_steps = 0;  // 0: no limit
  ProfileSink* profile = nullptr;
  const std::function<void(int64_t done, int64_t total)>* progress = nullptr;  // nullptr: not wanted
};

// What RunSteps has done, also if it returns an error.
struct StepCounts {
  int64_t steps = 0;      // thunks that ran, and iterations of loops without any
  int64_t fallbacks = 0;  // those of them that the evaluator ran
};

// Runs the thunk, and tells `profile` of it unless that is nullptr.
absl::Status RunThunk(const Thunk& thunk, ProfileSink* profile, ExecuteContext& context);

// Runs the steps on the calling thread, which ExecuteContext::ParallelFor may have help. Errors: of thunks;
// ResourceExhausted for max_steps; Cancelled and DeadlineExceeded.
absl::Status RunSteps(const StepProgram& program, const StepOptions& options, ExecuteContext& context,
                      StepCounts* counts);

}  // namespace xla

#endif  // BACKENDS_RUNTIME_STEP_PROGRAM_H_
