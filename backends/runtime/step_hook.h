// StepHook: who is told of each thunk and each jump while a program runs.
#ifndef BACKENDS_RUNTIME_STEP_HOOK_H_
#define BACKENDS_RUNTIME_STEP_HOOK_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "xla_core/evaluator/profile_sink.h"

namespace xla {

class ExecuteContext;
class HloInstruction;
class Thunk;

// A StepOptions::profile that looks at the program's memory too. Of one run on one device; called by the thread that
// runs its steps. The host's memory holds what the thunk reads, and afterwards what it has written. Of thunks that run
// together, all are told of before the first one runs, and after the last one has. An error ends the run.
class StepHook : public ProfileSink {
 public:
  virtual absl::Status BeforeThunk(const Thunk& thunk, ExecuteContext& context) = 0;
  virtual absl::Status AfterThunk(const Thunk& thunk, ExecuteContext& context) = 0;
  // Step number `step`, which is a jump, was followed by step number `next`.
  virtual void AfterJump(int32_t step, int32_t next) = 0;

  void OnInstruction(const HloInstruction&, int64_t, absl::Time, absl::Time) final {}
};

}  // namespace xla

#endif  // BACKENDS_RUNTIME_STEP_HOOK_H_
