// Thunks that only move bytes, or write a few.
#ifndef BACKENDS_PLAN_COPY_THUNKS_H_
#define BACKENDS_PLAN_COPY_THUNKS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "backends/plan/thunk_maker.h"

namespace xla {

// copy of an array that keeps its layout.
absl::StatusOr<std::unique_ptr<Thunk>> MakeCopyThunk(const HloInstruction& instruction, PlanContext& context);

// dynamic-update-slice of row-major arrays. Where the result is in the operand's place, only the update is written.
absl::StatusOr<std::unique_ptr<Thunk>> MakeUpdateThunk(const HloInstruction& instruction, PlanContext& context);

// Whether a concatenation has so many operands that they are copied one by one. Of few, a kernel chooses each element,
// and may be part of a larger kernel; the time to compile it grows with the square of their number.
bool IsWideConcatenate(const HloInstruction& instruction);
absl::StatusOr<std::unique_ptr<Thunk>> MakeWideConcatenateThunk(const HloInstruction& instruction,
                                                                PlanContext& context);

// Custom calls that give back their operand, such as Sharding, in the layouts of the result.
absl::StatusOr<std::unique_ptr<Thunk>> MakeAnnotationThunk(const HloInstruction& instruction, PlanContext& context);

// Custom calls that give fresh memory: AllocateBuffer and CreateBuffer.
absl::StatusOr<std::unique_ptr<Thunk>> MakeZerosThunk(const HloInstruction& instruction, PlanContext& context);

// replica-id and partition-id.
absl::StatusOr<std::unique_ptr<Thunk>> MakeDeviceNumberThunk(const HloInstruction& instruction, PlanContext& context);

}  // namespace xla

#endif  // BACKENDS_PLAN_COPY_THUNKS_H_
