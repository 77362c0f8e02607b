#include "tests/layering/source_files.h"

#include <algorithm>

#include "absl/strings/match.h"

namespace xla {
namespace {

namespace fs = std::filesystem;

bool IsSource(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".h" || extension == ".cc" || extension == ".def" || extension == ".inc";
}

}  // namespace

std::vector<std::string> SourceFiles(const fs::path& root) {
  std::vector<std::string> files;
  for (auto it = fs::recursive_directory_iterator(root); it != fs::recursive_directory_iterator(); ++it) {
    const std::string name = it->path().filename().string();
    const bool at_top = it.depth() == 0;
    if (it->is_directory() && (name[0] == '.' || (at_top && absl::StartsWith(name, "bazel-")))) {
      it.disable_recursion_pending();
    } else if (!at_top && it->is_regular_file() && IsSource(it->path())) {
      files.push_back(it->path().lexically_relative(root).string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace xla
