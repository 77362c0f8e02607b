#include "backends/vulkan/device/vulkan_functions.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/support/system_library.h"

namespace xla {
namespace vulkan {
namespace {

constexpr char kLibrary[] = "libvulkan.so.1";

absl::StatusOr<VulkanFunctions> OpenLibrary() {
  ASSIGN_OR_RETURN(void* const library,
                   LoadLibrary(kLibrary, "this is Vulkan's loader: apt-get install libvulkan1 installs it"));
  VulkanFunctions functions;
  functions.GetInstanceProcAddr = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
  if (functions.GetInstanceProcAddr == nullptr) {
    return absl::UnavailableError(
        absl::StrCat(kLibrary, " has no function vkGetInstanceProcAddr: it is not Vulkan's loader"));
  }
  const char* missing = nullptr;
#define F(name)                                                                                        \
  functions.name = reinterpret_cast<PFN_vk##name>(functions.GetInstanceProcAddr(nullptr, "vk" #name)); \
  if (functions.name == nullptr) missing = "vk" #name;
  HALO_VULKAN_GLOBAL_FUNCTIONS(F)
#undef F
  if (missing == nullptr) return functions;
  return absl::UnavailableError(
      absl::StrCat(kLibrary, " has no function ", missing, ": it is older than Vulkan 1.1; install a newer one"));
}

}  // namespace

absl::StatusOr<VulkanFunctions> LoadVulkan() {
  static const auto* const functions = new absl::StatusOr<VulkanFunctions>(OpenLibrary());
  return *functions;
}

absl::Status LoadInstanceFunctions(VkInstance instance, VulkanFunctions* functions) {
  const char* missing = nullptr;
#define FIND(name) \
  functions->name = reinterpret_cast<PFN_vk##name>(functions->GetInstanceProcAddr(instance, "vk" #name));
#define F(name) \
  FIND(name)    \
  if (functions->name == nullptr) missing = "vk" #name;
  HALO_VULKAN_INSTANCE_FUNCTIONS(F)
#undef F
#define F(name) FIND(name)
  HALO_VULKAN_OPTIONAL_FUNCTIONS(F)
#undef F
#undef FIND
  if (missing == nullptr) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("Vulkan's loader has no function ", missing, ": it is older than Vulkan 1.2; install a newer one"));
}

const char* ResultName(VkResult result) {
  switch (result) {
#define NAME(name) \
  case name:       \
    return #name;
    NAME(VK_SUCCESS)
    NAME(VK_NOT_READY)
    NAME(VK_TIMEOUT)
    NAME(VK_INCOMPLETE)
    NAME(VK_ERROR_OUT_OF_HOST_MEMORY)
    NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY)
    NAME(VK_ERROR_INITIALIZATION_FAILED)
    NAME(VK_ERROR_DEVICE_LOST)
    NAME(VK_ERROR_MEMORY_MAP_FAILED)
    NAME(VK_ERROR_LAYER_NOT_PRESENT)
    NAME(VK_ERROR_EXTENSION_NOT_PRESENT)
    NAME(VK_ERROR_FEATURE_NOT_PRESENT)
    NAME(VK_ERROR_INCOMPATIBLE_DRIVER)
    NAME(VK_ERROR_TOO_MANY_OBJECTS)
    NAME(VK_ERROR_FRAGMENTED_POOL)
    NAME(VK_ERROR_OUT_OF_POOL_MEMORY)
    NAME(VK_ERROR_INVALID_SHADER_NV)
#undef NAME
    default:
      return "an unknown error";
  }
}

absl::Status ToStatus(VkResult result, absl::string_view what) {
  if (result == VK_SUCCESS) return absl::OkStatus();
  const std::string message = absl::StrCat("cannot ", what, ": the Vulkan driver says ", ResultName(result));
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_TOO_MANY_OBJECTS:
    case VK_ERROR_MEMORY_MAP_FAILED:
      return absl::ResourceExhaustedError(message);
    case VK_ERROR_DEVICE_LOST:
      return absl::AbortedError(
          absl::StrCat(message, "; the device was reset, perhaps because a kernel ran too long: make a new client"));
    case VK_TIMEOUT:
      return absl::DeadlineExceededError(message);
    case VK_ERROR_INITIALIZATION_FAILED:
    case VK_ERROR_LAYER_NOT_PRESENT:
    case VK_ERROR_EXTENSION_NOT_PRESENT:
    case VK_ERROR_FEATURE_NOT_PRESENT:
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return absl::UnavailableError(message);
    default:
      return absl::InternalError(message);
  }
}

}  // namespace vulkan
}  // namespace xla
