// The backends of hlo-run: those that are linked, and those in libraries of their own, which it loads when they are
// asked for.
#ifndef TOOLS_LOADABLE_BACKENDS_H_
#define TOOLS_LOADABLE_BACKENDS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace xla {

// All names, sorted. Loads nothing.
std::vector<std::string> NamesOfLinkedAndLoadableBackends();

// Comes before GetClient(name). Does nothing for a backend that is there already. Errors: those of LoadBackendLibrary.
absl::Status LoadBackend(absl::string_view name);

// Comes before GetClient("replicated"), which hlo-run uses by itself for programs on several devices. The same errors.
absl::Status LoadReplicatedBackend();

}  // namespace xla

#endif  // TOOLS_LOADABLE_BACKENDS_H_
