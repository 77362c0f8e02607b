// The context values of operations that start what another one finishes (async-start, all-gather-start, ...): what a
// device keeps there meanwhile, at the end of the shape. They mean nothing.
#ifndef XLA_CORE_OPS_START_CONTEXT_H_
#define XLA_CORE_OPS_START_CONTEXT_H_

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {

// Completes the elements of a value of the shape `start`: zeros for those that are missing.
inline absl::Status AppendContext(const Shape& start, EvalContext& context, std::vector<Literal>* elements) {
  for (int i = static_cast<int>(elements->size()); i < start.tuple_size(); ++i) {
    ASSIGN_OR_RETURN(Literal element, context.AllocateZeros(start.tuple_shape(i)));
    elements->push_back(std::move(element));
  }
  return absl::OkStatus();
}

}  // namespace xla

#endif  // XLA_CORE_OPS_START_CONTEXT_H_
