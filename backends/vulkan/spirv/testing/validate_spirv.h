// spirv-val for tests.
#ifndef BACKENDS_VULKAN_SPIRV_TESTING_VALIDATE_SPIRV_H_
#define BACKENDS_VULKAN_SPIRV_TESTING_VALIDATE_SPIRV_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"

namespace xla {
namespace vulkan {

// Empty if the module is valid for Vulkan 1.2; else the first message of the validator.
std::string ValidateSpirv(absl::Span<const uint32_t> words);

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_SPIRV_TESTING_VALIDATE_SPIRV_H_
