#include "builders/nnef2/diagnostics.h"

#include <string>

namespace xla {
namespace nnef2 {
namespace {

constexpr nnef::Standard kStandard = {"NNEF 2.0", /*callable=*/""};

constexpr absl::string_view kNames[kNumErrorClasses] = {
    "lex",   "syntax",  "import",   "graph",    "name",  "type",          "pack",
    "rank",  "arity",   "attrib",   "binding",  "shape", "assert",        "value",
    "lower", "control", "variable", "quantize", "data",  "runtime-shape", "runtime-bound"};

}  // namespace

absl::string_view ErrorClassName(ErrorClass error_class) { return kNames[static_cast<int>(error_class)]; }

nnef::ErrorClass DescribeErrorClass(ErrorClass error_class) {
  return nnef::ErrorClass(ErrorClassName(error_class), &kStandard);
}

absl::optional<ErrorClass> ErrorClassOf(const absl::Status& status) {
  const absl::optional<std::string> code = nnef::ErrorCodeOf(status);
  if (!code.has_value()) return absl::nullopt;
  for (int i = 0; i < kNumErrorClasses; ++i) {
    if (*code == kNames[i]) return static_cast<ErrorClass>(i);
  }
  return absl::nullopt;
}

}  // namespace nnef2
}  // namespace xla
