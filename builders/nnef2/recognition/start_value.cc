#include "builders/nnef2/recognition/start_value.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "builders/computation_builder/constants.h"

namespace xla {
namespace nnef2 {
absl::optional<StartValue> StartValue::Of(NestLowering* lowering, const StatementNest& nest) {
  if (nest.op != Operator::kEqual || !nest.guards.empty() || nest.condition != nullptr || nest.reads_output) {
    return absl::nullopt;
  }
  absl::optional<TargetPlan> plan = PlanTarget(*lowering, nest);
  if (!plan.has_value() || !plan->is_plain() || !CountsOnlyTarget(nest, *plan)) return absl::nullopt;
  StartValue start;
  start.values_ = std::make_shared<LoopValues>(lowering, nest, TargetFirst(nest, *plan));
  if (!start.values_->Plan(*nest.values[0])) return absl::nullopt;
  start.plan_ = *std::move(plan);
  start.lowering_ = lowering;
  start.nest_ = &nest;
  return start;
}

bool StartValue::IsAll(double value) const {
  if (nest_ == nullptr || !nest_->values[0]->is_known()) return false;
  const nnef2::Scalar& scalar = nest_->values[0]->scalar;
  return (scalar.kind == nnef2::Scalar::Kind::kReal ? scalar.real : static_cast<double>(scalar.integer)) == value;
}

XlaOp StartValue::Scalar() { return values_->ValueOf(*nest_->values[0]).array; }

XlaOp StartValue::Part(std::vector<int64_t>* dimensions) {
  if (nest_ == nullptr) {
    const xla::Shape shape = array_.valid() ? array_.builder()->ShapeOrInvalid(array_) : xla::Shape();
    dimensions->resize(static_cast<size_t>(shape.rank()));
    std::iota(dimensions->begin(), dimensions->end(), 0);
    return array_;
  }
  const LoopArray value = values_->ValueOf(*nest_->values[0]);
  for (const int loop : value.loops) {
    for (size_t d = 0; d < plan_.countings.size(); ++d) {
      if (plan_.countings[d].loops == std::vector<int>({loop})) dimensions->push_back(static_cast<int64_t>(d));
    }
  }
  return value.array;
}

XlaOp StartValue::Whole(NestLowering* lowering, const StatementNest& update) {
  ComputationBuilder& b = lowering->builder();
  const std::vector<int64_t> extents = lowering->BoundsOf(update.targets[0]);
  if (!is_given()) return Zeros(&b, xla::Shape::Array(lowering->TypeOf(update.type), extents));
  std::vector<int64_t> dimensions;
  const XlaOp part = Part(&dimensions);
  return dimensions.size() == extents.size() ? part : b.BroadcastInDim(part, extents, dimensions);
}

}  // namespace nnef2
}  // namespace xla
