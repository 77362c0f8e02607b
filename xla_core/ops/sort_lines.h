// The evaluator of sort, which custom calls that sort use too.
#ifndef XLA_CORE_OPS_SORT_LINES_H_
#define XLA_CORE_OPS_SORT_LINES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/types/literal.h"

namespace xla {

// Every line of the operands along `dimension`, sorted by the comparator of all of them: see sort.cc. The results have
// the operands' shapes.
absl::StatusOr<std::vector<Literal>> SortLines(const HloComputation& comparator, int dimension,
                                               OperandValues& operands, EvalContext& context);

}  // namespace xla

#endif  // XLA_CORE_OPS_SORT_LINES_H_
