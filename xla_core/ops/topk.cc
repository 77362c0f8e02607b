// The k best elements of every line along the last dimension, best first, and where they stood:
//   topk(x T[d0..dr-1]), k=K, largest=true|false  ->  (values T[d0..dr-2,K], indices s32[d0..dr-2,K])
// Of equal values the one with the lower index comes first. Floats compare by total order: -0 below +0, NaN greatest.
// Errors: InvalidArgument if x is a scalar or complex, if k is not 0..dr-1, or if positions do not fit in s32.
// Source: XLA operation semantics, section `TopK`.
#include "xla_core/ops/topk.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_checks.h"
#include "xla_core/ops/order_key.h"
#include "xla_core/ops/parallel_status.h"
#include "xla_core/ops/scratch_reservation.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// The sorted dimension is static in the result: places beyond the run-time size hold zeros.
absl::StatusOr<Shape> InferShapeOfTopk(const HloInstruction& topk) {
  RETURN_IF_ERROR(CheckArrayOperands(topk, 0, 1));
  const Shape& operand = topk.operand(0)->shape();
  const int64_t k = topk.attributes<TopKAttributes>().k;
  if (operand.rank() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("the operand must have at least one dimension, got ", operand.ToString()));
  }
  const int last = operand.rank() - 1;
  const bool bounded = operand.dimension(last) != Shape::kUnboundedSize;
  if (k < 0 || (bounded && k > operand.dimension(last))) {
    return absl::InvalidArgumentError(
        absl::StrCat("k must be at least 0 and at most the last dimension of ", operand.ToString(), ", got ", k));
  }
  Shape values = operand.WithoutLayout();
  values.set_dimension(last, k);
  values.set_dynamic_dimension(last, false);
  Shape indices = values;
  indices.set_element_type(S32);
  return Shape::Tuple({values, indices});
}

void VerifyTopk(const HloInstruction& topk, Violations& violations) {
  const Shape& operand = topk.operand(0)->shape();
  if (!operand.IsArray() || operand.rank() == 0) return;
  if (IsComplex(operand.element_type())) {
    violations.Add(absl::StrCat("complex numbers have no order, so the operand cannot be ", operand.ToString()));
  }
  if (operand.dimension(operand.rank() - 1) > std::numeric_limits<int32_t>::max()) {
    violations.Add(
        absl::StrCat("the last dimension of ", operand.ToString(), " has more elements than s32 indices can tell"));
  }
}

absl::StatusOr<Literal> EvaluateTopk(const HloInstruction& topk, OperandValues& operands, EvalContext& context) {
  const TopKAttributes& attributes = topk.attributes<TopKAttributes>();
  return EvaluateTopK(operands[0], attributes.k, attributes.largest, topk.shape(), context);
}

}  // namespace

// Orders by totalOrder, ties by position, so that the result is unique. Only the first k of a line are sorted.
absl::StatusOr<Literal> EvaluateTopK(const Literal& operand, int64_t k, bool largest, const Shape& result,
                                     EvalContext& context) {
  ASSIGN_OR_RETURN(Literal values, context.AllocateZeros(result.tuple_shape(0)));
  ASSIGN_OR_RETURN(Literal indices, context.AllocateZeros(result.tuple_shape(1)));
  const PrimitiveType type = operand.shape().element_type();
  const int64_t width = ByteWidth(type);
  const int last = operand.shape().rank() - 1;
  const int64_t line = operand.shape().dimension(last);
  const int64_t n = operand.dynamic_size(last);
  const int64_t lines = line == 0 ? 0 : operand.element_count() / line;
  const OrderKeys order(type, KeyOrder::kTotalOrder);
  char* const value_data = values.mutable_data<char>();
  int32_t* const index_data = indices.mutable_data<int32_t>();

  using Ranking = std::vector<std::pair<uint64_t, int32_t>>;  // in ascending order the best come first
  MemoryBudget* const budget = context.memory_budget();
  const auto take_best = [&](int64_t begin, int64_t end) -> absl::Status {
    const int64_t bytes = n * int64_t{sizeof(uint64_t) + sizeof(Ranking::value_type)};
    ASSIGN_OR_RETURN(const auto reservation, ScratchReservation::Make(bytes, budget));
    std::vector<uint64_t> keys(n);
    Ranking ranking(n);
    for (int64_t l = begin; l < end; ++l) {
      const char* elements = operand.data<char>() + l * line * width;
      order.Make(elements, n, 1, keys.data());
      for (int64_t i = 0; i < n; ++i) ranking[i] = {largest ? ~keys[i] : keys[i], static_cast<int32_t>(i)};
      const int64_t taken = std::min(k, n);
      std::partial_sort(ranking.begin(), ranking.begin() + taken, ranking.end());
      for (int64_t i = 0; i < taken; ++i) {
        index_data[l * k + i] = ranking[i].second;
        std::copy_n(elements + ranking[i].second * width, width, value_data + (l * k + i) * width);
      }
    }
    return absl::OkStatus();
  };
  constexpr int64_t kElementsPerBlock = 1 << 14;
  const int64_t grain = std::max<int64_t>(1, kElementsPerBlock / std::max<int64_t>(1, n));
  RETURN_IF_ERROR(ParallelForStatus(context, lines, grain, take_best));
  for (int d = 0; d < last && operand.has_dynamic_sizes(); ++d) {
    values.SetDynamicSize(d, operand.dynamic_size(d));
    indices.SetDynamicSize(d, operand.dynamic_size(d));
  }
  std::vector<Literal> results;
  results.push_back(std::move(values));
  results.push_back(std::move(indices));
  return Literal::Tuple(std::move(results));
}

OpDefinition Define_kTopK() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<TopKAttributes>;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShapeOfTopk;
  op.verify = &VerifyTopk;
  op.evaluate = &EvaluateTopk;
  return op;
}

}  // namespace xla
