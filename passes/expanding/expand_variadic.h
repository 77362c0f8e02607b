// Takes reductions and sorts of several arrays apart.
#ifndef PASSES_EXPANDING_EXPAND_VARIADIC_H_
#define PASSES_EXPANDING_EXPAND_VARIADIC_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// A reduce or reduce-window of several arrays whose reducer treats each by itself becomes one for each array. Left
// alone: reducers in which one array decides about another (the position of a maximum), and sums of narrow floats,
// which round at each step only as long as the reduction has several arrays.
//
// A sort of several arrays becomes a sort of one array beside positions, where the comparator looks at the one array
// alone; gathers bring the others in the same order. A comparator of several keys, of which the next decides where the
// one before is equal, becomes a stable sort for each key. Left alone: comparators that look at several arrays in any
// other way, which no sort of one key can follow; --explain=match tells.
absl::StatusOr<bool> ExpandVariadic(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_EXPAND_VARIADIC_H_
