// What only an experiment tells of a device: whether operations that Vulkan leaves loose are exact there.
#ifndef BACKENDS_VULKAN_CODEGEN_DEVICE_PROBES_H_
#define BACKENDS_VULKAN_CODEGEN_DEVICE_PROBES_H_

#include <memory>

#include "absl/status/statusor.h"
#include "backends/vulkan/codegen/spirv_target.h"
#include "backends/vulkan/device/device_memory.h"
#include "backends/vulkan/device/vulkan_device.h"

namespace xla {
namespace vulkan {

// TargetOf the device, with `fuses_multiply_add` and `divides_exactly` if some thousands of numbers, many of them hard
// to round, all came out rounded once, in f32 and where the device has it in f64. Takes milliseconds. Errors are those
// of the device.
absl::StatusOr<SpirvTarget> ProbedTargetOf(const std::shared_ptr<VulkanDevice>& device, DeviceMemory& memory);

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_CODEGEN_DEVICE_PROBES_H_
