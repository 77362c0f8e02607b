// The table of what instructions become. See backends/plan/thunk_maker.h.
#ifndef BACKENDS_VULKAN_VULKAN_THUNK_MAKERS_H_
#define BACKENDS_VULKAN_VULKAN_THUNK_MAKERS_H_

#include <vector>

#include "backends/plan/thunk_maker.h"
#include "backends/vulkan/vulkan_kernels.h"

namespace xla {
namespace vulkan {

// In the order in which they are asked: special cases first. `kernels` outlives the makers.
std::vector<ThunkMaker> VulkanThunkMakers(VulkanKernels& kernels);

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_VULKAN_THUNK_MAKERS_H_
