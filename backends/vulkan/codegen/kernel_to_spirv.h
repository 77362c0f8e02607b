// Kernels as SPIR-V: a module for each phase.
//
// A tile with invocations (kernel.h) is a workgroup, and its scratch the shared memory of that; tiles of one invocation
// are put together to workgroups. A buffer of the caller is a storage buffer of set 0, or several if a binding cannot
// reach all of it. If a phase uses more of them than the device has bindings, some share a binding, at offsets that
// push constants give, or, if there are more of these than those hold, a table in another storage buffer.
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
  static constexpr int kScratchBinding = -1;
  static constexpr int kTableBinding = -2;

  std::vector<uint32_t> words;
  std::array<uint32_t, 3> groups = {1, 1, 1};
  // What each binding of set 0 is given: the range of memory of these caller's buffers, of which there is mostly one;
  // or kScratchBinding: SpirvKernel::scratch_bytes of any contents; or kTableBinding: a word for each of `offsets`.
  // Only what the phase uses is bound, and a buffer that shares the memory of an earlier one is called as that one.
  std::vector<std::vector<int>> bindings;
  // By binding: kWhole, or which part of its buffer it is given, from `window_bytes` times this on as many bytes, or
  // all that are left.
  static constexpr int kWhole = -1;
  std::vector<int> windows;
  uint64_t window_bytes = 0;
  // The buffers that do not have a binding for themselves. Push constant i, or word i of the table if there is one, is
  // where the i-th of them begins in its binding, in words.
  std::vector<int> offsets;
};

// Phases run one after the other, each with what the one before has written.
struct SpirvKernel {
  std::vector<SpirvPhase> phases;
  uint64_t scratch_bytes = 0;
};

// Unimplemented: the operation, type or size that there is no code for on the target, and why.
absl::Status SpirvSupports(const Kernel& kernel, const SpirvTarget& target);

// `kernel` is verified. Unimplemented as SpirvSupports.
absl::StatusOr<SpirvKernel> CompileToSpirv(const Kernel& kernel, const SpirvTarget& target);

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_CODEGEN_KERNEL_TO_SPIRV_H_
