#include "passes/partitioning/device_axes.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "passes/partitioning/annotated_shardings.h"
#include "passes/partitioning/read_sharding.h"

namespace xla {
namespace {

// The place of each device along each axis; empty if the mesh is for another number of devices, or wrong.
ArrayTiling PlacesIn(const Mesh& mesh, int64_t devices) {
  if (mesh.maximal_device.has_value() || mesh.axes.empty()) return {};
  auto named = std::make_shared<Sharding::Named>();
  named->mesh = mesh;
  named->dimensions.resize(mesh.axes.size());
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    named->dimensions[i].axes.emplace_back();
    named->dimensions[i].axes[0].axis = static_cast<int64_t>(i);
  }
  Sharding sharding;
  sharding.named = std::move(named);
  const Shape shape = Shape::Array(PrimitiveType::PRED, std::vector<int64_t>(mesh.axes.size(), 1));
  absl::StatusOr<ArraySharding> read = ReadSharding(sharding, shape, devices);
  return read.ok() ? std::move(read->tiling) : ArrayTiling();
}

const Mesh* MeshIn(const Sharding& sharding) {
  if (sharding.named != nullptr) return &sharding.named->mesh;
  return sharding.tuple.empty() ? nullptr : MeshIn(sharding.tuple[0]);
}

std::vector<Mesh> MeshesIn(const HloModule& module) {
  std::vector<Mesh> meshes;
  const FrontendAttributes& attributes = module.config().frontend_attributes;
  const auto found = attributes.find(kSdyMeshes);
  const absl::StatusOr<SdyMeshes> written = found == attributes.end() ? SdyMeshes() : ParseSdyMeshes(found->second);
  if (written.ok()) {
    for (const auto& [name, mesh] : *written) meshes.push_back(mesh);
  }
  for (const auto& instruction : module.entry()->instructions()) {
    if (!instruction->has_annotations() || !instruction->annotations().sharding.has_value()) continue;
    const Mesh* const mesh = MeshIn(*instruction->annotations().sharding);
    if (mesh != nullptr && (meshes.empty() || !(meshes.back() == *mesh))) meshes.push_back(*mesh);
  }
  return meshes;
}

bool VariesWithin(const std::vector<int64_t>& group, const DimensionTiling& axis) {
  return std::any_of(group.begin(), group.end(),
                     [&](int64_t device) { return axis.CoordinateOf(device) != axis.CoordinateOf(group[0]); });
}

// "2 devices, 4 apart"
std::string Numbers(const std::vector<std::vector<int64_t>>& groups) {
  const std::vector<int64_t>& group = groups[0];
  std::string text = absl::StrCat(group.size(), " devices");
  if (group.size() < 2) return text;
  const int64_t apart = group[1] - group[0];
  for (size_t i = 2; i < group.size(); ++i) {
    if (group[i] - group[i - 1] != apart) return text;
  }
  return absl::StrCat(text, ", ", apart < 0 ? -apart : apart, " apart");
}

}  // namespace

DeviceAxes DeviceAxes::Of(const HloModule& module, int64_t devices) {
  DeviceAxes axes(devices);
  for (const Mesh& mesh : MeshesIn(module)) {
    const ArrayTiling places = PlacesIn(mesh, devices);
    for (size_t i = 0; i < places.size(); ++i) axes.axes_.push_back({mesh.axes[i].name, places[i]});
    if (!axes.axes_.empty()) break;
  }
  return axes;
}

std::string DeviceAxes::ToString() const {
  std::string text = absl::StrCat(devices_, " devices");
  for (const Axis& axis : axes_) {
    absl::StrAppend(&text, &axis == &axes_[0] ? ", mesh " : ", ", axis.name, "=", axis.tiling.tiles);
  }
  return text;
}

std::string DeviceAxes::Along(const std::vector<std::vector<int64_t>>& groups) const {
  if (groups.empty() || groups[0].empty()) return "no devices";
  std::vector<std::string> names;
  int64_t size = 1;
  for (const Axis& axis : axes_) {
    if (!VariesWithin(groups[0], axis.tiling)) continue;
    names.push_back(axis.name);
    size *= axis.tiling.tiles;
  }
  return names.empty() || size != static_cast<int64_t>(groups[0].size()) ? Numbers(groups) : absl::StrJoin(names, ", ");
}

std::string DeviceAxes::AxesOf(const DimensionTiling& dimension) const {
  // The first axis is that of the largest parts: its step changes the tile most.
  std::vector<std::pair<int64_t, const Axis*>> steps;
  int64_t tiles = 1;
  for (const Axis& axis : axes_) {
    if (axis.tiling.is_whole()) continue;
    for (int64_t device = 0; device < devices_; ++device) {
      // From the origin one step along this axis alone.
      const bool is_step = std::all_of(axes_.begin(), axes_.end(), [&](const Axis& other) {
        return other.tiling.CoordinateOf(device) == (&other == &axis ? 1 : 0);
      });
      if (!is_step) continue;
      const int64_t step = dimension.CoordinateOf(device);
      if (step == 0) break;
      steps.emplace_back(-step, &axis);
      tiles *= axis.tiling.tiles;
      break;
    }
  }
  if (tiles != dimension.tiles) return "";
  std::stable_sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (const auto& [step, axis] : steps) names.push_back(axis->name);
  for (int64_t device = 0; device < devices_; ++device) {
    int64_t coordinate = 0;
    for (const auto& [step, axis] : steps) coordinate -= step * axis->tiling.CoordinateOf(device);
    if (coordinate != dimension.CoordinateOf(device)) return "";
  }
  return absl::StrJoin(names, ", ");
}

std::string DeviceAxes::TextOf(const ArrayTiling& tiling) const {
  if (IsWhole(tiling)) return "whole";
  std::vector<std::string> dimensions;
  for (const DimensionTiling& dimension : tiling) {
    const std::string names = dimension.is_whole() ? "" : AxesOf(dimension);
    if (names.empty() && !dimension.is_whole()) return TilingText(tiling);
    dimensions.push_back(absl::StrCat("{", names, "}"));
  }
  return absl::StrCat("[", absl::StrJoin(dimensions, ", "), "]");
}

std::string DeviceAxes::TextOf(absl::Span<const ArrayTiling> leaves) const {
  if (leaves.size() == 1) return TextOf(leaves[0]);
  if (std::all_of(leaves.begin(), leaves.end(), &IsWhole)) return "whole";
  return absl::StrCat(
      "(",
      absl::StrJoin(leaves, ", ",
                    [this](std::string* out, const ArrayTiling& leaf) { absl::StrAppend(out, TextOf(leaf)); }),
      ")");
}

}  // namespace xla
