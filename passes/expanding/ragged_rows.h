// A ragged-all-to-all as all-to-alls: every device gets all inputs, and takes its rows from them.
#ifndef PASSES_EXPANDING_RAGGED_ROWS_H_
#define PASSES_EXPANDING_RAGGED_ROWS_H_

#include "passes/base/copy_budget.h"
#include "passes/base/instruction_builder.h"

namespace xla {

// The result of the ragged-all-to-all `root`; nullptr if the size of its groups is unknown, the input is dynamic, or
// there is no room for what it takes.
HloInstruction* TakeRaggedRows(HloInstruction* root, InstructionBuilder& build, CopyBudget& budget);

}  // namespace xla

#endif  // PASSES_EXPANDING_RAGGED_ROWS_H_
