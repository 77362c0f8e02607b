// The evaluator of topk, which custom-calls of the same meaning use too.
#ifndef XLA_CORE_OPS_TOPK_H_
#define XLA_CORE_OPS_TOPK_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/types/literal.h"

namespace xla {

// The k best elements of every line of `operand` along its last dimension and their s32 positions: see topk.cc.
// `result` is the tuple shape of both; k is at most the last dimension of the operand. If fewer elements than k are
// within the dynamic size, the rest of the result is zero.
absl::StatusOr<Literal> EvaluateTopK(const Literal& operand, int64_t k, bool largest, const Shape& result,
                                     EvalContext& context);

}  // namespace xla

#endif  // XLA_CORE_OPS_TOPK_H_
