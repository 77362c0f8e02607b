#include "builders/nnef1/diagnostics.h"

#include <string>

namespace xla {
namespace nnef1 {
namespace {

constexpr nnef::Standard kStandard = {"NNEF 1.0.4", "fragment"};

constexpr absl::string_view kCodes[] = {"E0", "E1", "E2.1", "E2.2", "E2.3", "E2.4", "E3", "E4", "E5", "E6"};

}  // namespace

absl::string_view ErrorClassCode(ErrorClass error_class) { return kCodes[static_cast<int>(error_class)]; }

nnef::ErrorClass DescribeErrorClass(ErrorClass error_class) {
  return nnef::ErrorClass(ErrorClassCode(error_class), &kStandard);
}

absl::optional<ErrorClass> ErrorClassOf(const absl::Status& status) {
  const absl::optional<std::string> code = nnef::ErrorCodeOf(status);
  if (!code.has_value()) return absl::nullopt;
  for (size_t i = 0; i < sizeof(kCodes) / sizeof(kCodes[0]); ++i) {
    if (*code == kCodes[i]) return static_cast<ErrorClass>(i);
  }
  return absl::nullopt;
}

}  // namespace nnef1
}  // namespace xla
