// Settings of the Vulkan backend.
//
// ClientOptions::settings:
//   device       the number or a part of the name of the only device to use; without it, all of them are devices of the
//                client, the fastest kind first
//   validation   "true": the validation layer with its checks of synchronization is loaded; what it says fails a run
//   profile      "lowest": hides everything that Vulkan 1.2 leaves optional, and more than the least limits.
//                "device", if it is not given: what the device has
//   memory       "staged": values have a place for the device and one for the host, and are copied, as for a card with
//                memory of its own. "device", if it is not given: as the device is
//   export       "true": memory of buffers can be given to other programs and libraries (backends/exported_memory.h)
//
// CompileOptions::settings:
//   cache        a folder that keeps what drivers have compiled, which is given to them later without checks
//   dump         a folder for what compiling leaves: HLO after passes, memory plan, kernels, SPIR-V as text and words
//   verify-plan  "true": the plan of memory and steps, and each kernel, are verified (backends/plan/verify_plan.h)
#ifndef BACKENDS_VULKAN_VULKAN_SETTINGS_H_
#define BACKENDS_VULKAN_VULKAN_SETTINGS_H_

#include <string>

#include "absl/status/statusor.h"
#include "backends/options.h"
#include "backends/vulkan/device/vulkan_instance.h"

namespace xla {
namespace vulkan {

// Unknown names and values are InvalidArgument, so that a misspelled setting cannot pass unnoticed.
struct VulkanClientSettings {
  static absl::StatusOr<VulkanClientSettings> Read(const BackendSettings& settings);

  std::string device;  // "": all
  InstanceOptions instance;
  bool always_staged = false;
  bool exports_memory = false;
};

struct VulkanCompileSettings {
  static absl::StatusOr<VulkanCompileSettings> Read(const CompileOptions& options);

  std::string dump_folder;   // "": none
  std::string cache_folder;  // "": none
  bool verify_plan = false;
};

// The device that `wanted` is the number of or a part of the name of, whatever the letters' case. NotFound, with the
// devices there are; InvalidArgument if several have it in their names.
absl::StatusOr<size_t> FindVulkanDevice(const VulkanInstance& instance, const std::string& wanted);

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_VULKAN_SETTINGS_H_
