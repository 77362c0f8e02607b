#include "xla_core/ops/eval_context.h"

#include "xla_core/support/status_macros.h"

namespace xla {

// The default for contexts without a faster way. The condition is called with a shared copy of the state, the body
// with the only one, so that the body can update arrays in place.
absl::StatusOr<Literal> EvalContext::RunWhile(const HloInstruction& loop, Literal state) {
  const HloComputation& condition = *loop.called_computation(0);
  const HloComputation& body = *loop.called_computation(1);
  std::vector<Literal> arguments(1);
  while (true) {
    RETURN_IF_ERROR(CheckDeadline());
    arguments.resize(1);
    arguments[0] = state;
    ASSIGN_OR_RETURN(const Literal go_on, Call(condition, std::move(arguments)));
    if (!*go_on.data<bool>()) return state;
    arguments.clear();
    arguments.push_back(std::move(state));
    ASSIGN_OR_RETURN(state, Call(body, std::move(arguments)));
    arguments.clear();
  }
}

}  // namespace xla
