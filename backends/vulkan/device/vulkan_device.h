// VulkanDevice: a logical device with one queue, and its work in order.
//
//   ASSIGN_OR_RETURN(auto instance, VulkanInstance::Create({}));
//   ASSIGN_OR_RETURN(auto device, VulkanDevice::Create(instance, 0));
//   ASSIGN_OR_RETURN(uint64_t ticket, device->Submit(commands));
//   RETURN_IF_ERROR(device->Wait(ticket, deadline));
//
// What is submitted gets tickets, numbers that grow: the values of one timeline semaphore, so waiting for a ticket is
// waiting for all before it.
#ifndef BACKENDS_VULKAN_DEVICE_VULKAN_DEVICE_H_
#define BACKENDS_VULKAN_DEVICE_VULKAN_DEVICE_H_

#include <cstdint>
#include <memory>
#include <mutex>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "backends/vulkan/device/vulkan_instance.h"

namespace xla {
namespace vulkan {

// Thread-safe. Everything made from a device shares its ownership.
class VulkanDevice {
 public:
  // `index`: of instance->devices().
  static absl::StatusOr<std::shared_ptr<VulkanDevice>> Create(std::shared_ptr<VulkanInstance> instance, size_t index);
  ~VulkanDevice();
  VulkanDevice(const VulkanDevice&) = delete;
  VulkanDevice& operator=(const VulkanDevice&) = delete;

  const VulkanFunctions& vk() const { return instance_->functions(); }
  VkDevice handle() const { return handle_; }
  const DeviceFacts& facts() const { return instance_->devices()[index_].facts; }
  VulkanInstance& instance() const { return *instance_; }

  // The ticket of the commands, which run in their order. Aborted once the device is lost; Internal: the validation layer
  // complained.
  absl::StatusOr<uint64_t> Submit(absl::Span<const VkCommandBuffer> commands);
  absl::StatusOr<uint64_t> Submit(VkCommandBuffer commands) { return Submit(absl::MakeConstSpan(&commands, 1)); }
  // DeadlineExceeded: the work is not done by then, and goes on. Aborted: the device is lost. After any other error, too,
  // nothing that was submitted runs any more.
  absl::Status Wait(uint64_t ticket, absl::Time deadline = absl::InfiniteFuture());
  absl::StatusOr<bool> IsDone(uint64_t ticket);

 private:
  VulkanDevice(std::shared_ptr<VulkanInstance> instance, size_t index)
      : instance_(std::move(instance)), index_(index) {}
  absl::Status CreateHandle();
  // Remembers that the device is lost.
  absl::Status Noted(VkResult result, absl::string_view what);

  const std::shared_ptr<VulkanInstance> instance_;
  const size_t index_;
  VkDevice handle_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  std::mutex mutex_;  // of what follows
  uint64_t last_ticket_ = 0;
  absl::Status lost_;
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_DEVICE_VULKAN_DEVICE_H_
