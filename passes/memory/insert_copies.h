// The pass insert-copies.
#ifndef PASSES_MEMORY_INSERT_COPIES_H_
#define PASSES_MEMORY_INSERT_COPIES_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Adds the copies without which buffers cannot be shared as loops, branches, updates in place and donated arguments
// need it (buffer_sets.h), and removes copies of which nothing would be left. Afterwards, in the order in which
// instructions stand,
//   - the initial state of a loop, its state in condition and body, what the body computes from it, and the loop's
//     result can be in one buffer, leaf by leaf; so can the results of a conditional's branches and its own;
//   - dynamic-update-slice, scatter, and what declares aliasing can write over their operands;
//   - every result of the program has a buffer of its own, which is not a constant and no argument that the caller
//   keeps.
//   before: body: ... ROOT tuple(y, x)            (x and y the state's elements: they swap places)
//   after:  body: ... y.1 = copy(y)  x.1 = copy(x)  y.2 = copy(y.1)  ROOT tuple(y.2, x.1)
// Runs after scheduling: another order may need other copies. A program with computations that several calls share is
// left as it is, with a warning.
absl::StatusOr<bool> InsertCopies(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_MEMORY_INSERT_COPIES_H_
