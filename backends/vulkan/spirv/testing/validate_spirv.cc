#include "backends/vulkan/spirv/testing/validate_spirv.h"

#include "absl/strings/str_cat.h"
#include "spirv-tools/libspirv.h"

namespace xla {
namespace vulkan {

std::string ValidateSpirv(absl::Span<const uint32_t> words) {
  const spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_2);
  spv_diagnostic diagnostic = nullptr;
  const spv_result_t result = spvValidateBinary(context, words.data(), words.size(), &diagnostic);
  std::string message;
  if (result != SPV_SUCCESS) {
    message = diagnostic == nullptr ? absl::StrCat("invalid, code ", result) : std::string(diagnostic->error);
  }
  spvDiagnosticDestroy(diagnostic);
  spvContextDestroy(context);
  return message;
}

}  // namespace vulkan
}  // namespace xla
