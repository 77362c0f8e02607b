// SPIR-V as text for people: what --dump writes beside the words.
#ifndef BACKENDS_VULKAN_SPIRV_SPIRV_TEXT_H_
#define BACKENDS_VULKAN_SPIRV_SPIRV_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace xla {
namespace vulkan {

// A line for each instruction: "%7 = OpFAdd %3 %5 %6", in which %3 is the type. Instructions and numbers that
// SpirvBuilder does not write appear as numbers. InvalidArgument: it is not SPIR-V, or is cut off.
absl::StatusOr<std::string> SpirvToText(absl::Span<const uint32_t> words);

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_SPIRV_SPIRV_TEXT_H_
