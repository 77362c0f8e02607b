// Zip archives (what .npz files are), read and written through libarchive. Reading puts the entries in memory and
// nothing on disk; a small archive that would inflate to a huge one is refused.
#ifndef XLA_CORE_SUPPORT_ZIP_ARCHIVE_H_
#define XLA_CORE_SUPPORT_ZIP_ARCHIVE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

struct archive;

namespace xla {

// A file of an archive, in memory.
struct ZipEntry {
  std::string name;  // relative, with '/', never leading out of the archive; UTF-8
  std::string contents;
};

// The most that the entries of an archive may hold together: three quarters of the machine's memory.
int64_t DefaultMaxInflatedBytes();

// The files in the zip archive `bytes`, in its order; folders are left out. There may be none.
// Errors, which begin with `archive_name`: InvalidArgument for what is no zip archive, is truncated, encrypted, fails
// its checksum, names an entry twice or with a path that leads outside; ResourceExhausted beyond `max_inflated_bytes`.
absl::StatusOr<std::vector<ZipEntry>> ReadZip(absl::string_view bytes, absl::string_view archive_name,
                                              int64_t max_inflated_bytes = DefaultMaxInflatedBytes());

// ReadZip of the file at `path`; "-" is standard input. Errors: also those of ReadFile.
absl::StatusOr<std::vector<ZipEntry>> ReadZipFile(const std::string& path,
                                                  int64_t max_inflated_bytes = DefaultMaxInflatedBytes());

// Writes an archive piece by piece, so that it is never in memory whole. The entries are stored uncompressed and
// without times: equal contents make equal bytes.
class ZipWriter {
 public:
  using Sink = std::function<absl::Status(absl::string_view)>;

  // `sink` receives the archive's bytes in order, for instance those of an AtomicFile.
  explicit ZipWriter(Sink sink);
  ~ZipWriter();
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

  // Adds the file `name`, which holds `pieces` joined. Errors: the sink's; InvalidArgument for a name that leads
  // outside.
  absl::Status Add(const std::string& name, absl::Span<const absl::string_view> pieces);

  // Writes the archive's directory. To be called last.
  absl::Status Finish();

 private:
  struct State;
  absl::Status Error(absl::string_view action) const;

  std::unique_ptr<State> state_;
};

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_ZIP_ARCHIVE_H_
