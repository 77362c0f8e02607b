#include "passes/partitioning/partition_reverse.h"

#include <vector>

#include "passes/partitioning/window_tiles.h"
#include "xla_core/ir/attributes.h"

namespace xla {
namespace {

int64_t PaddingOf(int64_t size, int64_t tiles) { return CeilDiv(size, tiles) * tiles - size; }

}  // namespace

DimensionTiling Mirrored(const DimensionTiling& tiling) {
  if (tiling.is_whole()) return tiling;
  std::vector<int64_t> coordinates = *tiling.coordinates;
  for (int64_t& coordinate : coordinates) coordinate = tiling.tiles - 1 - coordinate;
  return MakeDimensionTiling(tiling.tiles, std::move(coordinates));
}

int64_t HopsOfReverse(int64_t size, int64_t tiles) {
  return size == 0 ? 0 : CeilDiv(PaddingOf(size, tiles), CeilDiv(size, tiles));
}

int AlignReversedRows(HloInstruction& reverse, const HloInstruction& reversed, const Shape& whole,
                      const ArrayTiling& operand, ShardEmitter& emitter) {
  int count = 0;
  for (const int64_t dimension : reverse.attributes<DimensionsAttributes>().dimensions) {
    const int k = static_cast<int>(dimension);
    if (!HasPadding(whole.dimension(k), operand[k])) continue;
    WindowReach reach;
    reach.rows = whole.dimension(k);
    reach.outputs = ShardSize(reach.rows, operand[k]) * operand[k].tiles;
    reach.window.padding_low = PaddingOf(reach.rows, operand[k].tiles);
    reach.is_filled = true;
    emitter.At(&reverse);
    emitter.recorder().BeginMove(reversed, reverse, {operand}, {operand},
                                 [] { return "padding lies on the other side when shards are reversed"; });
    reverse.ReplaceOperand(
        0, emitter.TakeRows(reverse.operand(0), operand, k, operand[k], WindowTiles(reach, operand[k].tiles)));
    ++count;
  }
  return count;
}

}  // namespace xla
