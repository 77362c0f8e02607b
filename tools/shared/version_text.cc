#include "tools/shared/version_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "bindings/c/halo.h"

namespace xla {

std::string VersionText(absl::string_view tool, absl::Span<const std::string> backends) {
  return absl::StrCat(
      tool, " ", HALO_VERSION_MAJOR, ".", HALO_VERSION_MINOR, ".", HALO_VERSION_PATCH, "\nbackends: ",
      backends.empty() ? "none; programs run on the evaluator, as in the interpreter" : absl::StrJoin(backends, ", "),
      "\n");
}

}  // namespace xla
