// While loops whose state is a handful of scalars, run without making a value per instruction.
#ifndef XLA_CORE_OPS_SCALAR_WHILE_H_
#define XLA_CORE_OPS_SCALAR_WHILE_H_

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/ops/scalar_function.h"

namespace xla {

// The final state of the loop. Both functions must be compiled, and their parameters the leaves of `state`.
// `count_steps`, called after each condition and each body with the number of instructions that ran, may end the loop
// with an error; the deadline is checked now and then.
absl::StatusOr<Literal> RunScalarWhile(const ScalarFunction& condition, const ScalarFunction& body, Literal state,
                                       const std::function<absl::Status(int64_t steps)>& count_steps,
                                       EvalContext& context);

}  // namespace xla

#endif  // XLA_CORE_OPS_SCALAR_WHILE_H_
