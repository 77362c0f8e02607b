#include "passes/partitioning/array_tiling.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace xla {
namespace {

// The place of a device as one dimension more.
ArrayTiling WithPlace(ArrayTiling tiling, const DeviceScope& scope) {
  if (!scope.manual.is_whole()) tiling.push_back(scope.manual);
  return tiling;
}

// The stride if the coordinate of each device is its number / stride % tiles, else 0.
int64_t FindStride(int64_t tiles, const std::vector<int64_t>& coordinates) {
  const auto stride = static_cast<int64_t>(std::find(coordinates.begin(), coordinates.end(), 1) - coordinates.begin());
  if (stride == 0) return 0;
  for (size_t device = 0; device < coordinates.size(); ++device) {
    if (coordinates[device] != static_cast<int64_t>(device) / stride % tiles) return 0;
  }
  return stride;
}

// Whether coordinates are different digits of the device's number, so that tiles have as many devices each. False says
// nothing.
bool AreSeparateDigits(const ArrayTiling& tiling, int64_t devices) {
  absl::InlinedVector<std::pair<int64_t, int64_t>, 8> digits;  // strides and tiles
  for (const DimensionTiling& dimension : tiling) {
    if (dimension.is_whole()) continue;
    if (dimension.stride == 0) return false;
    digits.emplace_back(dimension.stride, dimension.tiles);
  }
  std::sort(digits.begin(), digits.end());
  int64_t below = 1;  // what the digits below the next one have together, those between them included
  for (const auto& [stride, tiles] : digits) {
    if (stride % below != 0 || devices / stride < tiles) return false;
    below = stride * tiles;
  }
  return devices % below == 0;
}

bool IsEvenOver(const ArrayTiling& tiling, int64_t devices) {
  if (AreSeparateDigits(tiling, devices)) return true;
  // Stepwise, because the product of what several tilings contribute need not fit in 63 bits.
  int64_t tiles = 1;
  for (const DimensionTiling& dimension : tiling) {
    if (dimension.tiles > devices / tiles) return false;
    tiles *= dimension.tiles;
  }
  std::vector<int64_t> counts(tiles, 0);
  for (int64_t device = 0; device < devices; ++device) ++counts[TileOf(tiling, device)];
  return std::all_of(counts.begin(), counts.end(), [&](int64_t count) { return count * tiles == devices; });
}

}  // namespace

bool DimensionTiling::operator==(const DimensionTiling& other) const {
  if (tiles != other.tiles) return false;
  if (is_whole() || coordinates == other.coordinates) return true;
  if (stride != other.stride || coordinates->size() != other.coordinates->size()) return false;
  return stride > 0 || *coordinates == *other.coordinates;
}

DimensionTiling MakeDimensionTiling(int64_t tiles, std::vector<int64_t> coordinates) {
  if (tiles == 1) return DimensionTiling();
  const int64_t stride = FindStride(tiles, coordinates);
  return {tiles, std::make_shared<const std::vector<int64_t>>(std::move(coordinates)), stride};
}

bool IsWhole(const ArrayTiling& tiling) {
  return std::all_of(tiling.begin(), tiling.end(), [](const DimensionTiling& d) { return d.is_whole(); });
}

int64_t TileCount(const ArrayTiling& tiling) {
  int64_t count = 1;
  for (const DimensionTiling& dimension : tiling) count *= dimension.tiles;
  return count;
}

bool IsEven(const ArrayTiling& tiling, const DeviceScope& scope) {
  return scope.manual.is_whole() ? IsEvenOver(tiling, scope.devices)
                                 : IsEvenOver(WithPlace(tiling, scope), scope.devices);
}

DimensionTiling Combine(const DimensionTiling& major, const DimensionTiling& minor) {
  if (major.is_whole()) return minor;
  if (minor.is_whole()) return major;
  std::vector<int64_t> coordinates;
  for (size_t device = 0; device < major.coordinates->size(); ++device) {
    coordinates.push_back((*major.coordinates)[device] * minor.tiles + (*minor.coordinates)[device]);
  }
  return MakeDimensionTiling(major.tiles * minor.tiles, std::move(coordinates));
}

