// assign-layouts: gives every array a layout.
#ifndef PASSES_MEMORY_ASSIGN_LAYOUTS_H_
#define PASSES_MEMORY_ASSIGN_LAYOUTS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// All arrays become row-major, but for
// - the parameters of the entry and its result, which are as entry_computation_layout says,
// - the results of custom calls and infeeds, which are as written, and of custom fusions, which are as the root of the
//   fused computation says, and the operands of the first and the last, which are as operand_layout_constraints or the
//   parameters of the fused computation say,
// - both sides of bitcasts, whose meaning their layouts are,
// - copies, which may change the layout, and what any of these goes through: tuples, barriers, and elementwise
// operations
//   all operands of which lie in memory in one order.
// Where a user wants another layout than there is, a copy is added, or a bitcast if nothing has to be moved;
// broadcasts, iotas and constants are made in the wanted layout instead. Copies that are no longer wanted go. Outside
// of fusions, reshapes and transposes that move nothing become bitcasts.
//   before: p = f32[2,3]{0,1} parameter(0)  t = f32[3,2] transpose(p), dimensions={1,0}
//   after:  p = f32[2,3]{0,1} parameter(0)  t = f32[3,2]{1,0} bitcast(p)
// Runs after the passes that join operations into fusions, which know reshapes better than bitcasts, and before copies
// are inserted for other reasons.
absl::StatusOr<bool> AssignLayouts(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_MEMORY_ASSIGN_LAYOUTS_H_
