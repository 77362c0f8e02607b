// PlanTrace: what the steps of a plan stand for in the module, for whoever checks the plan.
#ifndef BACKENDS_PLAN_PLAN_TRACE_H_
#define BACKENDS_PLAN_PLAN_TRACE_H_

#include <cstdint>
#include <vector>

#include "backends/runtime/buffer_slice.h"
#include "passes/memory/buffer_assignment.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// VerifyPlan replays the events against the module, and shows with `assignment` and `slices` that each step reads the
// memory that holds the values it needs. Programs do not keep it.
struct PlanTrace {
  // Something happens before step number `step`, or is what that step does. Events are in the order in which the plan
  // was written: loops and branches nest.
  struct Event {
    enum class Kind : uint8_t {
      kThunk,       // the step runs instructions number `number` to `number` + `count` of the computation of
                    // `instruction`, which is the first of them
      kNothing,     // `instruction` has no thunk: its result is in memory already
      kScratch,     // the step writes what holds no value (poison)
      kLoopBegin,   // the loop `instruction` begins: its state is there, and its condition follows
      kLoopTest,    // the step leaves the loop unless its condition holds
      kLoopRepeat,  // the step goes back to the condition; the body has made the next state
      kLoopEnd,     // the loop has been left
      kSelect,      // the step goes to the branches of the conditional `instruction`, which follow
      kBranchBegin,  // number `number`
      kBranchEnd,    // the step goes to the end of the conditional; its branch number `number` has made the result
      kSelectEnd,  // the conditional has been left
    };
    Kind kind;
    int32_t step;
    const HloInstruction* instruction;
    int64_t number = 0;
    int64_t count = 1;
  };

  std::vector<Event> events;
  BufferAssignment assignment;
  std::vector<BufferSlice> slices;  // by buffer of the assignment
};

}  // namespace xla

#endif  // BACKENDS_PLAN_PLAN_TRACE_H_
