// What code generation may use of a device.
#ifndef BACKENDS_VULKAN_CODEGEN_SPIRV_TARGET_H_
#define BACKENDS_VULKAN_CODEGEN_SPIRV_TARGET_H_

#include <array>
#include <cstdint>
#include <limits>

#include "backends/vulkan/device/device_facts.h"

namespace xla {
namespace vulkan {

// The defaults are the lowest profile.
struct SpirvTarget {
  // Without them: pairs of words; no code; words, of which parts are exchanged.
  bool has_int64 = false;
  bool has_f64 = false;
  bool has_storage8 = false;
  bool has_storage16 = false;

  // What Vulkan does not promise and a driver may do all the same: GLSL's Fma rounds once; quotients and square roots
  // are rounded as IEEE 754 says. Without them, code computes the rounding errors and corrects them.
  bool fuses_multiply_add = false;
  bool divides_exactly = false;

  FloatControls f32;
  FloatControls f64;

  bool runs_on_processor = false;
  // The driver takes 0 + x for x where it sees the 0, though -0 is not 0: Mesa's lavapipe.
  bool drops_zeros = false;
  // Drivers may take a long loop for one that does not end: an invocation whose loops run more iterations than this in
  // all comes out wrong. Mesa's lavapipe leaves loops after 65535.
  int64_t most_iterations = std::numeric_limits<int64_t>::max();
  uint32_t shared_memory_bytes = 16384;
  uint32_t storage_buffers = 4;
  uint64_t storage_range_bytes = uint64_t{1} << 27;
  uint32_t push_constant_words = 32;
  uint32_t max_invocations = 128;
  uint32_t max_groups = 65535;  // of the first dimension, and of the second
};

SpirvTarget TargetOf(const DeviceFacts& facts);

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_CODEGEN_SPIRV_TARGET_H_
