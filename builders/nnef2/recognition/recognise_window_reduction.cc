#include <algorithm>
#include <utility>

#include "builders/nnef2/lowering/scalar_emission.h"
#include "builders/nnef2/recognition/recognisers.h"
#include "builders/nnef2/recognition/window_input.h"

namespace xla {
namespace nnef2 {
namespace {

// The window along each dimension of what is loaded; none: not all loops and guards are about such windows, or there is
// no window of several items.
absl::optional<std::vector<WindowIndex>> WindowsOf(const NestLowering& lowering, const StatementNest& nest,
                                                   const std::vector<int>& places) {
  const NestNode& load = *nest.values[0];
  const std::vector<int64_t> extents = lowering.BoundsOf(load.tensors[0]);
  const Shape& shape = lowering.tensor(load.tensors[0]).shape;
  std::vector<WindowIndex> windows;
  std::vector<int> uses(nest.loops.size(), 0);
  size_t guards = 0;
  bool moves = false;
  for (size_t d = 0; d < extents.size(); ++d) {
    const absl::optional<MovedIndex> index = MovedIndexOf(*load.operands[d], nest.loops.size());
    if (!index.has_value()) return absl::nullopt;
    const auto window = WindowOf(*index, nest.loops, [&](int loop) { return Contains(places, loop); });
    if (!window.has_value()) return absl::nullopt;
    for (const int loop : {window->place, window->item}) {
      if (loop >= 0 && uses[loop]++ > 0) return absl::nullopt;
    }
    bool is_guarded = false;
    if (!StaysInside(nest, *load.operands[d], *window, shape[d], extents[d], &is_guarded)) return absl::nullopt;
    guards += is_guarded ? 1 : 0;
    moves = moves || (window->items > 1 && window->places > 1);
    windows.push_back(*window);
  }
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    if (uses[i] == 0 && !RunsOnce(nest.loops[i])) return absl::nullopt;
  }
  // Guards of one index are one.
  if (guards < nest.guards.size() || !moves) return absl::nullopt;
  return windows;
}

}  // namespace

XlaOp RecogniseWindowReduction(NestLowering& lowering, const StatementNest& nest, StartValue start) {
  const NestNode& load = *nest.values[0];
  if (nest.op == Operator::kEqual || nest.op == Operator::kUniform || nest.condition != nullptr ||
      load.kind != NestNode::Kind::kLoad || load.item != nullptr || load.tensors.size() != 1) {
    return XlaOp();
  }
  const absl::optional<TargetPlan> target = PlanTarget(lowering, nest);
  if (!target.has_value() || !target->is_plain()) return XlaOp();
  std::vector<int> places = target->loops;
  for (const NestNode* const index : nest.indices) {
    if (index->kind == NestNode::Kind::kLoop && !Contains(places, index->loop)) places.push_back(index->loop);
  }
  auto windows = WindowsOf(lowering, nest, places);
  if (!windows.has_value()) return XlaOp();

  ComputationBuilder& b = lowering.builder();
  const PrimitiveType type = lowering.TypeOf(nest.type);
  const PrimitiveType sum_type = nest.op == Operator::kAdd || nest.op == Operator::kMultiply ? SumType(type) : type;
  std::vector<int64_t> extents = lowering.BoundsOf(load.tensors[0]);
  const XlaOp neutral = NeutralElement(&b, nest.op, sum_type);
  XlaOp x = ConvertTo(lowering.Array(load.tensors[0]), sum_type);
  std::vector<int64_t> sizes, strides, dilations, kept;
  std::vector<std::pair<int64_t, int64_t>> padding;
  std::vector<int> loops;
  for (size_t d = 0; d < windows->size(); ++d) {
    WindowIndex& window = (*windows)[d];
    const auto dimension = static_cast<int64_t>(d);
    if (!window.IsTrivial(extents[d])) x = WithoutTheRestOf(lowering, x, load.tensors[0], dimension, neutral);
    if (window.moves()) extents[d] = window.reach();
    x = MoveToWindows(lowering, x, dimension, &window, neutral);
    sizes.push_back(window.items);
    strides.push_back(window.stride);
    dilations.push_back(window.dilation);
    padding.push_back(window.Padding(extents[d]));
    if (window.places == 1) continue;
    loops.push_back(window.place);
    kept.push_back(window.places);
  }
  XlaOp result = b.ReduceWindowWithGeneralPadding(x, neutral, CombinerOf(nest.op, sum_type), sizes, strides, {},
                                                  dilations, padding);
  result = ConvertTo(result, type);
  if (!result.valid()) return result;
  LoopValues values(&lowering, nest, TargetFirst(nest, *target));
  // Dimensions of one element are no loops. Those of the target come back with its shape.
  std::vector<int64_t> all;
  for (const WindowIndex& window : *windows) all.push_back(window.places);
  const bool is_in_place = all == target->extents && loops == values.InOrder(target->loops);
  if (!is_in_place) {
    if (kept != all) result = b.Reshape(result, kept);
    result = ElementsOfTarget(*target, values.Over({result, loops}, values.InOrder(target->loops)));
  }
  return AddToStart(lowering, nest, std::move(start), result);
}

}  // namespace nnef2
}  // namespace xla
