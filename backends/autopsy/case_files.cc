#include "backends/autopsy/case_files.h"

#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla_core/literal_io/leaves.h"
#include "xla_core/literal_io/npz.h"
#include "xla_core/support/files.h"
#include "xla_core/support/folders.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

// What an autopsy writes, the verdict last: without it the others are not known as an autopsy's.
constexpr const char* kNames[] = {"module.hlo",     "inputs.npz", "expected.npz", "before_pass.hlo",
                                  "after_pass.hlo", "compiled",   "verdict.txt"};

}  // namespace

std::string CaseFiles::Path(absl::string_view name) const {
  return folder_.empty() ? std::string(name) : absl::StrCat(folder_, "/", name);
}

absl::Status CaseFiles::MakeFolderOnce() {
  if (has_folder_) return absl::OkStatus();
  std::error_code error;
  made_folder_ = !std::filesystem::exists(folder_, error);
  RETURN_IF_ERROR(MakeFolder(folder_));
  has_folder_ = true;
  return absl::OkStatus();
}

absl::Status CaseFiles::RemoveOlder() {
  if (folder_.empty()) return absl::OkStatus();
  const absl::StatusOr<FileContents> verdict = ReadFile(Path("verdict.txt"));
  if (!verdict.ok() || !absl::StartsWith(verdict->data(), "verdict: ")) return absl::OkStatus();
  for (const char* name : kNames) {
    std::error_code error;
    std::filesystem::remove_all(Path(name), error);
    if (!error) continue;
    return absl::PermissionDeniedError(
        absl::StrCat(Path(name), ": cannot remove what an earlier autopsy has left: ", error.message()));
  }
  return absl::OkStatus();
}

absl::Status CaseFiles::WriteVerdict(absl::string_view text) {
  if (folder_.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(MakeFolderOnce());
  return WriteFile(Path("verdict.txt"), text);
}

absl::Status CaseFiles::WriteModule(absl::string_view name, const HloModule& module) {
  if (folder_.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(MakeFolderOnce());
  return WriteFile(Path(name), ModuleToString(module));
}

absl::Status CaseFiles::WriteArrays(absl::string_view name, absl::string_view prefix,
                                    const std::vector<Literal>& values, const ResourceContext* resources) {
  if (folder_.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(MakeFolderOnce());
  ASSIGN_OR_RETURN(const std::unique_ptr<NpzWriter> writer, NpzWriter::Create(Path(name), resources));
  int number = 0;
  for (const Literal& value : values) {
    for (const Literal& leaf : FlattenLeaves(value)) {
      if (leaf.shape().IsArray()) RETURN_IF_ERROR(writer->Add(absl::StrCat(prefix, number++), leaf));
    }
  }
  return writer->Commit();
}

void CaseFiles::Forget() {
  if (!has_folder_) return;
  std::error_code error;
  std::filesystem::remove(Path("verdict.txt"), error);
  if (made_folder_) std::filesystem::remove(folder_, error);
  has_folder_ = false;
}

}  // namespace xla
