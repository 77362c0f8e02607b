#include "passes/partitioning/shard_emitter.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

#include "passes/base/identity_element.h"
#include "xla_core/ir/attributes.h"

namespace xla {
namespace {

PrimitiveType IndexType(int64_t largest) {
  return largest <= std::numeric_limits<int32_t>::max() ? PrimitiveType::S32 : PrimitiveType::S64;
}

std::vector<int64_t> Sizes(const HloInstruction& x) {
  return std::vector<int64_t>(x.shape().dimensions().begin(), x.shape().dimensions().end());
}

// A permutation of `rank` dimensions that moves one to another place; those in between move up.
std::vector<int64_t> MoveDimension(int64_t rank, int64_t from, int64_t to) {
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), int64_t{0});
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return order;
}

// Devices that send to each other in a round, as groups.
std::vector<std::vector<int64_t>> CyclesOf(const std::vector<std::pair<int64_t, int64_t>>& pairs) {
  std::vector<std::vector<int64_t>> cycles;
  std::vector<bool> is_done(pairs.size(), false);
  for (size_t first = 0; first < pairs.size(); ++first) {
    // Sorted by sender, of which each device is one.
    std::vector<int64_t> cycle;
    for (size_t i = first; !is_done[i]; i = static_cast<size_t>(pairs[i].second)) {
      is_done[i] = true;
      cycle.push_back(pairs[i].first);
    }
    if (cycle.size() > 1) cycles.push_back(std::move(cycle));
  }
  return cycles;
}

}  // namespace

InstructionBuilder& ShardEmitter::At(const HloInstruction* origin) {
  const absl::Status status = build_.status();
  build_ = InstructionBuilder(computation_, origin);
  build_.UpdateStatus(status);
  return build_;
}

HloInstruction* ShardEmitter::Reshard(HloInstruction* shard, const ArrayTiling& from, const ArrayTiling& to,
                                      const Shape& shape) {
  ArrayTiling now = from;
  for (const ReshardStep& step : PlanReshard(from, to, shape, scope())) {
    shard = Take(shard, step, now, shape);
    now = step.after;
  }
  return shard;
}

HloInstruction* ShardEmitter::Take(HloInstruction* shard, const ReshardStep& step, const ArrayTiling& before,
                                   const Shape& shape) {
  const int64_t size = shape.rank() == 0 ? 1 : shape.dimension(step.dimension);
  switch (step.kind) {
    case ReshardStep::Kind::kCut:
      return Cut(shard, step, before, size);
    case ReshardStep::Kind::kGather:
      return Gather(shard, step, before, size);
    case ReshardStep::Kind::kExchange:
      return Exchange(shard, step, before, shape);
    case ReshardStep::Kind::kPermute:
      return Permute(shard, before, step.after);
  }
  return shard;
}

HloInstruction* ShardEmitter::Cut(HloInstruction* shard, const ReshardStep& step, const ArrayTiling& before,
                                  int64_t size) {
  const DimensionTiling& coarse = before[step.dimension];
  const DimensionTiling& fine = step.after[step.dimension];
  const int64_t ratio = fine.tiles / coarse.tiles;
  const int64_t shard_size = ShardSize(size, fine);
  shard = PadTo(shard, step.dimension, shard_size * ratio);
  // Within the tile that the device has.
  std::vector<int64_t> within(program_.devices);
  for (int64_t device = 0; device < program_.devices; ++device) within[device] = fine.CoordinateOf(device) % ratio;
  HloInstruction* const offset = Offset(MakeDimensionTiling(ratio, std::move(within)), shard_size * ratio);
  std::vector<HloInstruction*> starts(shard->shape().rank(), offset);
  if (starts.size() > 1) {
    std::fill(starts.begin(), starts.end(), build_.Zero(offset->shape().element_type()));
    starts[step.dimension] = offset;
  }
  std::vector<int64_t> sizes = Sizes(*shard);
  sizes[step.dimension] = shard_size;
  return build_.DynamicSlice(shard, starts, sizes);
}

