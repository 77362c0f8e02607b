#include "backends/vulkan/codegen/spirv_target.h"

#include <algorithm>

#include "absl/strings/match.h"

namespace xla {
namespace vulkan {

SpirvTarget TargetOf(const DeviceFacts& facts) {
  SpirvTarget target;
  target.has_int64 = facts.has_int64;
  target.has_f64 = facts.has_f64;
  target.has_storage8 = facts.has_storage8;
  target.has_storage16 = facts.has_storage16;
  target.f32 = facts.f32;
  target.f64 = facts.f64;
  target.runs_on_processor = facts.kind == "cpu";
  if (absl::StrContains(facts.name, "llvmpipe")) {
    target.most_iterations = 65535;
    target.drops_zeros = true;
  }
  target.shared_memory_bytes = facts.shared_memory_bytes;
  target.storage_buffers = facts.storage_buffers;
  target.storage_range_bytes = facts.storage_range_bytes;
  target.push_constant_words = facts.push_constant_bytes / sizeof(uint32_t);
  target.max_invocations = std::min(facts.max_invocations, facts.max_local_size[0]);
  target.max_groups = std::min(facts.max_groups[0], facts.max_groups[1]);
  return target;
}

}  // namespace vulkan
}  // namespace xla
