#include "backends/vulkan/vulkan_thunk_makers.h"

#include "backends/plan/collective_thunks.h"
#include "backends/plan/copy_thunks.h"
#include "backends/plan/rng_thunks.h"

namespace xla {
namespace vulkan {

// Copies and kernels run on the device; all others on the host, in memory that it sees.
std::vector<ThunkMaker> VulkanThunkMakers(VulkanKernels& kernels) {
  return {
      {"collective", &MakeCollectiveThunk},
      {"transfer", &MakeTransferThunk},
      {"copy", [&kernels](const HloInstruction& instruction,
                          PlanContext& context) { return kernels.MakeCopy(instruction, context); }},
      {"wide concatenate", &MakeWideConcatenateThunk},
      {"kernel", [&kernels](const HloInstruction& instruction,
                            PlanContext& context) { return kernels.MakeThunk(instruction, context); }},
      {"annotation", &MakeAnnotationThunk},
      {"zeros", &MakeZerosThunk},
      {"device number", &MakeDeviceNumberThunk},
      {"random numbers", &MakeRngThunk},
  };
}

}  // namespace vulkan
}  // namespace xla
