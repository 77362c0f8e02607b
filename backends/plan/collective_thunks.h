// Thunks of programs that run on several devices: collectives, and transfers from one device to another.
#ifndef BACKENDS_PLAN_COLLECTIVE_THUNKS_H_
#define BACKENDS_PLAN_COLLECTIVE_THUNKS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "backends/plan/thunk_maker.h"

namespace xla {

// All collectives, their starts and dones. What async-start begins is the operation it wraps, and async-done ends it.
// For one device the evaluator does what is left of them.
absl::StatusOr<std::unique_ptr<Thunk>> MakeCollectiveThunk(const HloInstruction& instruction, PlanContext& context);

// send, recv and their dones, except to and from the host. Likewise.
absl::StatusOr<std::unique_ptr<Thunk>> MakeTransferThunk(const HloInstruction& instruction, PlanContext& context);

}  // namespace xla

#endif  // BACKENDS_PLAN_COLLECTIVE_THUNKS_H_
