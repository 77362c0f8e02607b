#include "backends/vulkan/device/vulkan_device.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

uint64_t NanosecondsUntil(absl::Time deadline) {
  if (deadline == absl::InfiniteFuture()) return UINT64_MAX;
  return static_cast<uint64_t>(std::max<int64_t>(absl::ToInt64Nanoseconds(deadline - absl::Now()), 0));
}

}  // namespace

absl::StatusOr<std::shared_ptr<VulkanDevice>> VulkanDevice::Create(std::shared_ptr<VulkanInstance> instance,
                                                                   size_t index) {
  if (index >= instance->devices().size()) {
    return absl::InvalidArgumentError(absl::StrCat("there is no Vulkan device ", index, ": there are ",
                                                   instance->devices().size(), ", which --list-devices lists"));
  }
  std::shared_ptr<VulkanDevice> device(new VulkanDevice(std::move(instance), index));
  RETURN_IF_ERROR(device->CreateHandle());
  return device;
}

// Asks for the features that the facts name and no others, so that the validation layer finds a kernel that uses what
// a profile hides.
absl::Status VulkanDevice::CreateHandle() {
  const DeviceFacts& facts = this->facts();
  VkPhysicalDeviceVulkan12Features v12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  v12.timelineSemaphore = VK_TRUE;
  v12.shaderFloat16 = facts.has_f16;
  v12.shaderInt8 = facts.has_int8;
  v12.storageBuffer8BitAccess = facts.has_storage8;
  v12.bufferDeviceAddress = facts.has_buffer_addresses;
  v12.shaderBufferInt64Atomics = facts.has_int64_atomics;
  VkPhysicalDeviceVulkan11Features v11 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
  v11.pNext = &v12;
  v11.storageBuffer16BitAccess = facts.has_storage16;
  VkPhysicalDeviceFeatures2 features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  features.pNext = &v11;
  features.features.shaderFloat64 = facts.has_f64;
  features.features.shaderInt64 = facts.has_int64;
  features.features.shaderInt16 = facts.has_int16;

  const float priority = 1;
  VkDeviceQueueCreateInfo queue = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueFamilyIndex = facts.queue_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  std::vector<const char*> extensions;
  if (facts.has_host_memory_import) extensions.push_back(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  if (facts.has_memory_export) extensions.push_back(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  info.pNext = &features;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  const VkPhysicalDevice physical = instance_->devices()[index_].handle;
  RETURN_IF_ERROR(
      ToStatus(vk().CreateDevice(physical, &info, nullptr, &handle_), absl::StrCat("open the device ", facts.name)));
  vk().GetDeviceQueue(handle_, facts.queue_family, 0, &queue_);

  VkSemaphoreTypeCreateInfo type = {VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo semaphore = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  semaphore.pNext = &type;
  return ToStatus(vk().CreateSemaphore(handle_, &semaphore, nullptr, &timeline_), "make a semaphore");
}

VulkanDevice::~VulkanDevice() {
  if (handle_ == VK_NULL_HANDLE) return;
  // Whether it succeeds or the device is lost: nothing runs afterwards.
  vk().DeviceWaitIdle(handle_);
  vk().DestroySemaphore(handle_, timeline_, nullptr);
  vk().DestroyDevice(handle_, nullptr);
}

absl::Status VulkanDevice::Noted(VkResult result, absl::string_view what) {
  const absl::Status status = ToStatus(result, what);
  if (result != VK_ERROR_DEVICE_LOST) return status;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (lost_.ok()) lost_ = status;
  return status;
}

absl::StatusOr<uint64_t> VulkanDevice::Submit(absl::Span<const VkCommandBuffer> commands) {
  VkResult result = VK_SUCCESS;
  uint64_t ticket = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!lost_.ok()) return lost_;
    ticket = last_ticket_ + 1;
    VkTimelineSemaphoreSubmitInfo values = {VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
    values.signalSemaphoreValueCount = 1;
    values.pSignalSemaphoreValues = &ticket;
    VkSubmitInfo info = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.pNext = &values;
    info.commandBufferCount = static_cast<uint32_t>(commands.size());
    info.pCommandBuffers = commands.data();
    info.signalSemaphoreCount = 1;
    info.pSignalSemaphores = &timeline_;
    result = vk().QueueSubmit(queue_, 1, &info, VK_NULL_HANDLE);
    if (result == VK_SUCCESS) last_ticket_ = ticket;
  }
  RETURN_IF_ERROR(Noted(result, "submit commands"));
  return ticket;
}

absl::Status VulkanDevice::Wait(uint64_t ticket, absl::Time deadline) {
  VkSemaphoreWaitInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline_;
  info.pValues = &ticket;
  const VkResult result = vk().WaitSemaphores(handle_, &info, NanosecondsUntil(deadline));
  if (result == VK_TIMEOUT) {
    return absl::DeadlineExceededError(
        "the device has not finished its work by the deadline; it goes on in the background");
  }
  if (result != VK_SUCCESS) {
    // Callers then destroy what the work may still use.
    const std::lock_guard<std::mutex> lock(mutex_);
    vk().DeviceWaitIdle(handle_);
  }
  RETURN_IF_ERROR(Noted(result, "wait for the device"));
  return instance_->TakeValidationMessages();
}

absl::StatusOr<bool> VulkanDevice::IsDone(uint64_t ticket) {
  uint64_t value = 0;
  RETURN_IF_ERROR(Noted(vk().GetSemaphoreCounterValue(handle_, timeline_, &value), "ask for the device's progress"));
  return value >= ticket;
}

}  // namespace vulkan
}  // namespace xla
