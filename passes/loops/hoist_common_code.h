// The pass hoist-common-code.
#ifndef PASSES_LOOPS_HOIST_COMMON_CODE_H_
#define PASSES_LOOPS_HOIST_COMMON_CODE_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Takes out of the branches of a conditional what all of them do.
// - What all do with the same values from outside is done before and passed in: an element of the branches' tuples.
//   before: c = conditional(p, x, x), branches tan(exponential(x)), sin(exponential(x))
//   after:  e = exponential(x), c = conditional(p, tuple(x, e), tuple(x, e)), branches tan(e), sin(e)
// - An operation that all do last, each on one value of its own, is done after, if what it takes is no larger than what
//   it gives.
//   before: branches exponential(tan(x)), exponential(sin(y))      after: exponential(conditional(p, x, y))
// - A result that is the same value from outside in all branches is taken from there.
// Random numbers, communication, control flow and all else that has effects stays where it is. A branch that is called
// from elsewhere too is copied first if it is small.
absl::StatusOr<bool> HoistCommonCode(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_LOOPS_HOIST_COMMON_CODE_H_
