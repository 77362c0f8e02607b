// Folders of the file system.
#ifndef XLA_CORE_SUPPORT_FOLDERS_H_
#define XLA_CORE_SUPPORT_FOLDERS_H_

#include <string>

#include "absl/status/status.h"

namespace xla {

// Makes the folder and those above it, as far as they are not there. NotFound, with the name of the one that cannot be
// made, and why.
absl::Status MakeFolder(const std::string& path);

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_FOLDERS_H_
