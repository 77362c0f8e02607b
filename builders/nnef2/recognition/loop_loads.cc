// Loads as arrays over the loops: slices, reversals, concatenations, reshapes and gathers.
#include <algorithm>
#include <numeric>
#include <utility>

#include "builders/computation_builder/constants.h"
#include "builders/nnef2/recognition/loop_values.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace nnef2 {
namespace {

// x with the elements that the counting indices of `axes` count through, in their order, and with padding.
XlaOp Sliced(XlaOp x, const std::vector<LoadAxis>& axes, XlaOp padding) {
  ComputationBuilder& b = *x.builder();
  PaddingConfig config;
  std::vector<int64_t> reversed, starts, limits, strides;
  bool is_whole = true, is_padded = false;
  for (size_t d = 0; d < axes.size(); ++d) {
    const LoadAxis& axis = axes[d];
    const int64_t extent = axis.low + axis.extent + axis.high;
    config.push_back({axis.low, axis.high, 0});
    is_padded = is_padded || axis.low > 0 || axis.high > 0;
    if (axis.gathers || axis.is_rearranged()) {
      starts.push_back(0);
      limits.push_back(extent);
      strides.push_back(1);
      continue;
    }
    const CountingIndex& counting = axis.counting;
    const int64_t step = std::abs(counting.stride);
    const int64_t first = counting.first + axis.low;
    // In a reversed dimension, element i is element extent - 1 - i.
    if (counting.stride < 0) reversed.push_back(static_cast<int64_t>(d));
    starts.push_back(counting.stride < 0 ? extent - 1 - first : first);
    limits.push_back(starts[d] + (counting.count - 1) * step + 1);
    strides.push_back(step);
    is_whole = is_whole && counting.count == extent;
  }
  if (is_padded) x = b.Pad(x, padding, config);
  if (!reversed.empty()) x = b.Rev(x, reversed);
  if (!is_whole) x = b.Slice(x, starts, limits, strides);
  for (size_t d = 0; d < axes.size(); ++d) {
    const auto dimension = static_cast<int64_t>(d);
    if (!axes[d].pieces.empty()) x = JoinPieces(x, axes[d].pieces, dimension);
    if (axes[d].repeats > 1) x = RepeatElements(x, axes[d].repeats, dimension);
  }
  return x;
}

// x with the dimension cut to what an index counts through that a dynamic extent moves; *axis: in what is left.
XlaOp CutMoved(NestLowering& lowering, XlaOp x, int64_t dimension, LoadAxis* axis) {
  ComputationBuilder& b = lowering.builder();
  const xla::Shape shape = b.ShapeOrInvalid(x);
  if (!b.ok()) return XlaOp();
  std::vector<XlaOp> starts(shape.dimensions().size(), b.ConstantR0<int32_t>(0));
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  const int64_t lowest = axis->counting.lowest();
  starts[dimension] = StartOf(lowering, axis->move, lowest);
  sizes[dimension] = axis->extent = axis->counting.highest() - lowest + 1;
  axis->counting.first -= lowest;
  return b.DynamicSlice(x, starts, sizes);
}

}  // namespace

XlaOp StartOf(NestLowering& lowering, const MovedIndex& move, int64_t first) {
  ComputationBuilder& b = lowering.builder();
  if (move.by == nullptr) return xla::Scalar(&b, S32, first);
  XlaOp start = lowering.Extent(move.by->scalar);
  if (move.is_subtracted) start = b.Neg(start);
  return first == 0 ? start : b.Add(start, xla::Scalar(&b, S32, first));
}

// The elements that the gathering indices of `plan` name: first dimensions for the loops that these depend on, *loops,
// then those of the other axes, *axes.
XlaOp LoopValues::Gathered(const LoadPlan& plan, XlaOp x, std::vector<int>* loops, std::vector<size_t>* axes) {
  // A loop of an index is not a dimension of another axis, too: that axis is gathered as well.
  std::vector<bool> gathers;
  for (const LoadAxis& axis : plan.axes) {
    gathers.push_back(axis.gathers);
    if (axis.gathers) *loops = Union(*loops, ValueOf(*axis.index).loops);
  }
  *loops = InOrder(*loops);
  const auto is_shared = [&](int loop) { return std::find(loops->begin(), loops->end(), loop) != loops->end(); };
  std::vector<size_t> shared;
  for (size_t d = 0; d < plan.axes.size(); ++d) {
    const std::vector<int>& counted = plan.axes[d].counting.loops;
    if (gathers[d] || !std::any_of(counted.begin(), counted.end(), is_shared)) continue;
    gathers[d] = true;
    shared.push_back(d);
    *loops = Union(*loops, counted);
  }
  GatherDimensionNumbers numbers;
  std::vector<int64_t> sizes;
  std::vector<XlaOp> indices;
  std::vector<int64_t> column = BoundsOf(*loops);
  column.push_back(1);
  const xla::Shape shape = b_.ShapeOrInvalid(x);
  if (!b_.ok()) return XlaOp();
  for (size_t d = 0; d < plan.axes.size(); ++d) {
    const auto dimension = static_cast<int64_t>(d);
    if (!gathers[d]) {
      numbers.offset_dims.push_back(static_cast<int64_t>(loops->size() + axes->size()));
      axes->push_back(d);
      sizes.push_back(shape.dimension(static_cast<int>(d)));
      continue;
    }
    numbers.collapsed_slice_dims.push_back(dimension);
    numbers.start_index_map.push_back(dimension);
    sizes.push_back(1);
    LoopArray index;
    if (plan.axes[d].gathers) {
      index = ValueOf(*plan.axes[d].index);
    } else {
      // The slice has been taken: its elements are numbered from 0.
      const std::vector<int>& counted = plan.axes[d].counting.loops;
      const XlaOp flat = b_.Iota(S32, shape.dimension(static_cast<int>(d)));
      index = {b_.Reshape(flat, BoundsOf(counted)), counted};
    }
    indices.push_back(b_.Reshape(Over(index, *loops), column));
  }
  numbers.index_vector_dim = static_cast<int64_t>(loops->size());
  const XlaOp start = indices.size() == 1 ? indices[0] : b_.Concatenate(indices, numbers.index_vector_dim);
  return b_.Gather(x, start, numbers, sizes);
}

