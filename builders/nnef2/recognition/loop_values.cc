#include "builders/nnef2/recognition/loop_values.h"

#include <algorithm>
#include <utility>

namespace xla {
namespace nnef2 {
namespace {

using Kind = NestNode::Kind;

bool HasAllTypes(const NestNode& node) {
  return node.type == BaseType::kInt || node.type == BaseType::kReal || node.type == BaseType::kBool;
}

}  // namespace

LoopValues::LoopValues(NestLowering* lowering, const StatementNest& nest, std::vector<int> order, std::vector<int> kept)
    : lowering_(*lowering),
      b_(lowering->builder()),
      nest_(nest),
      order_(std::move(order)),
      kept_(std::move(kept)),
      place_(nest.loops.size()) {
  for (size_t i = 0; i < order_.size(); ++i) place_[order_[i]] = static_cast<int>(i);
}

std::vector<int> LoopValues::InOrder(const std::vector<int>& loops) const {
  std::vector<int> result;
  for (const int loop : loops) {
    if (!RunsOnce(nest_.loops[loop]) || Contains(kept_, loop)) result.push_back(loop);
  }
  std::sort(result.begin(), result.end(), [this](int a, int b) { return place_[a] < place_[b]; });
  return result;
}

std::vector<int64_t> LoopValues::BoundsOf(const std::vector<int>& loops) const {
  std::vector<int64_t> bounds;
  for (const int loop : loops) bounds.push_back(nest_.loops[loop].bound);
  return bounds;
}

std::vector<int> LoopValues::Union(const std::vector<int>& a, const std::vector<int>& b) const {
  std::vector<int> loops = a;
  for (const int loop : b) {
    if (std::find(a.begin(), a.end(), loop) == a.end()) loops.push_back(loop);
  }
  return InOrder(loops);
}

// ---- plans

bool LoopValues::Plan(const NestNode& node) {
  const auto known = planned_.find(&node);
  if (known != planned_.end()) return known->second;
  const bool is_planned = PlanNode(node);
  planned_.emplace(&node, is_planned);
  return is_planned;
}

bool LoopValues::PlanNode(const NestNode& node) {
  if (!HasAllTypes(node)) return false;
  if (node.kind == Kind::kScalar) {
    return node.is_known() || (node.type == BaseType::kInt && node.scalar.kind == Scalar::Kind::kSymbolic);
  }
  if (node.kind == Kind::kTable) return PlanTable(node);
  if (node.kind == Kind::kLoad) {
    absl::optional<LoadPlan> plan = PlanLoad(lowering_, nest_, node);
    if (!plan.has_value() || node.reads_output) return false;
    for (const LoadAxis& axis : plan->axes) {
      if (axis.gathers && !Plan(*axis.index)) return false;
    }
    loads_.emplace(&node, *std::move(plan));
    return true;
  }
  return std::all_of(node.operands.begin(), node.operands.end(), [this](const NestNode* x) { return Plan(*x); });
}

// Items that are numbers, and an index that counts through them.
bool LoopValues::PlanTable(const NestNode& node) {
  const absl::optional<AffineIndex> index = AffineOf(*node.operands[0], nest_.loops.size());
  const absl::optional<CountingIndex> counting = index.has_value() ? CountingOf(*index, nest_.loops) : absl::nullopt;
  const auto is_number = [](const NestNode* item) { return item->is_known() && FitsRunTime(item->scalar.integer); };
  return counting.has_value() && counting->lowest() >= 0 &&
         counting->highest() < static_cast<int64_t>(node.operands.size()) - 1 &&
         std::all_of(node.operands.begin() + 1, node.operands.end(), is_number);
}

bool LoopValues::PlanMask() {
  for (const NestGuard& guard : nest_.guards) {
    if (!Plan(*guard.index) || !Plan(*guard.extent)) return false;
  }
  return nest_.condition == nullptr || Plan(*nest_.condition);
}

// ---- arrays

XlaOp LoopValues::Over(const LoopArray& value, const std::vector<int>& loops) {
  if (value.loops == loops) return value.array;
  std::vector<int64_t> dimensions;
  for (const int loop : value.loops) {
    dimensions.push_back(std::find(loops.begin(), loops.end(), loop) - loops.begin());
  }
  if (std::is_sorted(dimensions.begin(), dimensions.end())) {
    return b_.BroadcastInDim(value.array, BoundsOf(loops), dimensions);
  }
  std::vector<int64_t> permutation(dimensions.size());
  for (size_t i = 0; i < permutation.size(); ++i) permutation[i] = static_cast<int64_t>(i);
  std::sort(permutation.begin(), permutation.end(),
            [&](int64_t x, int64_t y) { return dimensions[x] < dimensions[y]; });
  LoopArray transposed{b_.Transpose(value.array, permutation), {}};
  for (const int64_t d : permutation) transposed.loops.push_back(value.loops[d]);
  return Over(transposed, loops);
}

LoopArray LoopValues::Together(const LoopArray& x, const LoopArray& y, absl::FunctionRef<XlaOp(XlaOp, XlaOp)> emit) {
  const std::vector<int> loops = Union(x.loops, y.loops);
  if (x.loops.empty() || y.loops.empty()) return {emit(x.array, y.array), loops};
  return {emit(Over(x, loops), Over(y, loops)), loops};
}

LoopArray LoopValues::And(const LoopArray& a, const LoopArray& b) {
  if (!a.array.valid()) return b;
  if (!b.array.valid()) return a;
  return Together(a, b, [this](XlaOp x, XlaOp y) { return b_.And(x, y); });
}

LoopArray LoopValues::Choose(const LoopArray& pred, const LoopArray& x, const LoopArray& y) {
  const std::vector<int> loops = Union(pred.loops, Union(x.loops, y.loops));
  const XlaOp condition = pred.loops.empty() ? pred.array : Over(pred, loops);
  return {b_.Select(condition, Over(x, loops), Over(y, loops)), loops};
}

LoopArray LoopValues::Mask() {
  LoopArray mask;
  for (const NestGuard& guard : nest_.guards) {
    const LoopArray index = ValueOf(*guard.index);
    const LoopArray extent = ValueOf(*guard.extent);
    if (guard.index->lower < 0) {
      const LoopArray zero{Number(S32, 0), {}};
      mask = And(mask, Together(index, zero, [this](XlaOp x, XlaOp y) { return b_.Ge(x, y); }));
    }
    mask = And(mask, Together(index, extent, [this](XlaOp x, XlaOp y) { return b_.Lt(x, y); }));
  }
  return nest_.condition == nullptr ? mask : And(mask, ValueOf(*nest_.condition));
}

LoopArray LoopValues::ExistenceOf(const std::vector<int>& loops) {
  LoopArray exists;
  for (const int loop : loops) {
    if (IsStatic(nest_.loops[loop])) continue;
    const XlaOp index = b_.Iota(xla::Shape::Array(S32, {nest_.loops[loop].bound}), 0);
    exists = And(exists, {b_.Lt(index, lowering_.Extent(nest_.loops[loop].extent)), {loop}});
  }
  return exists;
}

XlaOp LoopValues::Number(PrimitiveType type, double value) {
  return b_.ConstantLiteral(LiteralUtil::Number(type, value));
}

}  // namespace nnef2
}  // namespace xla
