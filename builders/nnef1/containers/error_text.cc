#include "builders/nnef1/containers/error_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "builders/nnef1/diagnostics.h"

namespace xla {
namespace nnef1 {

absl::string_view MessageWithoutClass(const absl::Status& status) {
  absl::string_view message = status.message();
  const absl::optional<ErrorClass> error_class = ErrorClassOf(status);
  if (error_class.has_value()) absl::ConsumePrefix(&message, absl::StrCat(ErrorClassCode(*error_class), ": "));
  return message;
}

}  // namespace nnef1
}  // namespace xla