// The kept loop that stands for a dimension of one element: its index or, where all dimensions are those of the target
// and the index is a number, that of the target.
int LoopValues::KeptLoopOf(const NestNode& load, size_t axis) const {
  if (load.item != nullptr) return -1;
  const auto kept = [this](const NestNode& index) {
    return index.kind == NestNode::Kind::kLoop && Contains(kept_, index.loop) ? index.loop : -1;
  };
  const NestNode& index = *load.operands[axis];
  const bool is_of_target = index.is_known() && load.operands.size() == nest_.indices.size();
  return is_of_target ? kept(*nest_.indices[axis]) : kept(index);
}

LoopArray LoopValues::LoadInPlace(const LoadPlan& plan, XlaOp padding) {
  const NestNode& load = *plan.load;
  XlaOp x = load.item != nullptr ? lowering_.Stacked(load.tensors) : lowering_.Array(load.tensors[0]);
  if (!x.valid()) return {};
  if (plan.has_padding() && !padding.valid()) padding = Number(lowering_.TypeOf(load.type), 0);
  std::vector<LoadAxis> cut = plan.axes;
  for (size_t d = 0; d < cut.size(); ++d) {
    if (cut[d].move.by != nullptr && x.valid()) x = CutMoved(lowering_, x, static_cast<int64_t>(d), &cut[d]);
  }
  if (!x.valid()) return {};
  x = Sliced(x, cut, padding);
  LoopArray result;
  std::vector<size_t> axes(plan.axes.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (plan.gathers()) {
    axes.clear();
    x = Gathered(plan, x, &result.loops, &axes);
  }
  for (const size_t d : axes) {
    const std::vector<int>& counted = plan.axes[d].counting.loops;
    result.loops.insert(result.loops.end(), counted.begin(), counted.end());
    const int kept = counted.empty() ? KeptLoopOf(load, d) : -1;
    if (kept >= 0 && !Contains(result.loops, kept)) result.loops.push_back(kept);
  }
  const std::vector<int64_t> bounds = BoundsOf(result.loops);
  const xla::Shape shape = b_.ShapeOrInvalid(x);
  if (b_.ok() && bounds != std::vector<int64_t>(shape.dimensions().begin(), shape.dimensions().end())) {
    x = b_.Reshape(x, bounds);
  }
  result.array = x;
  return result;
}

LoopArray LoopValues::LoadOf(const LoadPlan& plan, XlaOp padding) {
  const LoopArray loaded = LoadInPlace(plan, padding);
  const std::vector<int> ordered = InOrder(loaded.loops);
  return {Over(loaded, ordered), ordered};
}

// The items of a pack that loops count through: of a constant.
LoopArray LoopValues::Table(const NestNode& node) {
  LoadAxis axis;
  axis.extent = static_cast<int64_t>(node.operands.size()) - 1;
  axis.counting = *CountingOf(*AffineOf(*node.operands[0], nest_.loops.size()), nest_.loops);
  std::vector<double> items;
  for (size_t i = 1; i < node.operands.size(); ++i) {
    const Scalar& item = node.operands[i]->scalar;
    items.push_back(item.kind == Scalar::Kind::kReal ? item.real : static_cast<double>(item.integer));
  }
  const Literal literal = Literal::FromValues<double>({axis.extent}, items);
  XlaOp x = b_.ConstantLiteral(LiteralUtil::Convert(literal, lowering_.TypeOf(node.type)));
  if (!x.valid()) return {};
  x = Sliced(x, {axis}, XlaOp());
  const std::vector<int>& loops = axis.counting.loops;
  if (loops.size() != 1) x = b_.Reshape(x, BoundsOf(loops));
  return {Over({x, loops}, InOrder(loops)), InOrder(loops)};
}

}  // namespace nnef2
}  // namespace xla
