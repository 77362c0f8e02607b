#include "passes/memory/memory_passes.h"

#include <vector>

#include "passes/memory/assign_layouts.h"
#include "passes/memory/insert_copies.h"
#include "passes/memory/rematerialize.h"
#include "passes/memory/schedule_for_memory.h"

namespace xla {

absl::Span<const Pass> MemoryPasses() {
  static const auto* const passes = new std::vector<Pass>{
      {"assign-layouts",
       "gives every array a layout, row-major unless somebody asks for another, and makes bitcasts of what moves "
       "nothing",
       &AssignLayouts,
       {},
       "",
       "the entry has the layouts that it promises; beside it, custom calls and bitcasts, arrays are row-major, or all "
       "those of an elementwise operation alike"},
      {"schedule-for-memory",
       "orders the instructions of each computation so that few bytes are live at once",
       &ScheduleForMemory,
       {},
       "",
       "instructions run in the order in which they stand"},
      {"rematerialize",
       "computes cheap values again just before late uses, so that less is live at once",
       &Rematerialize,
       {{"memory-limit", PassOption::Kind::kInt, "0",
         "bytes that may be live at once; nothing is done below; 0: no limit"}},
       "computations that are each called from one place (flatten-call-graph), in the order in which they will run"},
      {"insert-copies",
       "adds the copies that loops, branches and updates in place need to share buffers, and drops idle ones",
       &InsertCopies,
       {},
       "computations that are each called from one place (flatten-call-graph), in the order in which they will run",
       "a buffer can be found for every value without moving data"},
  };
  return *passes;
}

}  // namespace xla