HloInstruction* ShardEmitter::Gather(HloInstruction* shard, const ReshardStep& step, const ArrayTiling& before,
                                     int64_t size) {
  const DimensionTiling& fine = before[step.dimension];
  const DimensionTiling& coarse = step.after[step.dimension];
  const int64_t ratio = fine.tiles / coarse.tiles;
  // The tiles within a coarse one, as a dimension of their own.
  std::vector<int64_t> within(program_.devices);
  for (int64_t device = 0; device < program_.devices; ++device) within[device] = fine.CoordinateOf(device) % ratio;
  ArrayTiling tiling = step.after;
  tiling.push_back(MakeDimensionTiling(ratio, std::move(within)));
  auto attributes = std::make_unique<ShardingCollectiveAttributes>();
  attributes->channel_id = ++program_.last_channel;
  attributes->use_global_device_ids = true;
  attributes->dimension = step.dimension;
  attributes->replica_groups = Groups(tiling, {static_cast<int64_t>(tiling.size()) - 1});
  recorder().AddTransfer("all-gather", attributes->replica_groups.groups, shard->shape().ByteSize() * (ratio - 1));
  Shape shape = shard->shape().WithoutLayout();
  shape.set_dimension(step.dimension, shape.dimension(step.dimension) * ratio);
  HloInstruction* gathered = build_.MakeOfShape(HloOpcode::kAllGather, shape, {shard}, std::move(attributes));
  if (!coarse.is_whole() || shape.dimension(step.dimension) == size) return gathered;
  return build_.SliceInDim(gathered, step.dimension, 0, size);
}

// Splits `other` into as many parts as `dimension` has tiles, in front of all dimensions, sends part i to device i of
// the group, and puts what comes, tile i from device i, together along `dimension`.
HloInstruction* ShardEmitter::Exchange(HloInstruction* shard, const ReshardStep& step, const ArrayTiling& before,
                                       const Shape& shape) {
  const int64_t rank = shape.rank();
  const int64_t parts = before[step.dimension].tiles;
  const int64_t part_size = ShardSize(shape.dimension(step.other), step.after[step.other]);
  shard = PadTo(shard, step.other, part_size * parts);
  std::vector<int64_t> split = Sizes(*shard);
  split[step.other] = part_size;
  split.insert(split.begin() + step.other, parts);
  HloInstruction* x = build_.Reshape(shard, split);
  if (step.other != 0) x = build_.Transpose(x, MoveDimension(rank + 1, step.other, 0));
  auto attributes = std::make_unique<AllToAllAttributes>();
  attributes->channel_id = ++program_.last_channel;
  attributes->split_dimension = 0;
  attributes->replica_groups = Groups(before, {step.dimension});
  recorder().AddTransfer("all-to-all", attributes->replica_groups.groups, x->shape().ByteSize() / parts * (parts - 1));
  x = build_.MakeOfShape(HloOpcode::kAllToAll, x->shape().WithoutLayout(), {x}, std::move(attributes));
  if (step.dimension != 0) x = build_.Transpose(x, MoveDimension(rank + 1, 0, step.dimension));
  std::vector<int64_t> joined = Sizes(*x);
  joined[step.dimension + 1] *= parts;
  joined.erase(joined.begin() + step.dimension);
  x = build_.Reshape(x, joined);
  const int64_t size = shape.dimension(step.dimension);
  return joined[step.dimension] == size ? x : build_.SliceInDim(x, step.dimension, 0, size);
}

HloInstruction* ShardEmitter::Permute(HloInstruction* shard, const ArrayTiling& before, const ArrayTiling& after) {
  auto attributes = std::make_unique<CollectivePermuteAttributes>();
  attributes->channel_id = ++program_.last_channel;
  attributes->source_target_pairs = ShardMoves(before, after, scope());
  recorder().AddTransfer("collective-permute", CyclesOf(attributes->source_target_pairs), shard->shape().ByteSize());
  return build_.MakeOfShape(HloOpcode::kCollectivePermute, shard->shape().WithoutLayout(), {shard},
                            std::move(attributes));
}

HloInstruction* ShardEmitter::MaskPadding(HloInstruction* shard, int64_t dimension, int64_t size,
                                          const DimensionTiling& tiling, const Literal& neutral) {
  if (!HasPadding(size, tiling)) return shard;
  HloInstruction* const offset = Offset(tiling, size);
  const Shape indices = Shape::Array(offset->shape().element_type(), shard->shape().dimensions());
  HloInstruction* const index = build_.Add(build_.Iota(indices, dimension), build_.BroadcastScalar(offset, indices));
  HloInstruction* const is_inside = build_.Compare(ComparisonDirection::kLt, index, build_.Splat(indices, size));
  return build_.Select(is_inside, shard, build_.Splat(shard->shape().WithoutLayout(), neutral));
}

