#include "builders/nnef_common/containers/member_name.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace xla {
namespace nnef {

absl::optional<std::string> NormalizeMemberName(absl::string_view name) {
  if (absl::StartsWith(name, "/") || absl::StrContains(name, '\0')) return absl::nullopt;
  std::string normalized;
  for (absl::string_view component : absl::StrSplit(name, '/')) {
    if (component == "..") return absl::nullopt;
    if (component.empty() || component == ".") continue;
    absl::StrAppend(&normalized, normalized.empty() ? "" : "/", component);
  }
  return normalized;
}

}  // namespace nnef
}  // namespace xla
