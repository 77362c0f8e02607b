// How fast a device copies and computes, by trying.
#ifndef BACKENDS_VULKAN_ROOF_PROBES_H_
#define BACKENDS_VULKAN_ROOF_PROBES_H_

#include "absl/status/statusor.h"
#include "backends/device_roof.h"
#include "backends/vulkan/device_array.h"

namespace xla {
namespace vulkan {

absl::StatusOr<DeviceRoof> ProbeRoof(const VulkanPlace& place);

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_ROOF_PROBES_H_
