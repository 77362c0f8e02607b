#include "tools/shared/write_results.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla_core/literal_io/format_literal.h"
#include "xla_core/literal_io/leaves.h"
#include "xla_core/literal_io/npy.h"
#include "xla_core/literal_io/npz.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::Status WriteNpy(const Literal& array, const std::string& path, const ResourceContext* resources) {
  ASSIGN_OR_RETURN(const NpyFile npy, MakeNpy(array));
  ASSIGN_OR_RETURN(const std::unique_ptr<AtomicFile> file, AtomicFile::Create(path));
  RETURN_IF_ERROR(file->Append(npy.header));
  RETURN_IF_ERROR(AppendInPieces(npy.data(), *file, resources));
  return file->Commit();
}

absl::Status WriteNpz(const std::vector<NamedArray>& arrays, const std::string& path,
                      const ResourceContext* resources) {
  ASSIGN_OR_RETURN(const std::unique_ptr<NpzWriter> writer, NpzWriter::Create(path, resources));
  for (const NamedArray& array : arrays) RETURN_IF_ERROR(writer->Add(array.first, array.second));
  return writer->Commit();
}

absl::Status WriteFolder(const std::vector<NamedArray>& arrays, const std::string& path,
                         const ResourceContext* resources) {
  if (mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) {
    return absl::UnavailableError(absl::StrCat(path, ": cannot make the folder: ", std::strerror(errno)));
  }
  for (const NamedArray& array : arrays) {
    RETURN_IF_ERROR(WriteNpy(array.second, absl::StrCat(path, "/", array.first, ".npy"), resources));
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<NamedArray> NameResults(absl::Span<const Literal> results, absl::Span<const std::string> names) {
  std::vector<NamedArray> arrays;
  const int device_count = static_cast<int>(results.size());
  for (int device = 0; device < device_count; ++device) {
    std::vector<Literal> leaves = FlattenLeaves(results[device]);
    leaves.erase(
        std::remove_if(leaves.begin(), leaves.end(), [](const Literal& leaf) { return !leaf.shape().IsArray(); }),
        leaves.end());
    for (size_t k = 0; k < leaves.size(); ++k) {
      std::string name = OutputName(device, device_count, static_cast<int>(k));
      if (names.size() == leaves.size()) name = device_count > 1 ? absl::StrCat("r", device, "_", names[k]) : names[k];
      arrays.emplace_back(std::move(name), std::move(leaves[k]));
    }
  }
  return arrays;
}

absl::Status WriteResults(const std::vector<NamedArray>& arrays, const std::string& path,
                          const ResourceContext* resources) {
  struct stat info;
  const bool exists = stat(path.c_str(), &info) == 0;
  const bool is_folder = exists && S_ISDIR(info.st_mode);
  const bool is_special = exists && !is_folder && !S_ISREG(info.st_mode);
  if (path == "-" || is_special || (!is_folder && absl::EndsWith(path, ".npz"))) {
    return WriteNpz(arrays, path, resources);
  }
  if (!is_folder && absl::EndsWith(path, ".npy")) {
    if (arrays.size() == 1) return WriteNpy(arrays[0].second, path, resources);
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": one .npy file cannot hold ", arrays.size(), " results; use an .npz file or a folder"));
  }
  return WriteFolder(arrays, path, resources);
}

std::string DescribeResults(const std::vector<NamedArray>& arrays) {
  std::string text;
  for (const NamedArray& array : arrays) absl::StrAppend(&text, array.first, " = ", FormatLiteral(array.second), "\n");
  return text;
}

}  // namespace xla
