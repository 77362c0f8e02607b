// Part of ShardEmitter: ranges of rows that reach into the shards of neighbours.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>

#include "passes/partitioning/shard_emitter.h"
#include "xla_core/ir/attributes.h"

namespace xla {

HloInstruction* ShardEmitter::TakeRows(HloInstruction* x, const ArrayTiling& from, int dimension,
                                       const DimensionTiling& tiling, const WindowTiles& tiles) {
  std::vector<int64_t> starts = tiles.starts();
  if (!from[dimension].is_whole()) {
    const int64_t shard_rows = x->shape().dimension(dimension);
    for (size_t tile = 0; tile < starts.size(); ++tile) {
      starts[tile] += tiles.rows_before() - static_cast<int64_t>(tile) * shard_rows;
    }
    x = AddNeighbours(x, from, dimension, tiles);
  }
  const auto [lowest, highest] = std::minmax_element(starts.begin(), starts.begin() + tiles.used_tiles());
  PaddingConfig padding(x->shape().rank());
  padding[dimension].low = std::max<int64_t>(0, -*lowest);
  padding[dimension].high = std::max<int64_t>(0, *highest + tiles.row_count() - x->shape().dimension(dimension));
  if (!(padding[dimension] == PaddingDimension())) {
    const int64_t low = padding[dimension].low;
    for (int64_t& start : starts) start += low;
    x = build_.Pad(x, build_.Zero(x->shape().element_type()), std::move(padding));
  }
  const int64_t rows = x->shape().dimension(dimension);
  if (*lowest == *highest) {
    return rows == tiles.row_count() ? x : build_.SliceInDim(x, dimension, *lowest, *lowest + tiles.row_count());
  }
  std::vector<int64_t> sizes(x->shape().dimensions().begin(), x->shape().dimensions().end());
  sizes[dimension] = tiles.row_count();
  HloInstruction* const start = OfTile(tiling, starts);
  std::vector<HloInstruction*> all(sizes.size(), start);
  if (all.size() > 1) {
    std::fill(all.begin(), all.end(), build_.Zero(start->shape().element_type()));
    all[dimension] = start;
  }
  return build_.DynamicSlice(x, all, sizes);
}

HloInstruction* ShardEmitter::AddNeighbours(HloInstruction* x, const ArrayTiling& from, int dimension,
                                            const WindowTiles& tiles) {
  const int64_t shard_rows = x->shape().dimension(dimension);
  const std::vector<std::vector<int64_t>> groups = GroupsAlong(from, {dimension}, scope());
  std::vector<HloInstruction*> parts;
  for (int64_t hop = CeilDiv(tiles.rows_before(), shard_rows); hop > 0; --hop) {
    parts.push_back(FromNeighbour(x, groups, dimension, -hop, tiles));
  }
  parts.push_back(x);
  for (int64_t hop = 1; hop <= CeilDiv(tiles.rows_after(), shard_rows); ++hop) {
    parts.push_back(FromNeighbour(x, groups, dimension, hop, tiles));
  }
  return parts.size() == 1 ? x : build_.Concatenate(parts, dimension);
}

// What the device `hop` tiles further on has next to the device's own rows. Where there is none, there are zeros.
HloInstruction* ShardEmitter::FromNeighbour(HloInstruction* x, const std::vector<std::vector<int64_t>>& groups,
                                            int dimension, int64_t hop, const WindowTiles& tiles) {
  const int64_t shard_rows = x->shape().dimension(dimension);
  const int64_t nearer = (std::abs(hop) - 1) * shard_rows;
  const int64_t rows = std::min(shard_rows, (hop < 0 ? tiles.rows_before() : tiles.rows_after()) - nearer);
  auto attributes = std::make_unique<CollectivePermuteAttributes>();
  attributes->channel_id = ++program_.last_channel;
  for (const std::vector<int64_t>& group : groups) {
    for (int64_t tile = 0; tile < static_cast<int64_t>(group.size()); ++tile) {
      const int64_t needed = hop < 0 ? tiles.RowsBefore(tile) : tiles.RowsAfter(tile);
      if (needed > nearer) attributes->source_target_pairs.emplace_back(group[tile + hop], group[tile]);
    }
  }
  std::sort(attributes->source_target_pairs.begin(), attributes->source_target_pairs.end());
  HloInstruction* const sent = rows == shard_rows ? x
                                                  : build_.SliceInDim(x, dimension, hop < 0 ? shard_rows - rows : 0,
                                                                      hop < 0 ? shard_rows : rows);
  recorder().AddTransfer("collective-permute", groups, sent->shape().ByteSize());
  return build_.MakeOfShape(HloOpcode::kCollectivePermute, sent->shape().WithoutLayout(), {sent},
                            std::move(attributes));
}

HloInstruction* ShardEmitter::FillRows(HloInstruction* rows, int dimension, const DimensionTiling& tiling,
                                       const WindowTiles& tiles, HloInstruction* fill) {
  const auto used = tiles.starts().begin() + tiles.used_tiles();
  const bool has_before = *std::min_element(tiles.starts().begin(), used) < 0;
  const bool has_after = *std::max_element(tiles.starts().begin(), used) + tiles.row_count() > tiles.operand_rows();
  if (!has_before && !has_after) return rows;
  HloInstruction* const start = OfTile(tiling, tiles.starts());
  const Shape indices = Shape::Array(start->shape().element_type(), rows->shape().dimensions());
  HloInstruction* const index = build_.Add(build_.Iota(indices, dimension), build_.BroadcastScalar(start, indices));
  HloInstruction* exists = nullptr;
  if (has_after) exists = build_.Compare(ComparisonDirection::kLt, index, build_.Splat(indices, tiles.operand_rows()));
  if (has_before) {
    HloInstruction* const is_late = build_.Compare(ComparisonDirection::kGe, index, build_.Splat(indices, 0));
    exists = exists == nullptr ? is_late : build_.And(is_late, exists);
  }
  return build_.Select(exists, rows, build_.BroadcastScalar(fill, rows->shape().WithoutLayout()));
}

HloInstruction* ShardEmitter::OfTile(const DimensionTiling& tiling, const std::vector<int64_t>& values) {
  constexpr int64_t kS32 = std::numeric_limits<int32_t>::max() / 2;
  const bool is_small = std::all_of(values.begin(), values.end(), [](int64_t v) { return std::abs(v) <= kS32; });
  const PrimitiveType type = is_small ? PrimitiveType::S32 : PrimitiveType::S64;
  HloInstruction* const tile = Coordinate(tiling);
  const int64_t step = values[1] - values[0];
  bool is_even = true;
  for (size_t i = 1; i < values.size(); ++i) is_even = is_even && values[i] - values[i - 1] == step;
  if (!is_even) {
    const int64_t count = static_cast<int64_t>(values.size());
    HloInstruction* const all = build_.Constant(Literal::FromValues<int64_t>({count}, absl::MakeConstSpan(values)));
    return build_.Reshape(build_.DynamicSlice(build_.Convert(all, type), {tile}, {1}), {});
  }
  HloInstruction* value = build_.Convert(tile, type);
  if (step != 1) value = build_.Mul(value, build_.Scalar(type, step));
  return values[0] == 0 ? value : build_.Add(value, build_.Scalar(type, values[0]));
}

}  // namespace xla
