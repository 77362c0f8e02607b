#include "builders/nnef2/recognition/target_plan.h"

#include <algorithm>
#include <cstdlib>

#include "builders/computation_builder/constants.h"

namespace xla {
namespace nnef2 {
namespace {

// Whether the extent is that of the first loop times those of the others, also if it is dynamic.
bool EndsWithLoops(const Scalar& extent, const CountingIndex& counting, const std::vector<NestLoop>& loops) {
  if (counting.loops.empty() || IsStatic(loops[counting.loops[0]])) return true;
  const Scalar& outermost = loops[counting.loops[0]].extent;
  if (extent == outermost) return counting.loops.size() == 1;
  if (extent.kind != Scalar::Kind::kSymbolic) return false;
  const absl::optional<SymbolTable::Affine> affine = SymbolTable::AsAffine(extent.symbolic);
  const int64_t inner = counting.count / std::max<int64_t>(loops[counting.loops[0]].bound, 1);
  return affine.has_value() && affine->symbol == outermost.symbolic && affine->scale == inner && affine->offset == 0;
}

PaddingConfig PaddingAround(const TargetPlan& plan) {
  PaddingConfig config;
  for (size_t d = 0; d < plan.extents.size(); ++d) {
    const CountingIndex& counting = plan.countings[d];
    const int64_t interior = counting.count > 1 ? std::abs(counting.stride) - 1 : 0;
    config.push_back({counting.lowest(), plan.extents[d] - 1 - counting.highest(), interior});
  }
  return config;
}

}  // namespace

bool TargetPlan::is_whole() const {
  for (size_t d = 0; d < extents.size(); ++d) {
    if (countings[d].count != extents[d]) return false;
  }
  return true;
}

bool TargetPlan::is_plain() const {
  return is_whole() && std::all_of(countings.begin(), countings.end(), [](const CountingIndex& counting) {
           return counting.loops.size() <= 1 && counting.stride > 0;
         });
}

absl::optional<TargetPlan> PlanTarget(const NestLowering& lowering, const StatementNest& nest) {
  if (nest.targets.size() != 1 || nest.target_item != nullptr) return absl::nullopt;
  TargetPlan plan;
  plan.extents = lowering.BoundsOf(nest.targets[0]);
  const Shape& shape = lowering.tensor(nest.targets[0]).shape;
  std::vector<bool> is_used(nest.loops.size(), false);
  for (size_t d = 0; d < nest.indices.size(); ++d) {
    const absl::optional<AffineIndex> index = AffineOf(*nest.indices[d], nest.loops.size());
    if (!index.has_value()) return absl::nullopt;
    const absl::optional<CountingIndex> counting = CountingOf(*index, nest.loops);
    if (!counting.has_value() || counting->lowest() < 0 || counting->highest() >= plan.extents[d] ||
        !EndsWithLoops(shape[d], *counting, nest.loops)) {
      return absl::nullopt;
    }
    for (const int loop : counting->loops) {
      if (is_used[loop]) return absl::nullopt;
      is_used[loop] = true;
      plan.loops.push_back(loop);
    }
    plan.countings.push_back(*counting);
  }
  return plan;
}

bool CountsOnlyTarget(const StatementNest& nest, const TargetPlan& plan) {
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    const bool counts = std::find(plan.loops.begin(), plan.loops.end(), static_cast<int>(i)) != plan.loops.end();
    if (!counts && !RunsOnce(nest.loops[i])) return false;
  }
  return true;
}

std::vector<int> TargetFirst(const StatementNest& nest, const TargetPlan& plan) {
  std::vector<int> order = plan.loops;
  for (int i = 0; i < static_cast<int>(nest.loops.size()); ++i) {
    if (!Contains(order, i)) order.push_back(i);
  }
  return order;
}

XlaOp ElementsOfTarget(const TargetPlan& plan, XlaOp values) {
  if (!values.valid()) return values;
  ComputationBuilder& b = *values.builder();
  std::vector<int64_t> counts, reversed;
  for (size_t d = 0; d < plan.countings.size(); ++d) {
    counts.push_back(plan.countings[d].count);
    if (plan.countings[d].stride < 0) reversed.push_back(static_cast<int64_t>(d));
  }
  const xla::Shape shape = b.ShapeOrInvalid(values);
  if (b.ok() && counts != std::vector<int64_t>(shape.dimensions().begin(), shape.dimensions().end())) {
    values = b.Reshape(values, counts);
  }
  return reversed.empty() ? values : b.Rev(values, reversed);
}

XlaOp PlaceOver(const TargetPlan& plan, XlaOp elements, XlaOp rest) {
  if (!elements.valid() || plan.is_whole()) return elements;
  return elements.builder()->Pad(elements, rest, PaddingAround(plan));
}

XlaOp PlaceInto(const TargetPlan& plan, XlaOp elements, XlaOp target) {
  if (!elements.valid() || plan.is_whole()) return elements;
  ComputationBuilder& b = *elements.builder();
  std::vector<XlaOp> starts;
  bool is_dense = true;
  for (const CountingIndex& counting : plan.countings) {
    starts.push_back(b.ConstantR0<int32_t>(static_cast<int32_t>(counting.lowest())));
    is_dense = is_dense && (counting.count <= 1 || std::abs(counting.stride) == 1);
  }
  if (is_dense) return b.DynamicUpdateSlice(target, elements, starts);
  const xla::Shape shape = b.ShapeOrInvalid(elements);
  if (!b.ok()) return XlaOp();
  const XlaOp ones = b.Broadcast(b.ConstantR0<bool>(true), shape.dimensions());
  const PaddingConfig padding = PaddingAround(plan);
  return b.Select(b.Pad(ones, b.ConstantR0<bool>(false), padding), b.Pad(elements, ScalarLike(elements, 0), padding),
                  target);
}

}  // namespace nnef2
}  // namespace xla
