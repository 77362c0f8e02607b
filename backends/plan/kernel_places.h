// What the thunk of a kernel reads and writes, as slices of the plan's memory, whatever runs the kernel.
#ifndef BACKENDS_PLAN_KERNEL_PLACES_H_
#define BACKENDS_PLAN_KERNEL_PLACES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "backends/kernel_ir/lowering/lowering.h"
#include "backends/plan/thunk_maker.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// The leaves of the instruction's result, which is an array or a tuple of arrays.
std::vector<ShapeIndex> ResultLeaves(const HloInstruction& instruction);
bool IsOfArrays(const Shape& shape);

// Of the kernel that computes the instruction from its operands. nullopt, and the context knows why, if they are not
// all arrays.
absl::optional<ThunkInfo> KernelInfoOf(const HloInstruction& instruction, PlanContext& context);

// By leaf of the result: the operand whose memory it takes, or -1.
std::vector<int> FindInPlaceOperands(absl::Span<const BufferSlice> operands, absl::Span<const BufferSlice> results);

// The caller's buffers of the kernel, in its order: what `info` reads and writes, then its workspaces and constants.
// Workspaces become writes of `info`. nullopt, and the context knows why, if `lowered` is Unimplemented or the value of
// a constant is not there.
absl::StatusOr<absl::optional<std::vector<BufferSlice>>> PlaceKernel(const absl::StatusOr<LoweredKernel>& lowered,
                                                                     ThunkInfo& info, PlanContext& context);

}  // namespace xla

#endif  // BACKENDS_PLAN_KERNEL_PLACES_H_
