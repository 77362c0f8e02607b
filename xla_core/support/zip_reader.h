// Zip archives (what .npz files are), read entry by entry. Opening reads the archive's directory alone; what an entry
// holds is inflated front to back and no further than it is asked for, so that a small archive cannot fill memory.
#ifndef XLA_CORE_SUPPORT_ZIP_READER_H_
#define XLA_CORE_SUPPORT_ZIP_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla {

// An entry as the directory describes it.
struct ZipEntry {
  std::string name;  // relative, with '/', never leading out of the archive; in UTF-8 unless the archive is old
  int64_t size = 0;  // of the contents, which may turn out damaged
  uint32_t checksum = 0;
  bool is_deflated = false;
  absl::string_view stored;  // the bytes in the archive
};

// Whether an entry may have this name: a relative path that does not lead out of the archive.
bool IsZipEntryName(absl::string_view name);

// The files in the zip archive `bytes`, in the order of its directory; folders are left out. There may be none. The
// entries refer to `bytes`.
// Errors, which begin with `archive_name`: InvalidArgument for what is no zip archive, is truncated, encrypted,
// compressed in another way than by deflate, names an entry twice or with a path that leads outside, or announces more
// than so many bytes can inflate to.
absl::StatusOr<std::vector<ZipEntry>> ReadZipDirectory(absl::string_view bytes, absl::string_view archive_name);

// The contents of an entry, which outlives it, from front to back.
class ZipEntryReader {
 public:
  explicit ZipEntryReader(const ZipEntry& entry);
  ~ZipEntryReader();
  ZipEntryReader(const ZipEntryReader&) = delete;
  ZipEntryReader& operator=(const ZipEntryReader&) = delete;

  // Bytes that have not been read yet, by what the directory says.
  int64_t remaining() const { return remaining_; }
  // The next `count` bytes. InvalidArgument if they are not there or are damaged; with the last one the end and the
  // checksum of the entry are checked.
  absl::Status Read(int64_t count, char* to);

 private:
  struct Inflater;

  absl::Status Inflate(int64_t count, char* to);
  absl::Status CheckEnd();

  const ZipEntry& entry_;
  int64_t remaining_;
  uint32_t checksum_ = 0;
  std::unique_ptr<Inflater> inflater_;  // nullptr if the entry is stored as it is
};

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_ZIP_READER_H_
