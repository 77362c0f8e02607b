// Scratch that a device does not have: it becomes a workspace, in which each tile has a part of its own.
#ifndef BACKENDS_KERNEL_IR_LOWERING_SPILL_SCRATCH_H_
#define BACKENDS_KERNEL_IR_LOWERING_SPILL_SCRATCH_H_

#include <cstdint>

#include "absl/status/status.h"
#include "backends/kernel_ir/lowering/lowering.h"

namespace xla {

// Leaves scratch such that no phase needs more than `shared_bytes` (SharedBytes in workgroups.h): the largest buffers
// go first. Unimplemented where the lanes of reduces alone need more, or the workspaces would be too large.
absl::Status SpillScratch(LoweredKernel& lowered, int64_t shared_bytes);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_SPILL_SCRATCH_H_
