// How many iterations of loops an invocation runs.
#ifndef BACKENDS_VULKAN_CODEGEN_LOOP_BOUND_H_
#define BACKENDS_VULKAN_CODEGEN_LOOP_BOUND_H_

#include <cstdint>

#include "backends/kernel_ir/kernel.h"
#include "backends/vulkan/codegen/spirv_target.h"

namespace xla {
namespace vulkan {

// At most, of all loops of the code for a phase together; infinity if only the run tells. `unroll`: how many iterations
// of innermost loops are written out at a time, a power of two.
double MostIterations(const Kernel& kernel, const KernelPhase& phase, const SpirvTarget& target, int64_t unroll);

// The least with which a driver does not leave the loops of a phase, or the largest there is.
int64_t UnrollFor(const Kernel& kernel, const KernelPhase& phase, const SpirvTarget& target);

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_CODEGEN_LOOP_BOUND_H_
