// Random numbers: those of the evaluator's generator, from its state, in the order in which the program draws them.
#ifndef BACKENDS_PLAN_RNG_THUNKS_H_
#define BACKENDS_PLAN_RNG_THUNKS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "backends/plan/thunk_maker.h"

namespace xla {

// Takes `rng` and rng-get-and-update-state.
absl::StatusOr<std::unique_ptr<Thunk>> MakeRngThunk(const HloInstruction& instruction, PlanContext& context);

}  // namespace xla

#endif  // BACKENDS_PLAN_RNG_THUNKS_H_
