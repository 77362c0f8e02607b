#include "passes/partitioning/read_sharding.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::Status WrongDeviceCount(int64_t got, int64_t devices) {
  return absl::InvalidArgumentError(absl::StrCat("the sharding is for ", got,
                                                 " devices, expected all of the program's ", devices,
                                                 "; write it over all of them, or change the number of partitions"));
}

absl::Status WrongRank(size_t got, const Shape& shape) {
  return absl::InvalidArgumentError(absl::StrCat("the sharding cuts ", got, " dimensions, expected ", shape.rank(),
                                                 " of ", shape.ToString(), "; give each dimension an entry"));
}

// order[i] is the device at place i. InvalidArgument unless it names each device once.
absl::Status CheckOrder(const std::vector<int64_t>& order, int64_t devices) {
  if (static_cast<int64_t>(order.size()) != devices) {
    return WrongDeviceCount(static_cast<int64_t>(order.size()), devices);
  }
  std::vector<bool> seen(devices, false);
  for (const int64_t device : order) {
    if (device < 0 || device >= devices || seen[device]) {
      return absl::InvalidArgumentError(
          absl::StrCat("the sharding lists device ", device, ", expected each of 0 to ", devices - 1, " once"));
    }
    seen[device] = true;
  }
  return absl::OkStatus();
}

absl::Status CheckOnlyDevice(int64_t device, int64_t devices) {
  if (device >= 0 && device < devices) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the sharding is on device ", device, ", expected one of 0 to ", devices - 1));
}

std::vector<int64_t> Counting(int64_t count) {
  std::vector<int64_t> order(count);
  std::iota(order.begin(), order.end(), int64_t{0});
  return order;
}

// ---- Classic

absl::StatusOr<ArraySharding> ReadTiled(const Sharding& sharding, const Shape& shape, int64_t devices) {
  const std::vector<int64_t>& sizes = sharding.tile_dimensions;
  const size_t subgroups = sharding.replicate_on_last_tile_dim ? 1 : sharding.last_tile_dims.size();
  const size_t rank = shape.rank();
  if (sizes.size() != rank + subgroups) return WrongRank(sizes.size() - std::min(sizes.size(), subgroups), shape);
  std::vector<int64_t> order = sharding.devices;
  bool is_counting = false;  // place i has device i
  if (sharding.iota.has_value()) {
    // Counted first: a few characters may stand for a million devices.
    ASSIGN_OR_RETURN(const int64_t count, sharding.iota->Count(int64_t{1} << 40));
    if (count != devices) return WrongDeviceCount(count, devices);
    is_counting = sharding.iota->transpose_perm.empty();
    if (!is_counting) {
      ASSIGN_OR_RETURN(order, sharding.iota->Expand(devices));
    }
  } else {
    RETURN_IF_ERROR(CheckOrder(order, devices));
  }
  int64_t tiles = 1;
  for (const int64_t size : sizes) {
    if (size < 1 || !CheckedMul(tiles, size, &tiles) || tiles > devices) return WrongDeviceCount(tiles, devices);
  }
  if (tiles != devices) return WrongDeviceCount(tiles, devices);
  ArraySharding result;
  int64_t stride = devices;
  for (size_t k = 0; k < rank; ++k) {
    stride /= sizes[k];
    if (sizes[k] == 1) {
      result.tiling.emplace_back();
      continue;
    }
    std::vector<int64_t> coordinates(devices);
    for (int64_t first = 0, tile = 0; first < devices; first += stride, tile = (tile + 1) % sizes[k]) {
      for (int64_t i = first; i < first + stride; ++i) coordinates[is_counting ? i : order[i]] = tile;
    }
    result.tiling.push_back(MakeDimensionTiling(sizes[k], std::move(coordinates)));
  }
  for (size_t i = 0; i < sharding.last_tile_dims.size(); ++i) {
    if (sizes[rank + i] == 1) continue;
    result.is_manual |= sharding.last_tile_dims[i] == Sharding::Type::kManual;
    result.is_unreduced |= sharding.last_tile_dims[i] == Sharding::Type::kUnreduced;
  }
  return result;
}

// ---- Named

