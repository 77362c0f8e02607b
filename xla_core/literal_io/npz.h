// Archives of arrays: .npz files, which are zip files of .npy files.
#ifndef XLA_CORE_LITERAL_IO_NPZ_H_
#define XLA_CORE_LITERAL_IO_NPZ_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_core/support/files.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/zip_reader.h"
#include "xla_core/support/zip_writer.h"
#include "xla_core/types/literal.h"

namespace xla {

// The arrays of an archive, read one at a time when asked for: what is not asked for is not inflated.
class NpzReader {
 public:
  // Errors: those of ReadFile and ReadZipDirectory; InvalidArgument for an entry that is no .npy file.
  static absl::StatusOr<NpzReader> Open(const std::string& path);
  // The archive in `file`; `name` stands for it in messages.
  static absl::StatusOr<NpzReader> FromFile(FileContents file, absl::string_view name);
  // The archive in `bytes`, which outlive the reader.
  static absl::StatusOr<NpzReader> FromBytes(absl::string_view bytes, absl::string_view name);

  const std::string& path() const { return path_; }
  int size() const { return static_cast<int>(entries_.size()); }
  // Without the ".npy".
  absl::string_view array_name(int i) const;
  // Position of the array of this name; -1 if there is none.
  int Find(absl::string_view array_name) const;
  // Inflates the header alone. As ShapeInNpy.
  absl::StatusOr<Shape> ShapeOf(int i) const;
  // As ReadNpy and ReadNpyAs; also InvalidArgument for an entry that is longer than its array. An entry whose shape
  // does not fit is inflated no further than its header.
  absl::StatusOr<Literal> Read(int i, MemoryBudget* budget = nullptr, const ResourceContext* resources = nullptr) const;
  absl::StatusOr<Literal> ReadAs(int i, const Shape& wanted, MemoryBudget* budget = nullptr,
                                 const ResourceContext* resources = nullptr) const;
  // Sorts arrays whose names are a common word and a number ("arr_0", "out12", "r1_out3") by their numbers, so that the
  // order of the archive's entries does not matter. Other archives stay as they are.
  void SortByNumber();

 private:
  NpzReader(std::string path, std::vector<ZipEntry> entries) : path_(std::move(path)), entries_(std::move(entries)) {}
  std::string NameInMessages(int i) const;

  std::string path_;
  FileContents file_;  // what the entries refer to; empty if they refer to bytes of the caller's
  std::vector<ZipEntry> entries_;
};

// Writes an archive that appears under its name only when Commit has succeeded.
class NpzWriter {
 public:
  // A limit of `resources`, which may be nullptr and else outlives the writer, makes what comes after it fail.
  static absl::StatusOr<std::unique_ptr<NpzWriter>> Create(const std::string& path,
                                                           const ResourceContext* resources = nullptr);

  absl::Status Add(absl::string_view array_name, const Literal& array);
  absl::Status Commit();

 private:
  NpzWriter(std::unique_ptr<AtomicFile> file, const ResourceContext* resources);

  std::unique_ptr<AtomicFile> file_;
  ZipWriter zip_;
};

}  // namespace xla

#endif  // XLA_CORE_LITERAL_IO_NPZ_H_
