// The loops of a reduction.
#ifndef XLA_CORE_OPS_REDUCE_LOOPS_H_
#define XLA_CORE_OPS_REDUCE_LOOPS_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/ops/lane_fold.h"
#include "xla_core/ops/reduce_nest.h"
#include "xla_core/ops/scalar_function.h"

namespace xla {

// Both fold all results of a nest that has some, with elements for each.

// By any function of scalars, kMaxLanes results at a time.
absl::Status FoldByFunction(const ReduceNest& nest, const ScalarFunction& reducer, absl::Span<const FoldedArray> arrays,
                            EvalContext& context);

// By a binary operation for which HasKnownFold holds: over contiguous rows where the innermost dimension is reduced,
// and else by adding contiguous rows to a row of results.
absl::Status FoldByKnownReducer(const ReduceNest& nest, HloOpcode op, const FoldedArray& array, EvalContext& context);

}  // namespace xla

#endif  // XLA_CORE_OPS_REDUCE_LOOPS_H_