absl::StatusOr<std::vector<int64_t>> MeshOrder(const Mesh& mesh, int64_t devices) {
  int64_t count = 1;
  for (const MeshAxis& axis : mesh.axes) {
    if (axis.size < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("axis '", axis.name, "' of the sharding's mesh has size ", axis.size, ", expected at least 1"));
    }
    if (!CheckedMul(count, axis.size, &count)) {
      return absl::InvalidArgumentError(absl::StrCat("the axes of the sharding's mesh up to '", axis.name,
                                                     "' have more than 2^63 - 1 devices, expected ", devices));
    }
  }
  if (count != devices) return WrongDeviceCount(count, devices);
  std::vector<int64_t> order = mesh.device_ids.empty() ? Counting(devices) : mesh.device_ids;
  if (mesh.iota.has_value()) {
    ASSIGN_OR_RETURN(const int64_t ids, mesh.iota->Count(int64_t{1} << 40));
    if (ids != devices) return WrongDeviceCount(ids, devices);
    ASSIGN_OR_RETURN(order, mesh.iota->Expand(devices));
  }
  RETURN_IF_ERROR(CheckOrder(order, devices));
  return order;
}

// A part of an axis as digits of the place in the mesh: place / stride % size.
struct MeshDigit {
  int64_t stride = 1;
  int64_t size = 1;
};

absl::StatusOr<MeshDigit> DigitOf(const AxisRef& ref, const Mesh& mesh) {
  if (ref.axis < 0 || ref.axis >= static_cast<int64_t>(mesh.axes.size())) {
    return absl::InvalidArgumentError(
        absl::StrCat("the sharding names axis ", ref.axis, " of a mesh that has ", mesh.axes.size()));
  }
  MeshDigit digit;
  digit.size = mesh.axes[ref.axis].size;
  for (size_t i = ref.axis + 1; i < mesh.axes.size(); ++i) digit.stride *= mesh.axes[i].size;
  if (!ref.sub_axis.has_value()) return digit;
  const int64_t whole = digit.size;
  int64_t part = 0;
  const auto& [pre_size, size] = *ref.sub_axis;
  if (pre_size < 1 || size < 1 || !CheckedMul(pre_size, size, &part) || whole % part != 0) {
    return absl::InvalidArgumentError(absl::StrCat("the part (", pre_size, ")", size, " of axis '",
                                                   mesh.axes[ref.axis].name, "' does not divide its size ", whole));
  }
  digit.stride *= whole / part;
  digit.size = size;
  return digit;
}

absl::Status AxisUsedTwice() {
  return absl::InvalidArgumentError("the sharding uses an axis of its mesh twice; each may cut one dimension");
}

absl::StatusOr<DimensionTiling> ReadDimension(const std::vector<AxisRef>& axes, const Mesh& mesh,
                                              const std::vector<int64_t>& order) {
  std::vector<int64_t> coordinates(order.size(), 0);
  int64_t tiles = 1;
  for (const AxisRef& ref : axes) {
    ASSIGN_OR_RETURN(const MeshDigit digit, DigitOf(ref, mesh));
    tiles *= digit.size;
    if (tiles > static_cast<int64_t>(order.size())) return AxisUsedTwice();
    for (size_t i = 0; i < order.size(); ++i) {
      int64_t& coordinate = coordinates[order[i]];
      coordinate = coordinate * digit.size + static_cast<int64_t>(i) / digit.stride % digit.size;
    }
  }
  return MakeDimensionTiling(tiles, std::move(coordinates));
}

absl::StatusOr<ArraySharding> ReadNamed(const Sharding::Named& named, const Shape& shape, int64_t devices) {
  ArraySharding result;
  result.tiling = WholeTiling(shape.rank());
  if (named.mesh.maximal_device.has_value()) RETURN_IF_ERROR(CheckOnlyDevice(*named.mesh.maximal_device, devices));
  if (named.mesh.maximal_device.has_value() || named.mesh.axes.empty()) return result;
  ASSIGN_OR_RETURN(const std::vector<int64_t> order, MeshOrder(named.mesh, devices));
  if (!named.dimensions.empty() && named.dimensions.size() != static_cast<size_t>(shape.rank())) {
    return WrongRank(named.dimensions.size(), shape);
  }
  std::vector<AxisRef> used;
  for (size_t k = 0; k < named.dimensions.size(); ++k) {
    const std::vector<AxisRef>& axes = named.dimensions[k].axes;
    used.insert(used.end(), axes.begin(), axes.end());
    if (axes.empty()) continue;
    ASSIGN_OR_RETURN(result.tiling[k], ReadDimension(axes, named.mesh, order));
  }
  if (!IsEven(result.tiling, {devices, {}})) return AxisUsedTwice();
  result.is_manual = !named.manual_axes.empty();
  result.is_unreduced = !named.unreduced_axes.empty();
  return result;
}

