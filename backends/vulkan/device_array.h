// DeviceArray: memory of a device for one value, with a place where the host sees it.
#ifndef BACKENDS_VULKAN_DEVICE_ARRAY_H_
#define BACKENDS_VULKAN_DEVICE_ARRAY_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "backends/vulkan/codegen/spirv_target.h"
#include "backends/vulkan/control_kernels.h"
#include "backends/vulkan/device/commands.h"
#include "backends/vulkan/device/device_memory.h"
#include "backends/vulkan/device/retired_work.h"
#include "backends/vulkan/device/vulkan_device.h"

namespace xla {
namespace vulkan {

// A device with its memory, which programs of a client share.
struct VulkanPlace : std::enable_shared_from_this<VulkanPlace> {
  std::shared_ptr<VulkanDevice> device;
  std::unique_ptr<DeviceMemory> memory;
  SpirvTarget target;  // what code for it may use
  ControlKernels control;
  // Values have two places, one for the device and one for the host, and are copied from one to the other.
  bool is_staged = false;
  std::unique_ptr<RetiredWork> retired;  // last: it may wait for the device
};

// Device number `index`. It is staged if its memory is not the host's, or if `always_staged`. Unavailable: `exports`,
// but the driver cannot.
absl::StatusOr<std::shared_ptr<VulkanPlace>> OpenPlace(std::shared_ptr<VulkanInstance> instance, size_t index,
                                                       bool always_staged, bool exports);

// Freed when it ends; what uses it on the device must be done.
class DeviceArray {
 public:
  DeviceArray() = default;
  // Of at least one byte, with any contents. ResourceExhausted.
  static absl::StatusOr<DeviceArray> Allocate(const VulkanPlace& place, int64_t bytes);
  // Memory of the host where it is, only to be read. Unimplemented: the device cannot use it (DeviceMemory::Import).
  static absl::StatusOr<DeviceArray> Import(const VulkanPlace& place, const void* data, int64_t bytes);

  bool exists() const { return device_.buffer() != VK_NULL_HANDLE; }
  // Where the host sees it: the memory itself, or its staging.
  char* host() const { return is_staged() ? staging_.mapped() : device_.mapped(); }
  bool is_staged() const { return staging_.buffer() != VK_NULL_HANDLE; }
  // Names its place on the device (MemoryRange::block_number).
  std::pair<uint64_t, uint64_t> place() const { return {device_.block_number(), device_.offset()}; }
  const MemoryRange& device() const { return device_; }
  // A part of it, for the device; its bytes are those of whole words.
  BufferPart Device(int64_t offset, int64_t bytes) const { return PartOf(device_, offset, bytes); }
  BufferPart Staging(int64_t offset, int64_t bytes) const { return PartOf(staging_, offset, bytes); }

 private:
  static BufferPart PartOf(const MemoryRange& range, int64_t offset, int64_t bytes);

  MemoryRange device_;
  MemoryRange staging_;
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_DEVICE_ARRAY_H_
