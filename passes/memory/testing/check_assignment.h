// Whether a plan of memory works: by running the program on it, with marks in place of data.
#ifndef PASSES_MEMORY_TESTING_CHECK_ASSIGNMENT_H_
#define PASSES_MEMORY_TESTING_CHECK_ASSIGNMENT_H_

#include <cstdint>

#include "absl/status/status.h"
#include "passes/memory/buffer_assignment.h"

namespace xla {

// Runs the instructions in order, as a backend would, on a memory of byte ranges that each remember which evaluation
// wrote them last. It shares no code with what made the plan: no liveness, no dataflow, no sets. Loops make three
// iterations and then none; conditionals take a random branch each time, other ones for another `seed`.
//
// An error tells which instruction found something else in a buffer that it reads than what was written there for it,
// or writes over something that it still reads (unless in_place.h allows that), or which result is not where it should
// be at the end: in a buffer of its own, which is that of the argument that it must alias. `max_steps` evaluations are
// enough for a test.
absl::Status CheckAssignment(const HloModule& module, const BufferAssignment& assignment, uint64_t seed,
                             int64_t max_steps = 2'000'000);

}  // namespace xla

#endif  // PASSES_MEMORY_TESTING_CHECK_ASSIGNMENT_H_
