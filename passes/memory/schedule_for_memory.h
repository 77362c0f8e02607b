// The pass schedule-for-memory.
#ifndef PASSES_MEMORY_SCHEDULE_FOR_MEMORY_H_
#define PASSES_MEMORY_SCHEDULE_FOR_MEMORY_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Orders the instructions of each computation that control flow runs so that few bytes are live at once, and marks the
// module as scheduled. Of several orders (the given one, depth first with the operand that needs most first, a list
// that frees most at each step) it keeps that with the lowest peak, and the given one where none is lower. What a
// callee needs counts at its call. Control edges and operands are respected, and side effects keep their
// order; instructions that update an operand in place come after its other users where they can.
absl::StatusOr<bool> ScheduleForMemory(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_MEMORY_SCHEDULE_FOR_MEMORY_H_
