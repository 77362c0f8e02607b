// How kernels are lowered for a Vulkan device.
#ifndef BACKENDS_VULKAN_CODEGEN_KERNEL_TARGET_H_
#define BACKENDS_VULKAN_CODEGEN_KERNEL_TARGET_H_

#include "backends/kernel_ir/lowering/lowering.h"
#include "backends/vulkan/codegen/spirv_target.h"

namespace xla {
namespace vulkan {

// A GPU runs a tile by a workgroup that is some subgroups wide. A processor that acts as a device has nothing of that:
// invocations are lanes of its vectors, each of which had better have a tile of its own, and barriers cost much.
LoweringTarget KernelTargetOf(const SpirvTarget& target);

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_CODEGEN_KERNEL_TARGET_H_
