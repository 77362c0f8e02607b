#include <algorithm>
#include <utility>

#include "builders/nnef2/recognition/recognisers.h"

namespace xla {
namespace nnef2 {
namespace {

// Whether `plan` fills all dimensions but `dimension`, in which it begins at `begin`.
bool IsSlab(const TargetPlan& plan, size_t dimension, int64_t begin) {
  for (size_t d = 0; d < plan.extents.size(); ++d) {
    const CountingIndex& counting = plan.countings[d];
    const bool is_dense = counting.count == 1 || counting.stride == 1;
    const bool fits = d == dimension ? counting.first == begin : counting.count == plan.extents[d];
    if (!is_dense || !fits) return false;
  }
  return true;
}

// A statement that assigns a part of the target, without guards or conditions.
absl::optional<TargetPlan> PlanPart(NestLowering& lowering, const StatementNest& nest, int target) {
  if (nest.op != Operator::kEqual || !nest.guards.empty() || nest.condition != nullptr || nest.reads_output ||
      nest.targets != std::vector<int>({target})) {
    return absl::nullopt;
  }
  const absl::optional<TargetPlan> plan = PlanTarget(lowering, nest);
  if (!plan.has_value() || !CountsOnlyTarget(nest, *plan)) return absl::nullopt;
  LoopValues values(&lowering, nest, TargetFirst(nest, *plan));
  return values.Plan(*nest.values[0]) ? plan : absl::nullopt;
}

}  // namespace

XlaOp RecogniseConcatenation(NestLowering& lowering, const std::vector<StatementNest>& nests, int first, int* count) {
  if (nests[first].targets.size() != 1) return XlaOp();
  const int target = nests[first].targets[0];
  std::vector<TargetPlan> plans;
  size_t dimension = 0;
  int64_t end = 0;
  for (size_t i = first; i < nests.size(); ++i) {
    const absl::optional<TargetPlan> plan = PlanPart(lowering, nests[i], target);
    if (!plan.has_value()) break;
    if (plans.empty()) {
      // The dimension of which the first part is only the beginning.
      while (dimension < plan->extents.size() && plan->countings[dimension].count == plan->extents[dimension]) {
        ++dimension;
      }
      if (dimension == plan->extents.size()) return XlaOp();
    }
    if (!IsSlab(*plan, dimension, end)) break;
    plans.push_back(*plan);
    end += plan->countings[dimension].count;
  }
  // An extent that varies ends somewhere between.
  const Scalar& extent = plans.empty() ? Scalar() : lowering.tensor(target).shape[dimension];
  if (plans.size() < 2 || extent.kind != Scalar::Kind::kInt || end != extent.integer) return XlaOp();
  std::vector<XlaOp> parts;
  for (size_t i = 0; i < plans.size(); ++i) {
    const StatementNest& nest = nests[first + i];
    LoopValues values(&lowering, nest, TargetFirst(nest, plans[i]));
    values.Plan(*nest.values[0]);
    const XlaOp elements = values.Over(values.ValueOf(*nest.values[0]), values.InOrder(plans[i].loops));
    parts.push_back(ElementsOfTarget(plans[i], elements));
  }
  *count = static_cast<int>(plans.size());
  return lowering.builder().ConcatInDim(parts, static_cast<int64_t>(dimension));
}

}  // namespace nnef2
}  // namespace xla