HloInstruction* ShardEmitter::KeepInFirst(HloInstruction* x, const DimensionTiling& tiling, const Literal& elsewhere) {
  const Shape shape = x->shape().WithoutLayout();
  const Shape tiles = Shape::Array(PrimitiveType::S32, shape.dimensions());
  HloInstruction* const tile = build_.BroadcastScalar(Coordinate(tiling), tiles);
  HloInstruction* const is_first = build_.Compare(ComparisonDirection::kEq, tile, build_.Splat(tiles, 0));
  return build_.Select(is_first, x, build_.Splat(shape, elsewhere));
}

HloInstruction* ShardEmitter::AllReduce(HloInstruction* x, HloOpcode combiner, const ArrayTiling& tiling,
                                        absl::Span<const int64_t> dimensions) {
  auto attributes = std::make_unique<AllReduceAttributes>();
  attributes->channel_id = ++program_.last_channel;
  attributes->use_global_device_ids = true;
  attributes->replica_groups = Groups(tiling, dimensions);
  // Each device adds up one part of all and then gets the others.
  const int64_t size = static_cast<int64_t>(attributes->replica_groups.groups[0].size());
  recorder().AddTransfer("all-reduce", attributes->replica_groups.groups,
                         2 * (x->shape().ByteSize() - x->shape().ByteSize() / size));
  const PrimitiveType type = x->shape().element_type();
  if (type == PrimitiveType::PRED) combiner = OnPredicates(combiner);
  return build_.MakeOfShape(HloOpcode::kAllReduce, x->shape().WithoutLayout(), {x}, std::move(attributes),
                            {ScalarComputation(build_.module(), combiner, type)});
}

HloInstruction* ShardEmitter::ReduceScatter(HloInstruction* x, HloOpcode combiner, const ArrayTiling& tiling,
                                            absl::Span<const int64_t> reduced, int dimension, int64_t size) {
  auto attributes = std::make_unique<ShardingCollectiveAttributes>();
  attributes->channel_id = ++program_.last_channel;
  attributes->use_global_device_ids = true;
  attributes->dimension = dimension;
  attributes->replica_groups = Groups(tiling, reduced);
  const int64_t parts = static_cast<int64_t>(attributes->replica_groups.groups[0].size());
  const int64_t part_size = CeilDiv(size, parts);
  x = PadTo(x, dimension, part_size * parts);
  recorder().AddTransfer("reduce-scatter", attributes->replica_groups.groups,
                         x->shape().ByteSize() - x->shape().ByteSize() / parts);
  Shape shape = x->shape().WithoutLayout();
  shape.set_dimension(dimension, part_size);
  const PrimitiveType type = shape.element_type();
  if (type == PrimitiveType::PRED) combiner = OnPredicates(combiner);
  return build_.MakeOfShape(HloOpcode::kReduceScatter, shape, {x}, std::move(attributes),
                            {ScalarComputation(build_.module(), combiner, type)});
}

HloInstruction* ShardEmitter::Stack(HloInstruction* x, const ArrayTiling& tiling,
                                    absl::Span<const int64_t> dimensions) {
  std::vector<int64_t> sizes = Sizes(*x);
  sizes.insert(sizes.begin(), 1);
  x = build_.Reshape(x, sizes);
  auto attributes = std::make_unique<ShardingCollectiveAttributes>();
  attributes->channel_id = ++program_.last_channel;
  attributes->use_global_device_ids = true;
  attributes->dimension = 0;
  attributes->replica_groups = Groups(tiling, dimensions);
  const int64_t parts = static_cast<int64_t>(attributes->replica_groups.groups[0].size());
  recorder().AddTransfer("all-gather", attributes->replica_groups.groups, x->shape().ByteSize() * (parts - 1));
  Shape shape = x->shape().WithoutLayout();
  shape.set_dimension(0, parts);
  return build_.MakeOfShape(HloOpcode::kAllGather, shape, {x}, std::move(attributes));
}

HloInstruction* ShardEmitter::FromFirstDevice(HloInstruction* x) {
  auto attributes = std::make_unique<CollectiveBroadcastAttributes>();
  attributes->channel_id = ++program_.last_channel;
  attributes->replica_groups.groups = DevicesOfTiles({manual_}, program_.devices);
  recorder().AddTransfer("collective-broadcast", attributes->replica_groups.groups, x->shape().ByteSize());
  return build_.MakeOfShape(HloOpcode::kCollectiveBroadcast, x->shape().WithoutLayout(), {x}, std::move(attributes));
}

