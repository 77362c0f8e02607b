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
       "Assign layouts to arrays, row-major unless a user asks for another, and replace what moves no data by bitcasts",
       &AssignLayouts,
       {},
       "",
       "the entry has its declared layouts; except there, in custom calls and in bitcasts, arrays are row-major, or "
       "all arrays of an elementwise operation have the same layout"},
      {"schedule-for-memory",
       "Order the instructions of each computation so that few bytes are live at once",
       &ScheduleForMemory,
       {},
       "",
       "instructions run in the order of the text"},
      {"rematerialize",
       "Recompute cheap values just before late uses, so that fewer bytes are live at once",
       &Rematerialize,
       {{"memory-limit", PassOption::Kind::kInt, "0",
         "most bytes live at once; 0: no limit"}},
       "computations with one caller each (flatten-call-graph), in the order in which they will run"},
      {"insert-copies",
       "Insert the copies that loops, branches and in-place updates need to share buffers, and remove useless ones",
       &InsertCopies,
       {},
       "computations with one caller each (flatten-call-graph), in the order in which they will run",
       "every value can be assigned a buffer without moving data"},
  };
  return *passes;
}

}  // namespace xla
