// What --version prints.
#ifndef TOOLS_SHARED_VERSION_TEXT_H_
#define TOOLS_SHARED_VERSION_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace xla {

// Halo's version, and the backends that the tool has:
//
//   hlo-run 0.1.0
//   backends: cpu, interpreter
std::string VersionText(absl::string_view tool, absl::Span<const std::string> backends);

}  // namespace xla

#endif  // TOOLS_SHARED_VERSION_TEXT_H_
