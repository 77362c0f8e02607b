// The functions of libvulkan, which is opened at run time: a program that never asks for a device does not load it.
#ifndef BACKENDS_VULKAN_DEVICE_VULKAN_FUNCTIONS_H_
#define BACKENDS_VULKAN_DEVICE_VULKAN_FUNCTIONS_H_

#define VK_NO_PROTOTYPES
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "vulkan/vulkan.h"

namespace xla {
namespace vulkan {

// Those that need no instance, and those that do. An optional one is null where the driver lacks its extension.
#define HALO_VULKAN_GLOBAL_FUNCTIONS(F) \
  F(CreateInstance)                     \
  F(EnumerateInstanceVersion)           \
  F(EnumerateInstanceLayerProperties)   \
  F(EnumerateInstanceExtensionProperties)
#define HALO_VULKAN_INSTANCE_FUNCTIONS(F)   \
  F(AllocateCommandBuffers)                 \
  F(AllocateDescriptorSets)                 \
  F(AllocateMemory)                         \
  F(BeginCommandBuffer)                     \
  F(BindBufferMemory)                       \
  F(CmdBindDescriptorSets)                  \
  F(CmdBindPipeline)                        \
  F(CmdCopyBuffer)                          \
  F(CmdDispatch)                            \
  F(CmdDispatchIndirect)                    \
  F(CmdFillBuffer)                          \
  F(CmdPipelineBarrier)                     \
  F(CmdPushConstants)                       \
  F(CmdResetQueryPool)                      \
  F(CmdUpdateBuffer)                        \
  F(CmdWriteTimestamp)                      \
  F(CreateBuffer)                           \
  F(CreateCommandPool)                      \
  F(CreateComputePipelines)                 \
  F(CreateDescriptorPool)                   \
  F(CreateDescriptorSetLayout)              \
  F(CreateDevice)                           \
  F(CreatePipelineCache)                    \
  F(CreatePipelineLayout)                   \
  F(CreateQueryPool)                        \
  F(CreateSemaphore)                        \
  F(CreateShaderModule)                     \
  F(DestroyBuffer)                          \
  F(DestroyCommandPool)                     \
  F(DestroyDescriptorPool)                  \
  F(DestroyDescriptorSetLayout)             \
  F(DestroyDevice)                          \
  F(DestroyInstance)                        \
  F(DestroyPipeline)                        \
  F(DestroyPipelineCache)                   \
  F(DestroyPipelineLayout)                  \
  F(DestroyQueryPool)                       \
  F(DestroySemaphore)                       \
  F(DestroyShaderModule)                    \
  F(DeviceWaitIdle)                         \
  F(EndCommandBuffer)                       \
  F(EnumerateDeviceExtensionProperties)     \
  F(EnumeratePhysicalDevices)               \
  F(FreeMemory)                             \
  F(GetBufferMemoryRequirements)            \
  F(GetDeviceQueue)                         \
  F(GetPhysicalDeviceFeatures2)             \
  F(GetPhysicalDeviceMemoryProperties)      \
  F(GetPhysicalDeviceProperties2)           \
  F(GetPhysicalDeviceQueueFamilyProperties) \
  F(GetPipelineCacheData)                   \
  F(GetQueryPoolResults)                    \
  F(GetSemaphoreCounterValue)               \
  F(MapMemory)                              \
  F(QueueSubmit)                            \
  F(UpdateDescriptorSets)                   \
  F(WaitSemaphores)
#define HALO_VULKAN_OPTIONAL_FUNCTIONS(F) \
  F(CreateDebugUtilsMessengerEXT)         \
  F(DestroyDebugUtilsMessengerEXT)        \
  F(GetMemoryFdKHR)                       \
  F(GetMemoryHostPointerPropertiesEXT)    \
  F(GetPhysicalDeviceExternalBufferProperties)

// A table of addresses. Tests replace some to make them fail.
struct VulkanFunctions {
#define F(name) PFN_vk##name name = nullptr;
  HALO_VULKAN_GLOBAL_FUNCTIONS(F)
  HALO_VULKAN_INSTANCE_FUNCTIONS(F)
  HALO_VULKAN_OPTIONAL_FUNCTIONS(F)
#undef F
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
};

// Opens libvulkan, once, and finds the global functions. Unavailable: it is not there. Thread-safe.
absl::StatusOr<VulkanFunctions> LoadVulkan();

// Finds the others. Unavailable: the loader or the driver lacks one.
absl::Status LoadInstanceFunctions(VkInstance instance, VulkanFunctions* functions);

// OK for VK_SUCCESS. `what` was tried, for the message: "allocate 64 MiB". A lack of memory is ResourceExhausted, a
// lost device Aborted, what the driver lacks Unavailable, everything else Internal.
absl::Status ToStatus(VkResult result, absl::string_view what);
const char* ResultName(VkResult result);

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_DEVICE_VULKAN_FUNCTIONS_H_
