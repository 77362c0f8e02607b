// ObservedSteps: shows the steps of a run to a StepObserver.
#ifndef BACKENDS_PLAN_OBSERVED_STEPS_H_
#define BACKENDS_PLAN_OBSERVED_STEPS_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "backends/plan/program_plan.h"
#include "backends/runtime/execute_context.h"
#include "backends/runtime/step_hook.h"
#include "backends/step_observer.h"
#include "xla_core/support/memory_budget.h"

namespace xla {

// Of one device in one run. It knows from the trace of the plan which values a thunk reads and writes; it remembers
// what the slices held that steps wrote, as fingerprints, so that a slice which changes meanwhile shows.
//
// `plan` has a trace; all outlive the result. Errors: FailedPrecondition without a trace; ResourceExhausted, for the
// memory of the reference, which counts in `memory`.
absl::StatusOr<std::unique_ptr<StepHook>> ObserveSteps(const ProgramPlan& plan, StepObserver& observer,
                                                       const ExecuteContext& context, MemoryBudget* memory);

}  // namespace xla

#endif  // BACKENDS_PLAN_OBSERVED_STEPS_H_
