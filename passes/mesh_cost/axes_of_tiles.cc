#include "passes/mesh_cost/axes_of_tiles.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "passes/partitioning/read_sharding.h"

namespace xla {
namespace {

// Devices whose places differ by one along the axis have numbers that differ by `stride`.
struct AxisStride {
  int64_t axis = 0;
  int64_t size = 1;
  int64_t stride = 1;

  int64_t PlaceOf(int64_t device) const { return device / stride % size; }
};

std::vector<AxisStride> StridesOf(const Mesh& mesh) {
  std::vector<AxisStride> strides;
  int64_t stride = 1;
  for (size_t i = mesh.axes.size(); i-- > 0;) {
    strides.push_back({static_cast<int64_t>(i), mesh.axes[i].size, stride});
    stride *= mesh.axes[i].size;
  }
  return strides;
}

// The axes of a dimension, that of the largest parts first.
absl::optional<std::vector<AxisRef>> AxesOfDimension(const DimensionTiling& dimension,
                                                     const std::vector<AxisStride>& strides, int64_t devices) {
  // By how many tiles a step along the axis leads on.
  std::vector<std::pair<int64_t, const AxisStride*>> steps;
  int64_t tiles = 1;
  for (const AxisStride& axis : strides) {
    const int64_t step = axis.size > 1 ? dimension.CoordinateOf(axis.stride) : 0;
    if (step == 0) continue;
    steps.emplace_back(step, &axis);
    tiles *= axis.size;
  }
  if (tiles != dimension.tiles) return absl::nullopt;
  for (int64_t device = 0; device < devices; ++device) {
    int64_t coordinate = 0;
    for (const auto& [step, axis] : steps) coordinate += step * axis->PlaceOf(device);
    if (coordinate != dimension.CoordinateOf(device)) return absl::nullopt;
  }
  std::sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<AxisRef> axes;
  for (const auto& [step, axis] : steps) axes.push_back({axis->axis, absl::nullopt});
  return axes;
}

}  // namespace

absl::optional<Sharding> AlongAxes(const Sharding& by_numbers, const Shape& shape, const Mesh& mesh) {
  int64_t devices = 1;
  for (const MeshAxis& axis : mesh.axes) devices *= axis.size;
  const absl::StatusOr<ArraySharding> read = ReadSharding(by_numbers, shape, devices);
  if (!read.ok() || read->is_manual || read->is_unreduced) return absl::nullopt;
  const std::vector<AxisStride> strides = StridesOf(mesh);
  auto named = std::make_shared<Sharding::Named>();
  named->mesh = mesh;
  for (const DimensionTiling& dimension : read->tiling) {
    absl::optional<std::vector<AxisRef>> axes = AxesOfDimension(dimension, strides, devices);
    if (!axes.has_value()) return absl::nullopt;
    named->dimensions.push_back({*std::move(axes), true});
  }
  Sharding sharding;
  sharding.named = std::move(named);
  return sharding;
}

}  // namespace xla
