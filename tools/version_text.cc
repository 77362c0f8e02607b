#include "tools/version_text.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/registry.h"
#include "bindings/c/halo.h"

namespace xla {

std::string VersionText(absl::string_view tool) {
  const std::vector<std::string> backends = BackendNames();
  return absl::StrCat(
      tool, " ", HALO_VERSION_MAJOR, ".", HALO_VERSION_MINOR, ".", HALO_VERSION_PATCH, "\nbackends: ",
      backends.empty() ? "none; programs run on the evaluator, as in the interpreter" : absl::StrJoin(backends, ", "),
      "\n");
}

}  // namespace xla
