// What messages about limits say was being done.
//
// The errors of a ResourceContext say it themselves. Who refuses memory, a disk or further steps for another reason
// does not know what for; whoever does adds it.
#ifndef XLA_CORE_SUPPORT_LIMIT_MESSAGE_H_
#define XLA_CORE_SUPPORT_LIMIT_MESSAGE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace xla {

// " (while running the program)", for the end of a message.
std::string InPhase(absl::string_view phase);

// The message of `status`, which is an error, with the phase at its end if something has run out and the message does
// not name it yet.
std::string MessageInPhase(const absl::Status& status, absl::string_view phase);

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_LIMIT_MESSAGE_H_
