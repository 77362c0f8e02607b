#include "tools/testing/user_path.h"

#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace xla {

std::string UserPath(const std::string& path) {
  const char* const folder = std::getenv("BUILD_WORKING_DIRECTORY");
  return folder == nullptr || path.empty() || absl::StartsWith(path, "/") ? path : absl::StrCat(folder, "/", path);
}

}  // namespace xla
