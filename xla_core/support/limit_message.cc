#include "xla_core/support/limit_message.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace xla {

std::string InPhase(absl::string_view phase) { return absl::StrCat(" (while ", phase, ")"); }

std::string MessageInPhase(const absl::Status& status, absl::string_view phase) {
  const absl::string_view message = status.message();
  const bool lacks_phase = absl::IsResourceExhausted(status) && !absl::StrContains(message, phase);
  return absl::StrCat(message, lacks_phase ? InPhase(phase) : "");
}

}  // namespace xla