// ---- Writing

// The tiling as digits of the device's number, `<=[2,4]T(1,0)`: where each coordinate is one digit, number / stride %
// tiles. nullopt where one is not.
absl::optional<IotaTransform> AsDigits(const ArrayTiling& tiling, int64_t devices) {
  std::map<int64_t, size_t, std::greater<int64_t>> dimension_of_stride;
  for (size_t k = 0; k < tiling.size(); ++k) {
    if (tiling[k].is_whole()) continue;
    const absl::optional<int64_t> stride = StrideOf(tiling[k]);
    if (!stride.has_value()) return absl::nullopt;
    dimension_of_stride[*stride] = k;
  }
  IotaTransform iota;
  std::vector<int> places(tiling.size(), -1);
  std::vector<int> replicas;
  int64_t left = devices;  // what the digits so far leave
  const auto add_replicas_down_to = [&](int64_t count) {
    if (left == count) return;
    replicas.push_back(static_cast<int>(iota.reshape_dims.size()));
    iota.reshape_dims.push_back(left / count);
    left = count;
  };
  for (const auto& [stride, k] : dimension_of_stride) {
    if (left % (stride * tiling[k].tiles) != 0) return absl::nullopt;
    add_replicas_down_to(stride * tiling[k].tiles);
    places[k] = static_cast<int>(iota.reshape_dims.size());
    iota.reshape_dims.push_back(tiling[k].tiles);
    left = stride;
  }
  add_replicas_down_to(1);
  for (const int place : places) {
    if (place >= 0) iota.transpose_perm.push_back(place);
  }
  iota.transpose_perm.insert(iota.transpose_perm.end(), replicas.begin(), replicas.end());
  if (std::is_sorted(iota.transpose_perm.begin(), iota.transpose_perm.end())) iota = {{devices}, {}};
  return iota;
}

}  // namespace

absl::StatusOr<ArraySharding> ReadSharding(const Sharding& sharding, const Shape& shape, int64_t devices) {
  if (sharding.named != nullptr) return ReadNamed(*sharding.named, shape, devices);
  if (sharding.type == Sharding::Type::kOther) return ReadTiled(sharding, shape, devices);
  if (sharding.type == Sharding::Type::kTuple) {
    return absl::InvalidArgumentError(
        absl::StrCat("the sharding is that of a tuple, expected one of ", shape.ToString()));
  }
  if (sharding.type == Sharding::Type::kMaximal) {
    for (const int64_t device : sharding.devices) RETURN_IF_ERROR(CheckOnlyDevice(device, devices));
  }
  ArraySharding result;
  result.tiling = WholeTiling(shape.rank());
  result.is_manual = sharding.type == Sharding::Type::kManual;
  result.is_unreduced = sharding.type == Sharding::Type::kUnreduced;
  return result;
}

Sharding WriteSharding(const ArrayTiling& tiling, int64_t devices) {
  Sharding sharding;
  if (IsWhole(tiling)) return sharding;
  sharding.type = Sharding::Type::kOther;
  for (const DimensionTiling& dimension : tiling) sharding.tile_dimensions.push_back(dimension.tiles);
  const int64_t replicas = devices / TileCount(tiling);
  sharding.replicate_on_last_tile_dim = replicas > 1;
  if (replicas > 1) sharding.tile_dimensions.push_back(replicas);
  sharding.iota = AsDigits(tiling, devices);
  if (sharding.iota.has_value()) return sharding;
  for (const std::vector<int64_t>& same : DevicesOfTiles(tiling, devices)) {
    sharding.devices.insert(sharding.devices.end(), same.begin(), same.end());
  }
  return sharding;
}

}  // namespace xla