HloInstruction* ShardEmitter::Offset(const DimensionTiling& tiling, int64_t size) {
  const int64_t shard_size = ShardSize(size, tiling);
  const PrimitiveType type = IndexType(shard_size * tiling.tiles);
  HloInstruction* const coordinate = build_.Convert(Coordinate(tiling), type);
  return shard_size == 1 ? coordinate : build_.Mul(coordinate, build_.Scalar(type, shard_size));
}

// No difference wraps to an index of the shard: a signed type holds the offset and the shard's size together.
HloInstruction* ShardEmitter::IndicesOfShard(HloInstruction* indices, int part, int64_t vector_dimension,
                                             const DimensionTiling& tiling, int64_t size) {
  HloInstruction* const offset = Offset(tiling, size);
  const PrimitiveType given = indices->shape().element_type();
  const bool is_wide =
      offset->shape().element_type() == PrimitiveType::S64 || given == PrimitiveType::U32 || BitWidth(given) > 32;
  const PrimitiveType type = is_wide ? PrimitiveType::S64 : PrimitiveType::S32;
  const Shape shape = Shape::Array(type, indices->shape().dimensions());
  HloInstruction* shift = build_.BroadcastScalar(build_.Convert(offset, type), shape);
  if (vector_dimension < shape.rank() && shape.dimension(static_cast<int>(vector_dimension)) > 1) {
    HloInstruction* const is_part =
        build_.Compare(ComparisonDirection::kEq, build_.Iota(shape, vector_dimension), build_.Splat(shape, part));
    shift = build_.Select(is_part, shift, build_.Splat(shape, 0));
  }
  return build_.Sub(build_.Convert(indices, type), shift);
}

HloInstruction* ShardEmitter::SendAround(HloInstruction* x, const std::vector<std::vector<int64_t>>& groups) {
  auto attributes = std::make_unique<CollectivePermuteAttributes>();
  attributes->channel_id = ++program_.last_channel;
  attributes->source_target_pairs = PairsAround(groups);
  recorder().AddTransfer("collective-permute", groups, x->shape().ByteSize());
  return build_.MakeOfShape(HloOpcode::kCollectivePermute, x->shape().WithoutLayout(), {x}, std::move(attributes));
}

std::vector<std::pair<int64_t, int64_t>> ShardEmitter::PairsAround(
    const std::vector<std::vector<int64_t>>& groups) const {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const std::vector<int64_t>& group : groups) {
    for (size_t i = 0; i < group.size(); ++i) pairs.emplace_back(group[(i + 1) % group.size()], group[i]);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

HloInstruction* ShardEmitter::PadTo(HloInstruction* x, int64_t dimension, int64_t size) {
  const int64_t missing = size - x->shape().dimension(static_cast<int>(dimension));
  if (missing == 0) return x;
  PaddingConfig padding(x->shape().rank());
  padding[dimension].high = missing;
  return build_.Pad(x, build_.Zero(x->shape().element_type()), std::move(padding));
}

HloInstruction* ShardEmitter::Coordinate(const DimensionTiling& tiling) {
  for (const auto& [known, coordinate] : coordinates_) {
    if (known == tiling) return coordinate;
  }
  if (device_ == nullptr) {
    device_ = build_.Convert(build_.MakeOfShape(HloOpcode::kPartitionId, Shape::Scalar(PrimitiveType::U32), {}),
                             PrimitiveType::S32);
  }
  HloInstruction* coordinate = device_;
  const absl::optional<int64_t> stride = StrideOf(tiling);
  if (tiling.is_whole()) {
    coordinate = build_.Zero(PrimitiveType::S32);
  } else if (stride.has_value()) {
    if (*stride != 1) coordinate = build_.Div(coordinate, build_.Scalar(PrimitiveType::S32, *stride));
    if (*stride * tiling.tiles != program_.devices) {
      coordinate = build_.Binary(HloOpcode::kRemainder, coordinate, build_.Scalar(PrimitiveType::S32, tiling.tiles));
    }
  } else {
    const std::vector<int32_t> table(tiling.coordinates->begin(), tiling.coordinates->end());
    HloInstruction* const all =
        build_.Constant(Literal::FromValues<int32_t>({program_.devices}, absl::MakeConstSpan(table)));
    coordinate = build_.Reshape(build_.DynamicSlice(all, {device_}, {1}), {});
  }
  coordinates_.emplace_back(tiling, coordinate);
  return coordinate;
}

ReplicaGroups ShardEmitter::Groups(const ArrayTiling& tiling, absl::Span<const int64_t> dimensions) const {
  ReplicaGroups groups;
  groups.groups = GroupsAlong(tiling, dimensions, scope());
  return groups;
}

}  // namespace xla
