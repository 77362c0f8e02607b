#include "builders/webnn/graph_json_format.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace xla {
namespace webnn {

absl::Status CheckWeightsFile(absl::string_view name, absl::string_view where) {
  const std::vector<absl::string_view> parts = absl::StrSplit(name, '/');
  const bool leads_away = absl::StartsWith(name, "/") || absl::StrContains(name, '\0') ||
                          std::find(parts.begin(), parts.end(), "..") != parts.end();
  if (!leads_away && (IsNpz(name) || absl::EndsWith(name, ".safetensors"))) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(where, ": expected the name of an .npz or .safetensors file beside ",
                                                 "this one, or in a folder there, got '", name, "'"));
}

bool IsNpz(absl::string_view name) { return absl::EndsWith(name, ".npz"); }

std::string FolderOf(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return std::string(path.substr(0, slash == absl::string_view::npos ? 0 : slash + 1));
}

}  // namespace webnn
}  // namespace xla
