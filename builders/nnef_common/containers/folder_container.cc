#include "builders/nnef_common/containers/folder_container.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "builders/nnef_common/containers/byte_source.h"
#include "builders/nnef_common/containers/member_name.h"
#include "builders/nnef_common/diagnostics.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef {
namespace {

// The path without links; empty if it leads nowhere.
std::string RealPath(const std::string& path) {
  char* const resolved = realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return "";
  const std::string result = resolved;
  std::free(resolved);
  return result;
}

class FolderContainer : public Container {
 public:
  FolderContainer(const std::string& path, const ModelFormat& format, std::string root)
      : Container(std::string(absl::StripSuffix(path, "/")), format), root_(std::move(root)) {}

  bool Has(absl::string_view member) const override {
    const absl::optional<std::string> name = NormalizeMemberName(member);
    struct stat status;
    return name.has_value() && !name->empty() && lstat(PathOf(*name).c_str(), &status) == 0;
  }

  std::vector<std::string> Members(int64_t limit) const override;

  absl::StatusOr<int64_t> SizeOf(absl::string_view member) const override {
    ASSIGN_OR_RETURN(const std::unique_ptr<ByteSource> file, Open(member));
    return file->size();
  }

  absl::Status Read(absl::string_view member, int64_t begin, int64_t size, char* destination) const override {
    ASSIGN_OR_RETURN(const std::unique_ptr<ByteSource> file, Open(member));
    const absl::Status read = file->Read(begin, size, destination);
    if (read.ok()) return read;
    return ClassifiedError(format().container_error, absl::StrCat(NameOf(member), ": ", read.message()));
  }

 private:
  std::string PathOf(absl::string_view name) const { return absl::StrCat(root_, "/", name); }

  absl::StatusOr<std::unique_ptr<ByteSource>> Open(absl::string_view member) const {
    if (!Has(member)) return NoSuchMember(member);
    const std::string path = RealPath(PathOf(*NormalizeMemberName(member)));
    if (!path.empty() && !absl::StartsWith(path, absl::StrCat(root_ == "/" ? "" : root_, "/"))) {
      return ClassifiedError(format().container_error,
                             absl::StrCat(NameOf(member), ": this link leads out of the folder; put the file there"));
    }
    absl::StatusOr<std::unique_ptr<ByteSource>> file = OpenFile(path);
    if (file.ok()) return file;
    return ClassifiedError(format().container_error, absl::StrCat(NameOf(member), ": ", file.status().message()));
  }

  const std::string root_;  // without links
};

// Links are listed, not followed: they may lead in circles.
std::vector<std::string> FolderContainer::Members(int64_t limit) const {
  std::vector<std::string> names;
  std::deque<std::string> folders = {""};
  while (!folders.empty()) {
    const std::string folder = std::move(folders.front());
    folders.pop_front();
    DIR* const directory = opendir(PathOf(folder).c_str());
    if (directory == nullptr) continue;
    while (const dirent* const entry = readdir(directory)) {
      const absl::string_view leaf = entry->d_name;
      if (leaf == "." || leaf == ".." || static_cast<int64_t>(names.size()) >= limit) continue;
      std::string name = folder.empty() ? std::string(leaf) : absl::StrCat(folder, "/", leaf);
      struct stat status;
      if (lstat(PathOf(name).c_str(), &status) != 0) continue;
      if (S_ISDIR(status.st_mode)) {
        folders.push_back(std::move(name));
      } else {
        names.push_back(std::move(name));
      }
    }
    closedir(directory);
    if (static_cast<int64_t>(names.size()) >= limit) break;
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Container>> OpenFolder(const std::string& path, const ModelFormat& format) {
  std::string root = RealPath(path);
  if (root.empty()) {
    return ClassifiedError(format.container_error, absl::StrCat(path, ": cannot be opened: ", std::strerror(errno)));
  }
  return std::unique_ptr<Container>(std::make_unique<FolderContainer>(path, format, std::move(root)));
}

}  // namespace nnef
}  // namespace xla
