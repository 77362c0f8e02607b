// Takes reductions of several arrays apart.
#ifndef PASSES_EXPANDING_EXPAND_VARIADIC_H_
#define PASSES_EXPANDING_EXPAND_VARIADIC_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// A reduce or reduce-window of several arrays whose reducer treats each by itself becomes one for each array. Left
// alone: reducers in which one array decides about another (the position of a maximum), and sums of narrow floats,
// which round at each step only as long as the reduction has several arrays.
absl::StatusOr<bool> ExpandVariadic(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_EXPAND_VARIADIC_H_
