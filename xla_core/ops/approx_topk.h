// The custom call ApproxTopK of JAX's approx_max_k and approx_min_k.
#ifndef XLA_CORE_OPS_APPROX_TOPK_H_
#define XLA_CORE_OPS_APPROX_TOPK_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/ops/custom_call_registry.h"

namespace xla {

// ApproxTopK(x0 .. xn-1, initial values of each, scalars): the best elements of every line along a dimension, best
// first, by a comparator of (a0, b0, a1, b1, ..) as sort has it. Attributes, in backend_config:
//   {top_k = 3 : i64, reduction_dim = 1 : i64, recall_target = 0.95 : f32, aggregate_to_topk = true, ...}
// With aggregate_to_topk results have top_k elements in that dimension, else top_k or more of the best, as many as the
// shape says. All of them are exact, which is within every recall target; the initial values are not needed for it.
// is_fallback and reduction_input_size_override speak about how others compute it.
struct ApproxTopK {
  int operand_count = 0;  // n
  int dimension = 0;
  int64_t kept = 0;  // elements of a line in the results
};

// InvalidArgument if the call is not as described.
absl::StatusOr<ApproxTopK> ReadApproxTopK(const HloInstruction& call);

absl::StatusOr<Literal> EvaluateApproxTopK(const CustomCall& call);

}  // namespace xla

#endif  // XLA_CORE_OPS_APPROX_TOPK_H_
