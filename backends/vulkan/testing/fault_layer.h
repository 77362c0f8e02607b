// What a test tells the layer VK_LAYER_HALO_faults (fault_layer.cc), which lies between Vulkan's loader and the driver.
// The functions are found by name in the layer's library (dlsym), of which a process has one.
#ifndef BACKENDS_VULKAN_TESTING_FAULT_LAYER_H_
#define BACKENDS_VULKAN_TESTING_FAULT_LAYER_H_

#include <cstdint>

namespace xla {
namespace vulkan {

// A call that fails instead of reaching the driver.
struct FaultPlan {
  const char* function = "";  // "vkAllocateMemory"; no function: none fails
  int64_t call = 0;           // the first one that fails, from 1
  bool is_lasting = false;    // all later calls of the function fail, too
  int32_t result = 0;  // a VkResult. After VK_ERROR_DEVICE_LOST every call that can say so does, until the device ends
};

extern "C" {

// Begins to count calls from 0 again. False: the layer does not know the function.
using SetFaultPlan = bool (*)(const FaultPlan* plan);
constexpr char kSetFaultPlan[] = "HaloSetFaultPlan";

// Calls of a function since then.
using CountCalls = int64_t (*)(const char* function);
constexpr char kCountCalls[] = "HaloCountCalls";

// Name of function i that can fail; null after the last.
using NameFallible = const char* (*)(int64_t i);
constexpr char kNameFallible[] = "HaloNameFallible";

// Whether what drivers give away of compiled kernels (vkGetPipelineCacheData) ends in a few bytes more, where they give
// nothing away by themselves.
using SetGivesKernels = void (*)(bool gives);
constexpr char kSetGivesKernels[] = "HaloSetGivesKernels";

// Vulkan's objects that were made and not destroyed, allocations of memory among them.
using CountObjects = int64_t (*)();
constexpr char kCountObjects[] = "HaloCountObjects";

}  // extern "C"

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_TESTING_FAULT_LAYER_H_
