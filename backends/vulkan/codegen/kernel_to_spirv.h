// Kernels as SPIR-V: a module for each phase.
//
// A tile is a workgroup, whose invocations share the iterations of its independent loops. A caller's buffer is a
// storage buffer of set 0; if there are more than the device has bindings, all are in one, at offsets that push
// constants give. Scratch is shared memory of the workgroup, or if it is too large, a further buffer with a part for
// each tile.
//
//   ASSIGN_OR_RETURN(SpirvKernel code, CompileToSpirv(kernel, TargetOf(device->facts())));
#ifndef BACKENDS_VULKAN_CODEGEN_KERNEL_TO_SPIRV_H_
#define BACKENDS_VULKAN_CODEGEN_KERNEL_TO_SPIRV_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/kernel_ir/kernel.h"
#include "backends/vulkan/codegen/spirv_target.h"

namespace xla {
namespace vulkan {

struct SpirvPhase {
  std::vector<uint32_t> words;
  std::array<uint32_t, 3> groups = {1, 1, 1};
};

struct SpirvKernel {
  std::vector<SpirvPhase> phases;
  // Storage buffers that each phase is given: the caller's in order, then scratch, if `scratch_bytes` is not zero; or,
  // if `in_one_binding`, one that holds all of these, whose first words are the push constants, in the same order.
  uint32_t binding_count = 0;
  bool in_one_binding = false;
  uint32_t push_constant_count = 0;
  uint64_t scratch_bytes = 0;
};

// Unimplemented: the operation, type or size that there is no code for on the target, and why.
absl::Status SpirvSupports(const Kernel& kernel, const SpirvTarget& target);

// `kernel` is verified. Unimplemented as SpirvSupports.
absl::StatusOr<SpirvKernel> CompileToSpirv(const Kernel& kernel, const SpirvTarget& target);

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_CODEGEN_KERNEL_TO_SPIRV_H_
