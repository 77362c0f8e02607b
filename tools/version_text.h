// What --version prints.
#ifndef TOOLS_VERSION_TEXT_H_
#define TOOLS_VERSION_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace xla {

// Halo's version, and the backends that are linked into this program:
//
//   hlo-run 0.1.0
//   backends: cpu, interpreter
std::string VersionText(absl::string_view tool);

}  // namespace xla

#endif  // TOOLS_VERSION_TEXT_H_
