// VerifyLayouts: whether values that share memory agree how they lie there.
#ifndef XLA_CORE_VERIFIER_VERIFY_LAYOUTS_H_
#define XLA_CORE_VERIFIER_VERIFY_LAYOUTS_H_

#include "absl/status/status.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// OK, or InvalidArgument whose message has a line for each violation, as VerifyModule has. The module has passed that.
//
// HLO has a meaning without layouts, and VerifyModule compares none: a program may say anything. Compiled programs rely
// on layouts, because these values are in one place in memory:
// - what the caller gives and gets, which entry_computation_layout describes;
// - tuples, their elements, and what barriers and domains pass on;
// - the operands of calls, branches, loops, fusions and asynchronous operations, and the parameters; their roots, and
//   the results;
// - the result of an update (dynamic-update-slice, scatter) and the operand that it changes.
// Besides, the arrays of an elementwise operation lie in one order, and so do the operands of a custom call and its
// operand_layout_constraints. Everything else, such as a copy, may change the layout. That a bitcast keeps its bytes is
// part of its meaning, which VerifyModule checks.
//
// Of a layout, the order of the elements counts: memory spaces, tiles and packing do not move them. A missing layout is
// row-major. What custom calls and fusions of kind kCustom call is as a user wrote it, and not looked at.
absl::Status VerifyLayouts(const HloModule& module);

}  // namespace xla

#endif  // XLA_CORE_VERIFIER_VERIFY_LAYOUTS_H_