Shape ShardShape(const Shape& shape, const ArrayTiling& tiling) {
  Shape shard = shape;
  for (size_t k = 0; k < tiling.size(); ++k) {
    const int dimension = static_cast<int>(k);
    if (!tiling[k].is_whole()) shard.set_dimension(dimension, ShardSize(shape.dimension(dimension), tiling[k]));
  }
  return shard;
}

absl::optional<int64_t> StrideOf(const DimensionTiling& tiling) {
  return tiling.stride == 0 ? absl::nullopt : absl::make_optional(tiling.stride);
}

int64_t TileOf(const ArrayTiling& tiling, int64_t device) {
  int64_t tile = 0;
  for (const DimensionTiling& dimension : tiling) tile = tile * dimension.tiles + dimension.CoordinateOf(device);
  return tile;
}

std::vector<std::vector<int64_t>> DevicesOfTiles(const ArrayTiling& tiling, int64_t devices) {
  std::vector<std::vector<int64_t>> result(TileCount(tiling));
  for (int64_t device = 0; device < devices; ++device) result[TileOf(tiling, device)].push_back(device);
  return result;
}

std::vector<std::vector<int64_t>> GroupsAlong(const ArrayTiling& tiling, absl::Span<const int64_t> dimensions,
                                              const DeviceScope& scope) {
  const int64_t devices = scope.devices;
  const ArrayTiling all = WithPlace(tiling, scope);
  ArrayTiling along;
  ArrayTiling others = all;
  for (const int64_t dimension : dimensions) {
    along.push_back(tiling[dimension]);
    others[dimension] = DimensionTiling();
  }
  // Replicas of one tile get different groups: the first of each tile is in the first group, and so on.
  std::vector<int64_t> replica(devices);
  for (const std::vector<int64_t>& same : DevicesOfTiles(all, devices)) {
    for (size_t i = 0; i < same.size(); ++i) replica[same[i]] = static_cast<int64_t>(i);
  }
  const int64_t group_size = TileCount(along);
  std::vector<std::vector<int64_t>> groups;
  absl::flat_hash_map<std::pair<int64_t, int64_t>, size_t> group_of;
  for (int64_t device = 0; device < devices; ++device) {
    const auto [place, is_new] = group_of.try_emplace({TileOf(others, device), replica[device]}, groups.size());
    if (is_new) groups.emplace_back(group_size);
    groups[place->second][TileOf(along, device)] = device;
  }
  return groups;
}

std::vector<std::pair<int64_t, int64_t>> ShardMoves(const ArrayTiling& from, const ArrayTiling& to,
                                                    const DeviceScope& scope) {
  const std::vector<std::vector<int64_t>> holders = DevicesOfTiles(WithPlace(from, scope), scope.devices);
  const std::vector<std::vector<int64_t>> needers = DevicesOfTiles(WithPlace(to, scope), scope.devices);
  std::vector<std::pair<int64_t, int64_t>> moves;
  for (size_t tile = 0; tile < holders.size(); ++tile) {
    std::vector<int64_t> senders;
    std::vector<int64_t> receivers;
    std::set_difference(holders[tile].begin(), holders[tile].end(), needers[tile].begin(), needers[tile].end(),
                        std::back_inserter(senders));
    std::set_difference(needers[tile].begin(), needers[tile].end(), holders[tile].begin(), holders[tile].end(),
                        std::back_inserter(receivers));
    for (size_t i = 0; i < senders.size(); ++i) moves.emplace_back(senders[i], receivers[i]);
    for (const int64_t device : holders[tile]) {
      if (std::binary_search(needers[tile].begin(), needers[tile].end(), device)) moves.emplace_back(device, device);
    }
  }
  std::sort(moves.begin(), moves.end());
  return moves;
}

std::string TilingText(const ArrayTiling& tiling) {
  if (IsWhole(tiling)) return "whole";
  const auto append = [](std::string* out, const DimensionTiling& dimension) {
    absl::StrAppend(out, dimension.tiles);
    if (dimension.is_whole()) return;
    const absl::optional<int64_t> stride = StrideOf(dimension);
    absl::StrAppend(out, ":", stride.has_value() ? absl::StrCat(*stride) : absl::StrJoin(*dimension.coordinates, "/"));
  };
  return absl::StrCat("[", absl::StrJoin(tiling, ",", append), "]");
}

}  // namespace xla
