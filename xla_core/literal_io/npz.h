// Archives of arrays: .npz files, which are zip files of .npy files.
#ifndef XLA_CORE_LITERAL_IO_NPZ_H_
#define XLA_CORE_LITERAL_IO_NPZ_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_core/support/files.h"
#include "xla_core/support/zip_archive.h"
#include "xla_core/types/literal.h"

namespace xla {

// The arrays of an archive, read one at a time when asked for.
class NpzReader {
 public:
  // Errors: those of ReadZipFile; InvalidArgument for an entry that is no .npy file.
  static absl::StatusOr<NpzReader> Open(const std::string& path);
  // The archive in `bytes`; `name` stands for it in messages.
  static absl::StatusOr<NpzReader> FromBytes(absl::string_view bytes, absl::string_view name);

  const std::string& path() const { return path_; }
  int size() const { return static_cast<int>(entries_.size()); }
  // Without the ".npy".
  absl::string_view array_name(int i) const;
  // Position of the array of this name; -1 if there is none.
  int Find(absl::string_view array_name) const;
  // As ReadNpy and ReadNpyAs.
  absl::StatusOr<Literal> Read(int i) const;
  absl::StatusOr<Literal> ReadAs(int i, const Shape& wanted) const;
  // Sorts arrays whose names are a common word and a number ("arr_0", "out12", "r1_out3") by their numbers, so that the
  // order of the archive's entries does not matter. Other archives stay as they are.
  void SortByNumber();

 private:
  NpzReader(std::string path, std::vector<ZipEntry> entries) : path_(std::move(path)), entries_(std::move(entries)) {}
  static absl::StatusOr<NpzReader> Make(std::string path, std::vector<ZipEntry> entries);
  std::string NameInMessages(int i) const;

  std::string path_;
  std::vector<ZipEntry> entries_;
};

// Writes an archive that appears under its name only when Commit has succeeded.
class NpzWriter {
 public:
  static absl::StatusOr<std::unique_ptr<NpzWriter>> Create(const std::string& path);

  absl::Status Add(absl::string_view array_name, const Literal& array);
  absl::Status Commit();

 private:
  explicit NpzWriter(std::unique_ptr<AtomicFile> file);

  std::unique_ptr<AtomicFile> file_;
  ZipWriter zip_;
};

}  // namespace xla

#endif  // XLA_CORE_LITERAL_IO_NPZ_H_
