// Overlap: thunks that run at the same time.
//
// Most thunks are cut into tiles, which all threads share. Those that are too small for that leave the other threads
// idle: where several of them follow each other, none of which needs what another one writes, each gets a thread.
#ifndef BACKENDS_RUNTIME_OVERLAP_H_
#define BACKENDS_RUNTIME_OVERLAP_H_

#include "backends/runtime/step_program.h"

namespace xla {

// Makes the first step of such a sequence kRunTogether. The others stay where they are, for runs on one thread. Targets
// of jumps have been resolved.
void OverlapThunks(StepProgram* program);

// Runs the thunks of a step of that kind. The first error in the order of the steps, if there are any.
absl::Status RunTogether(const StepProgram& program, const ProgramStep& step, ProfileSink* profile,
                         ExecuteContext& context);

}  // namespace xla

#endif  // BACKENDS_RUNTIME_OVERLAP_H_
