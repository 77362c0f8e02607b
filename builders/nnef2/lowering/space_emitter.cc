#include "builders/nnef2/lowering/space_emitter.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "builders/computation_builder/constants.h"
#include "builders/nnef2/lowering/node_builder.h"
#include "builders/nnef2/lowering/scalar_emission.h"

namespace xla {
namespace nnef2 {
namespace {

std::vector<int> Union(const std::vector<int>& x, const std::vector<int>& y) {
  std::vector<int> both;
  std::set_union(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(both));
  return both;
}

std::vector<int64_t> DimensionsOf(ComputationBuilder& b, XlaOp x) {
  const xla::Shape shape = b.ShapeOrInvalid(x);
  return std::vector<int64_t>(shape.dimensions().begin(), shape.dimensions().end());
}

}  // namespace

// Dimensions whose index is a loop that no other index mentions are taken whole, those whose index is known are sliced,
// the others are gathered.
struct SpaceEmitter::LoadPlan {
  struct Indexed {
    int64_t dimension;
    SpaceArray index;
  };
  std::vector<Indexed> indexed;
  std::vector<int> whole;  // the loops of the other dimensions, in their order
};

std::vector<int64_t> SpaceEmitter::BoundsOf(const std::vector<int>& loops) const {
  std::vector<int64_t> bounds;
  for (const int loop : loops) bounds.push_back(nest_.loops[loop].bound);
  return bounds;
}

// Operands are emitted first, and nest at most kMaxNestDepth deep.
SpaceArray SpaceEmitter::Emit(const NestNode& node) {
  const auto found = emitted_.find(node.id);
  if (found != emitted_.end()) return found->second;
  SpaceArray array = EmitKind(node);
  emitted_.emplace(node.id, array);
  return array;
}

XlaOp SpaceEmitter::Spread(const SpaceArray& array, const std::vector<int>& loops) {
  if (array.loops == loops || !array.op.valid()) return array.op;
  std::vector<int64_t> dimensions;
  for (const int loop : array.loops) {
    dimensions.push_back(std::find(loops.begin(), loops.end(), loop) - loops.begin());
  }
  return b_.BroadcastInDim(array.op, BoundsOf(loops), dimensions);
}

absl::optional<SpaceArray> SpaceEmitter::Both(const absl::optional<SpaceArray>& x,
                                              const absl::optional<SpaceArray>& y) {
  if (!x.has_value() || !y.has_value()) return x.has_value() ? x : y;
  const std::vector<int> loops = Union(x->loops, y->loops);
  return SpaceArray{b_.And(Spread(*x, loops), Spread(*y, loops)), loops};
}

absl::optional<SpaceArray> SpaceEmitter::WithinExtent(const NestNode& index, int64_t least_extent, XlaOp extent) {
  const SpaceArray array = Emit(index);
  absl::optional<SpaceArray> mask;
  if (index.lower < 0) mask = SpaceArray{b_.Ge(array.op, Zero(&b_, S32)), array.loops};
  if (index.upper >= least_extent) mask = Both(mask, SpaceArray{b_.Lt(array.op, extent), array.loops});
  return mask;
}

absl::optional<SpaceArray> SpaceEmitter::Mask(const std::vector<bool>& whole) {
  absl::optional<SpaceArray> mask;
  for (size_t i = 0; i < nest_.loops.size(); ++i) {
    const NestLoop& loop = nest_.loops[i];
    if (loop.extent.kind != Scalar::Kind::kSymbolic || whole[i]) continue;
    const XlaOp extent = lowering_.Extent(loop.extent);
    const int number = static_cast<int>(i);
    if (IsDimension(number)) {
      mask = Both(mask, SpaceArray{b_.Lt(b_.Iota(S32, loop.bound), extent), {number}});
    } else {
      mask = Both(mask, SpaceArray{b_.Lt(indices_.at(number), extent), {}});
    }
  }
  for (const NestGuard& guard : nest_.guards) {
    const SpaceArray index = Emit(*guard.index);
    const SpaceArray extent = Emit(*guard.extent);
    if (guard.index->lower < 0) mask = Both(mask, SpaceArray{b_.Ge(index.op, Zero(&b_, S32)), index.loops});
    if (guard.index->upper >= guard.extent->lower) {
      const std::vector<int> loops = Union(index.loops, extent.loops);
      mask = Both(mask, SpaceArray{b_.Lt(Spread(index, loops), Spread(extent, loops)), loops});
    }
  }
  if (nest_.condition != nullptr) mask = Both(mask, Emit(*nest_.condition));
  return mask;
}

SpaceArray SpaceEmitter::EmitKind(const NestNode& node) {
  switch (node.kind) {
    case NestNode::Kind::kScalar:
      return EmitScalar(node);
    case NestNode::Kind::kLoop:
      if (!IsDimension(node.loop)) return {indices_.at(node.loop), {}};
      return {b_.Iota(S32, nest_.loops[node.loop].bound), {node.loop}};
    case NestNode::Kind::kUnary: {
      const SpaceArray x = Emit(*node.operands[0]);
      return {EmitUnary(node.op, x.op), x.loops};
    }
    case NestNode::Kind::kBinary: {
      const SpaceArray x = Emit(*node.operands[0]);
      const SpaceArray y = Emit(*node.operands[1]);
      const std::vector<int> loops = Union(x.loops, y.loops);
      // The builder broadcasts scalars.
      return {EmitBinary(node.op, x.loops.empty() ? x.op : Spread(x, loops), y.loops.empty() ? y.op : Spread(y, loops)),
              loops};
    }
    case NestNode::Kind::kBuiltin: {
      const SpaceArray x = Emit(*node.operands[0]);
      return {EmitBuiltin(node.function, x.op), x.loops};
    }
    case NestNode::Kind::kConvert: {
      const SpaceArray x = Emit(*node.operands[0]);
      return {EmitConvert(lowering_.TypeOf(node.type), x.op), x.loops};
    }
    case NestNode::Kind::kSelect: {
      const SpaceArray condition = Emit(*node.operands[0]);
      const SpaceArray x = Emit(*node.operands[1]);
      return SelectOf(condition, x, Emit(*node.operands[2]));
    }
    case NestNode::Kind::kRemap:
      return EmitRemap(node);
    case NestNode::Kind::kTable:
      return EmitTable(node);
    case NestNode::Kind::kLoad:
      return EmitLoad(node);
  }
  return {};
}

SpaceArray SpaceEmitter::EmitScalar(const NestNode& node) {
  const Scalar& scalar = node.scalar;
  switch (scalar.kind) {
    case Scalar::Kind::kSymbolic: {
      const XlaOp value = lowering_.Extent(scalar);
      return {node.type == BaseType::kBool ? b_.Ne(value, Zero(&b_, S32)) : value, {}};
    }
    case Scalar::Kind::kInt:
      if (FitsRunTime(scalar.integer)) return {xla::Scalar(&b_, S32, scalar.integer), {}};
      return {b_.ReportError(absl::InvalidArgumentError(RunTimeMisfit(scalar.integer))), {}};
    case Scalar::Kind::kReal:
      return {xla::Scalar(&b_, lowering_.TypeOf(BaseType::kReal), scalar.real), {}};
    case Scalar::Kind::kBool:
      return {b_.ConstantR0<bool>(scalar.integer != 0), {}};
    case Scalar::Kind::kString:
    case Scalar::Kind::kTensor:
    case Scalar::Kind::kUnknown:
      break;
  }
  return {b_.ReportError(absl::InternalError("a value is not known, and is not computed either")), {}};
}

SpaceArray SpaceEmitter::SelectOf(const SpaceArray& condition, const SpaceArray& x, const SpaceArray& y) {
  const std::vector<int> loops = Union(Union(condition.loops, x.loops), y.loops);
  return {b_.Select(Spread(condition, loops), Spread(x, loops), Spread(y, loops)), loops};
}

SpaceArray SpaceEmitter::EmitRemap(const NestNode& node) {
  const NestNode& index = *node.operands[0];
  SpaceArray result = Emit(index);
  const SpaceArray array = result;
  if (index.upper >= LowerBound(node.scalar)) {
    const SpaceArray is_beyond{b_.Ge(array.op, lowering_.Extent(node.scalar)), array.loops};
    result = SelectOf(is_beyond, Emit(*node.operands[2]), result);
  }
  if (index.lower < 0) {
    const SpaceArray is_below{b_.Lt(array.op, Zero(&b_, S32)), array.loops};
    result = SelectOf(is_below, Emit(*node.operands[1]), result);
  }
  return result;
}

SpaceArray SpaceEmitter::EmitTable(const NestNode& node) {
  const NestNode& place = *node.operands[0];
  SpaceArray index = Emit(place);
  const int64_t size = static_cast<int64_t>(node.operands.size()) - 1;
  if (place.lower < 0) {
    const XlaOp from_end = b_.Add(index.op, xla::Scalar(&b_, S32, size));
    index.op = b_.Select(b_.Lt(index.op, ScalarLike(index.op, 0)), from_end, index.op);
  }
  const bool are_scalars = std::all_of(node.operands.begin() + 1, node.operands.end(), [&](const NestNode* item) {
    return std::none_of(item->loops.begin(), item->loops.end(), [&](int loop) { return IsDimension(loop); });
  });
  if (!are_scalars) {
    SpaceArray result = Emit(*node.operands[1]);
    for (int64_t i = 1; i < size; ++i) {
      const SpaceArray is_item{b_.Eq(index.op, xla::Scalar(&b_, S32, i)), index.loops};
      result = SelectOf(is_item, Emit(*node.operands[i + 1]), result);
    }
    return result;
  }
  std::vector<XlaOp> items;
  for (int64_t i = 1; i <= size; ++i) items.push_back(b_.Reshape(Emit(*node.operands[i]).op, {1}));
  LoadPlan plan;
  plan.indexed = {{0, index}};
  return Gather(items.size() == 1 ? items[0] : b_.ConcatInDim(items, 0), plan);
}

// --- loads ---

XlaOp SpaceEmitter::ArrayOf(const NestNode& load) {
  const bool is_target = !target_arrays_.empty();
  if (load.item != nullptr) {
    if (is_target && targets_are_stacked_ && load.tensors == nest_.targets) return target_arrays_[0];
    if (is_target && !targets_are_stacked_ && load.tensors == nest_.targets) return StackArrays(&b_, target_arrays_);
    return lowering_.Stacked(load.tensors);
  }
  const auto place = std::find(nest_.targets.begin(), nest_.targets.end(), load.tensors[0]);
  if (!is_target || place == nest_.targets.end()) return lowering_.Array(load.tensors[0]);
  const int64_t number = place - nest_.targets.begin();
  if (!targets_are_stacked_) return target_arrays_[number];
  std::vector<int64_t> bounds = lowering_.BoundsOf(load.tensors[0]);
  std::vector<int64_t> begin(bounds.size() + 1, 0), end = bounds;
  begin[0] = number;
  end.insert(end.begin(), number + 1);
  return b_.Reshape(b_.Slice(target_arrays_[0], begin, end), bounds);
}

SpaceArray SpaceEmitter::Sorted(XlaOp op, std::vector<int> loops) {
  std::vector<int64_t> order(loops.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  std::sort(order.begin(), order.end(), [&](int64_t x, int64_t y) { return loops[x] < loops[y]; });
  if (!std::is_sorted(loops.begin(), loops.end())) op = b_.Transpose(op, order);
  std::sort(loops.begin(), loops.end());
  return {op, std::move(loops)};
}

SpaceArray SpaceEmitter::EmitLoad(const NestNode& node) {
  XlaOp array = ArrayOf(node);
  if (!array.valid()) return {array, {}};
  std::vector<int64_t> dimensions = DimensionsOf(b_, array);
  if (std::find(dimensions.begin(), dimensions.end(), 0) != dimensions.end()) {
    // There is no element, and no iteration either that would need one.
    return {Zero(&b_, lowering_.TypeOf(node.type)), {}};
  }
  std::vector<const NestNode*> indices = node.operands;
  if (node.item != nullptr) indices.insert(indices.begin(), node.item);
  std::vector<int64_t> begin(dimensions.size(), 0), end = dimensions, kept;
  LoadPlan plan;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    const NestNode& index = *indices[d];
    if (index.is_known()) {
      begin[d] = std::min(std::max<int64_t>(index.scalar.integer, 0), dimensions[d] - 1);
      end[d] = begin[d] + 1;
      continue;
    }
    bool is_whole = index.kind == NestNode::Kind::kLoop && IsDimension(index.loop) &&
                    nest_.loops[index.loop].bound <= dimensions[d];
    for (size_t other = 0; other < indices.size() && is_whole; ++other) {
      is_whole = other == d || std::find(indices[other]->loops.begin(), indices[other]->loops.end(), index.loop) ==
                                   indices[other]->loops.end();
    }
    if (is_whole) {
      end[d] = nest_.loops[index.loop].bound;
      plan.whole.push_back(index.loop);
    } else {
      plan.indexed.push_back({static_cast<int64_t>(kept.size()), Emit(index)});
    }
    kept.push_back(end[d]);
  }
  if (end != dimensions || begin != std::vector<int64_t>(begin.size(), 0)) array = b_.Slice(array, begin, end);
  if (kept.size() != dimensions.size()) array = b_.Reshape(array, kept);
  return plan.indexed.empty() ? Sorted(array, plan.whole) : Gather(array, plan);
}

SpaceArray SpaceEmitter::Gather(XlaOp array, const LoadPlan& plan) {
  std::vector<int> batch;
  for (const LoadPlan::Indexed& indexed : plan.indexed) batch = Union(batch, indexed.index.loops);
  std::vector<int64_t> slice = DimensionsOf(b_, array);
  // After an error of the builder, which tells it in the end, nothing has a shape.
  if (slice.size() < plan.indexed.size() + plan.whole.size()) return {array, {}};
  GatherDimensionNumbers numbers;
  numbers.index_vector_dim = static_cast<int64_t>(batch.size());
  std::vector<XlaOp> starts;
  std::vector<int64_t> vector_bounds = BoundsOf(batch);
  vector_bounds.push_back(1);
  for (const LoadPlan::Indexed& indexed : plan.indexed) {
    numbers.collapsed_slice_dims.push_back(indexed.dimension);
    numbers.start_index_map.push_back(indexed.dimension);
    slice[indexed.dimension] = 1;
    const XlaOp start = Spread(indexed.index, batch);
    starts.push_back(plan.indexed.size() == 1 ? start : b_.Reshape(start, vector_bounds));
  }
  for (size_t i = 0; i < plan.whole.size(); ++i) numbers.offset_dims.push_back(static_cast<int64_t>(batch.size() + i));
  const XlaOp indices = starts.size() == 1 ? starts[0] : b_.ConcatInDim(starts, static_cast<int64_t>(batch.size()));
  std::vector<int> loops = batch;
  loops.insert(loops.end(), plan.whole.begin(), plan.whole.end());
  return Sorted(b_.Gather(array, indices, numbers, slice), std::move(loops));
}

}  // namespace nnef2
}  // namespace xla
