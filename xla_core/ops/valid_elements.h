// Arrays with dynamic dimensions: their valid elements are those within the run-time sizes.
#ifndef XLA_CORE_OPS_VALID_ELEMENTS_H_
#define XLA_CORE_OPS_VALID_ELEMENTS_H_

#include "absl/status/status.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/types/literal.h"

namespace xla {

// The size of each dimension at run time.
DimensionVector RuntimeSizes(const Literal& array);
// Sets all of them; `sizes` are within the bounds.
void SetRuntimeSizes(absl::Span<const int64_t> sizes, Literal& array);
// Product of the run-time sizes.
int64_t ValidElementCount(const Literal& array);

// Memory for the result of an op that may leave elements beyond the run-time sizes alone: zeroed if there can be such
// elements, so that runs are reproducible down to what nothing should read.
absl::StatusOr<Literal> AllocateFor(const Shape& shape, bool dynamic, EvalContext& context);

// Writes the valid elements of `from`, in row-major order, to the valid positions of `to`, which are as many.
absl::Status CopyValidElements(const Literal& from, Literal& to, EvalContext& context);

}  // namespace xla

#endif  // XLA_CORE_OPS_VALID_ELEMENTS_H_
