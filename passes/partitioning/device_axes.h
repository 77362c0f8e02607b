// DeviceAxes: names for directions in a mesh of devices, for people.
#ifndef PASSES_PARTITIONING_DEVICE_AXES_H_
#define PASSES_PARTITIONING_DEVICE_AXES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "passes/partitioning/array_tiling.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Of the first mesh, in the module's attributes or in a sharding, that has all devices. Without one, directions are
// told by numbers.
class DeviceAxes {
 public:
  // A mesh that cannot be read has no names: to say what is wrong with it is up to whoever needs it.
  static DeviceAxes Of(const HloModule& module, int64_t devices);
  static DeviceAxes Without(int64_t devices) { return DeviceAxes(devices); }

  // "8 devices, mesh data=2, model=4"
  std::string ToString() const;
  // The axes along which the devices of each group differ, "data" or "data, model"; "2 devices, 4 apart" where that is
  // not all of some axes.
  std::string Along(const std::vector<std::vector<int64_t>>& groups) const;
  // How an array is cut: "[{data}, {}]", or as TilingText says it where a dimension is not cut along axes.
  std::string TextOf(const ArrayTiling& tiling) const;
  std::string TextOf(absl::Span<const ArrayTiling> leaves) const;  // "([{data}], whole)" of several

 private:
  struct Axis {
    std::string name;
    DimensionTiling tiling;  // the place of each device along it
  };

  explicit DeviceAxes(int64_t devices) : devices_(devices) {}
  // "data, model"; "" if the tiles of a dimension are not those of axes.
  std::string AxesOf(const DimensionTiling& dimension) const;

  int64_t devices_;
  std::vector<Axis> axes_;
};

}  // namespace xla

#endif  // PASSES_PARTITIONING_DEVICE_AXES_H_
