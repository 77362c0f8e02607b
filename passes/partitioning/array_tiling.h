// ArrayTiling: how an array is cut into tiles, and which device has which of them.
//
// A dimension of n elements in t tiles is cut into shards of ceil(n / t) elements; the last ones reach beyond the end,
// or lie beyond it, where n is not a multiple of t. What is there is padding: it may be anything, a NaN for example.
// For each dimension a tiling says which tile every device has, its *coordinate*:
//
//   f32[8,6] over 4 devices, {devices=[2,1,2]<=[4] last_tile_dim_replicate}
//     dimension 0: 2 tiles, coordinates 0 0 1 1        dimension 1: 1 tile
//   each shard is f32[4,6]; devices 0 and 1 have rows 0 to 3, both of them: they are replicas
//
// Tables of coordinates say more than any notation of meshes: all of HLO's shardings can be read as tilings, in
// whatever order they list devices, and what a collective has to do follows from the tables of both sides.
//
// A tiling is *even* if each combination of tiles has the same number of devices. Those that are read are, and what
// drops dimensions of an even tiling is even; where coordinates come from several tilings it has to be asked.
#ifndef PASSES_PARTITIONING_ARRAY_TILING_H_
#define PASSES_PARTITIONING_ARRAY_TILING_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/types/shape.h"

namespace xla {

// Of one dimension.
struct DimensionTiling {
  int64_t tiles = 1;
  std::shared_ptr<const std::vector<int64_t>> coordinates;  // by device; nullptr: 1 tile
  // StrideOf, so that a look at each device is needed once only; 0: there is none, or 1 tile.
  int64_t stride = 0;

  bool is_whole() const { return tiles == 1; }
  int64_t CoordinateOf(int64_t device) const { return is_whole() ? 0 : (*coordinates)[device]; }
  bool operator==(const DimensionTiling& other) const;
  bool operator!=(const DimensionTiling& other) const { return !(*this == other); }
};

// One entry for each dimension. Of a scalar, and of what is not an array, it is empty.
using ArrayTiling = std::vector<DimensionTiling>;

// The devices that arrays are cut over: all of a program or, in a manual body over some axes of a mesh, those that have
// the same place along these axes. Tilings in there are even among the devices of each place, and nothing moves from
// one place to another.
struct DeviceScope {
  int64_t devices = 1;     // of the program
  DimensionTiling manual;  // the place of each device; whole: all are in one
};

DimensionTiling MakeDimensionTiling(int64_t tiles, std::vector<int64_t> coordinates);
inline ArrayTiling WholeTiling(int rank) { return ArrayTiling(rank); }
bool IsWhole(const ArrayTiling& tiling);
int64_t TileCount(const ArrayTiling& tiling);
bool IsEven(const ArrayTiling& tiling, const DeviceScope& scope);
// One coordinate for both: that of `major`, and within it that of `minor`.
DimensionTiling Combine(const DimensionTiling& major, const DimensionTiling& minor);

inline int64_t ShardSize(int64_t size, const DimensionTiling& tiling) { return CeilDiv(size, tiling.tiles); }
// Whether the dimension has padding on some device.
inline bool HasPadding(int64_t size, const DimensionTiling& tiling) { return size % tiling.tiles != 0; }
// The shape of an array's shards, with its layout.
Shape ShardShape(const Shape& shape, const ArrayTiling& tiling);

// The stride if the coordinate of each device is its number / stride % tiles.
absl::optional<int64_t> StrideOf(const DimensionTiling& tiling);

// The tile of a device, numbered row-major over the dimensions.
int64_t TileOf(const ArrayTiling& tiling, int64_t device);
// Which devices have the tile, ascending, by tile. The tiling is even.
std::vector<std::vector<int64_t>> DevicesOfTiles(const ArrayTiling& tiling, int64_t devices);
// Groups of devices that together have all tiles along some dimensions, in the order of these tiles, and the same tile
// along the others. Each device is in one group. The tiling is even.
std::vector<std::vector<int64_t>> GroupsAlong(const ArrayTiling& tiling, absl::Span<const int64_t> dimensions,
                                              const DeviceScope& scope);
// Who sends its shard to whom, so that what is cut by `from` is cut by `to` afterwards: two even tilings with as many
// tiles in each dimension. Each device sends once and receives once, to itself if it may.
std::vector<std::pair<int64_t, int64_t>> ShardMoves(const ArrayTiling& from, const ArrayTiling& to,
                                                    const DeviceScope& scope);

// For reports: "[4:2,1]" are 4 tiles whose coordinate changes with every second device, and a whole dimension; "whole"
// if all of them are. Without a stride the coordinates are listed: "[2:0/1/1/0]".
std::string TilingText(const ArrayTiling& tiling);

}  // namespace xla

#endif  // PASSES_PARTITIONING_ARRAY_TILING_H_
