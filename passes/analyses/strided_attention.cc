#include "passes/analyses/strided_attention.h"

#include <algorithm>
#include <utility>

#include "xla_core/ir/attributes.h"

namespace xla {
namespace {

// Where the elements of a dot lie when it is transposed.
DimensionVector StridesOfTransposed(const HloInstruction& transpose) {
  const DimensionVector strides = ElementStrides(transpose.shape());
  const auto& permutation = transpose.attributes<DimensionsAttributes>().dimensions;
  DimensionVector of_operand(strides.size());
  for (size_t i = 0; i < strides.size(); ++i) of_operand[permutation[i]] = strides[i];
  return of_operand;
}

absl::StatusOr<StridedDot> ProductOf(const HloInstruction& result) {
  if (result.opcode() != HloOpcode::kTranspose) return StridedDotOf(result);
  return StridedDotInto(*result.operand(0), StridesOfTransposed(result));
}

}  // namespace

// Matches the pair of products of an attention: scores = q k^T and result = softmax(scores) v, where `side` is the
// operand of `result` that comes from the scores. Both become strided products whose rows run over queries and whose
// columns (scores) or contraction (values) run over keys, if need be with operands exchanged. nullopt if the arrays
// do not lie in memory so that a row of scores is one run.
absl::optional<StridedAttention> StridedAttentionOf(const HloInstruction& scores, const HloInstruction& result,
                                                    int side) {
  const Shape& shape = scores.shape();
  if (shape.rank() < 2 || shape.IsDynamic() || result.shape().IsDynamic()) return absl::nullopt;
  absl::StatusOr<StridedDot> first = StridedDotOf(scores);
  absl::StatusOr<StridedDot> second = ProductOf(result);
  if (!first.ok() || !second.ok()) return absl::nullopt;
  StridedAttention found;
  found.keys = shape.dimension(shape.rank() - 1);
  found.rows = shape.ElementCount() / found.keys;
  found.scores_exchanged = first->result_n != 1 && first->result_m == 1;
  found.values_exchanged = side == 1;
  found.scores = found.scores_exchanged ? Transposed(*first) : *std::move(first);
  found.values = found.values_exchanged ? Transposed(*second) : *std::move(second);
  const StridedDot& a = found.scores;
  const StridedDot& b = found.values;
  const bool has_rows = a.n == found.keys && a.result_n == 1 && (a.m == 1 || a.result_m == found.keys);
  const bool has_same_rows = b.k == found.keys && b.lhs_k == 1 && (b.m == 1 || b.lhs_m == found.keys);
  if (!has_rows || !has_same_rows || (b.n > 1 && b.result_n != 1)) return absl::nullopt;
  // Columns of the result that are not one run: each row would be multiplied several times.
  for (const StridedDot::Batch& dim : b.batch) {
    if (dim.lhs == 0) return absl::nullopt;
  }
  found.matrix_rows = std::min(a.m, b.m);
  if (a.m % found.matrix_rows != 0 || b.m % found.matrix_rows != 0) return absl::nullopt;
  return found;
}

}  // namespace xla
