#include "backends/vulkan/codegen/kernel_target.h"

#include <algorithm>
#include <cstdint>

namespace xla {
namespace vulkan {
namespace {

// Enough to hide how long memory takes, with all registers that a tile of a product needs.
constexpr int64_t kInvocations = 128;

}  // namespace

LoweringTarget KernelTargetOf(const SpirvTarget& target) {
  const int64_t most = target.runs_on_processor ? 1 : std::min<int64_t>(kInvocations, target.max_invocations);
  LoweringTarget kernels = LoweringTarget::Workgroups(most, target.shared_memory_bytes);
  kernels.sorts = true;
  return kernels;
}

}  // namespace vulkan
}  // namespace xla
