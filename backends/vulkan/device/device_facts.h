// DeviceFacts: all that is known of a physical device, asked once. Code generation and memory ask this struct and
// never the driver, so that a profile is a change of the struct.
#ifndef BACKENDS_VULKAN_DEVICE_DEVICE_FACTS_H_
#define BACKENDS_VULKAN_DEVICE_DEVICE_FACTS_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "backends/vulkan/device/vulkan_functions.h"

namespace xla {
namespace vulkan {

// What floats of one width do, where a shader may ask for it.
struct FloatControls {
  bool preserves_denormals = false;
  bool flushes_denormals = false;
  bool preserves_special = false;  // signed zeros, infinities and NaN
  bool rounds_to_even = false;
};

struct DeviceFacts {
  std::string name;
  std::string driver;  // with its version
  std::string kind;    // "discrete", "integrated", "cpu" ...
  uint32_t api_version = 0;
  uint32_t vendor_id = 0;
  uint32_t device_id = 0;
  std::array<uint8_t, VK_UUID_SIZE> pipeline_cache_uuid = {};
  std::array<uint8_t, VK_UUID_SIZE> device_uuid = {};  // whoever has both of them can import its memory
  std::array<uint8_t, VK_UUID_SIZE> driver_uuid = {};

  // ---- Limits.
  std::array<uint32_t, 3> max_groups = {};      // of a dispatch, by dimension
  std::array<uint32_t, 3> max_local_size = {};  // invocations of a group, by dimension
  uint32_t max_invocations = 0;                 // of a group
  uint32_t shared_memory_bytes = 0;
  uint64_t storage_range_bytes = 0;  // of one binding
  uint32_t storage_buffers = 0;      // of a stage
  uint32_t push_constant_bytes = 0;
  uint64_t storage_alignment = 1;  // of a binding's offset
  uint64_t max_allocation_bytes = 0;
  uint32_t max_allocations = 0;
  uint64_t host_import_alignment = 0;  // of host memory that the device can use where it is; 0: it cannot
  uint64_t device_memory_bytes = 0;    // the largest heap of device memory
  uint32_t subgroup_size = 0;
  uint32_t min_subgroup_size = 0;
  uint32_t max_subgroup_size = 0;
  double nanoseconds_per_tick = 0;  // of timestamps
  uint32_t timestamp_bits = 0;      // 0: there are none

  // ---- Features.
  bool has_f16 = false;
  bool has_f64 = false;
  bool has_int8 = false;
  bool has_int16 = false;
  bool has_int64 = false;
  bool has_storage8 = false;  // loads and stores of bytes in storage buffers
  bool has_storage16 = false;
  bool has_buffer_addresses = false;
  bool has_timeline_semaphores = false;
  bool has_subgroup_arithmetic = false;
  bool has_subgroup_shuffle = false;
  bool has_subgroup_size_control = false;
  bool has_int64_atomics = false;
  bool has_integer_dot = false;
  bool has_cooperative_matrix = false;
  bool has_host_memory_import = false;
  bool has_memory_export = false;   // as a file descriptor
  bool has_unified_memory = false;  // a type of memory is both the device's and mapped

  // ---- Float controls.
  bool controls_widths_apart = false;  // each of those below by itself
  FloatControls f16;
  FloatControls f32;
  FloatControls f64;

  // The queue family that computes.
  uint32_t queue_family = 0;
  VkPhysicalDeviceMemoryProperties memory = {};
};

// Unavailable: the device is older than Vulkan 1.2 or lacks something that every kernel needs; the message says what.
absl::Status QueryDeviceFacts(const VulkanFunctions& vk, VkPhysicalDevice device, DeviceFacts* facts);

// The same device with everything optional hidden and the limits that Vulkan 1.2 guarantees or little more: what
// `profile=lowest` runs on.
DeviceFacts LowestProfile(DeviceFacts facts);

// One line for each fact, "name: value", for --list-devices.
std::string DescribeDevice(const DeviceFacts& facts);

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_DEVICE_DEVICE_FACTS_H_
