// VulkanInstance: the connection to Vulkan's loader, its physical devices, and what the validation layer says.
#ifndef BACKENDS_VULKAN_DEVICE_VULKAN_INSTANCE_H_
#define BACKENDS_VULKAN_DEVICE_VULKAN_INSTANCE_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/vulkan/device/device_facts.h"
#include "backends/vulkan/device/vulkan_functions.h"

namespace xla {
namespace vulkan {

struct InstanceOptions {
  // Loads the validation layer with its checks of synchronization; each message of it becomes an error.
  bool validation = false;
  // Hides what LowestProfile hides.
  bool lowest_profile = false;
};

// Thread-safe. Destroyed with the last reference, after the devices made from it.
class VulkanInstance {
 public:
  struct PhysicalDevice {
    VkPhysicalDevice handle = VK_NULL_HANDLE;
    DeviceFacts facts;
  };

  // Unavailable, with the one that is missing: the loader, a driver, a device, a feature, the validation layer.
  // `functions`: those of LoadVulkan, or what a test puts in their place.
  static absl::StatusOr<std::shared_ptr<VulkanInstance>> Create(const InstanceOptions& options);
  static absl::StatusOr<std::shared_ptr<VulkanInstance>> Create(const InstanceOptions& options,
                                                                VulkanFunctions functions);
  ~VulkanInstance();
  VulkanInstance(const VulkanInstance&) = delete;
  VulkanInstance& operator=(const VulkanInstance&) = delete;

  const VulkanFunctions& functions() const { return functions_; }
  // The fastest kinds first: discrete, integrated, virtual, others, the host's processor.
  const std::vector<PhysicalDevice>& devices() const { return devices_; }
  // One line for each device that cannot be used, with the reason.
  const std::vector<std::string>& unusable() const { return unusable_; }

  // Internal with the messages since the last call, if there were any. The other one asks without taking them.
  absl::Status TakeValidationMessages();
  bool HasValidationMessages() const;

  // For the loader's callback.
  void AddMessage(const char* text);

 private:
  explicit VulkanInstance(VulkanFunctions functions) : functions_(functions) {}
  absl::Status CreateHandle(const InstanceOptions& options);
  absl::Status ListDevices(const InstanceOptions& options);

  VulkanFunctions functions_;
  VkInstance handle_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  std::vector<PhysicalDevice> devices_;
  std::vector<std::string> unusable_;
  mutable std::mutex mutex_;
  std::vector<std::string> messages_;
};

// What `hlo-run --list-devices` prints: each device with its number, name, limits, features and float controls.
std::string DescribeDevices(const VulkanInstance& instance);

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_DEVICE_VULKAN_INSTANCE_H_
