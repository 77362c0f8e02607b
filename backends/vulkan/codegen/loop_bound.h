// How many iterations of loops an invocation runs.
#ifndef BACKENDS_VULKAN_CODEGEN_LOOP_BOUND_H_
#define BACKENDS_VULKAN_CODEGEN_LOOP_BOUND_H_

#include "backends/kernel_ir/kernel.h"
#include "backends/vulkan/codegen/spirv_target.h"

namespace xla {
namespace vulkan {

// At most, of all loops of the code for a phase together; infinity if only the run tells.
double MostIterations(const Kernel& kernel, const KernelPhase& phase, const SpirvTarget& target);

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_CODEGEN_LOOP_BOUND_H_
