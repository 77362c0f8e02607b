// TarReader: the entries of a tar archive, through libarchive.
#ifndef BUILDERS_NNEF_COMMON_CONTAINERS_TAR_READER_H_
#define BUILDERS_NNEF_COMMON_CONTAINERS_TAR_READER_H_

#include <archive.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace xla {
namespace nnef {

// Where libarchive takes the bytes of the tar archive from.
class TarStream {
 public:
  virtual ~TarStream() = default;
  // The next bytes; none at the end.
  virtual absl::StatusOr<absl::string_view> Next() = 0;
  // Passes over up to `bytes`, and says how many.
  virtual int64_t Skip(int64_t bytes) = 0;
};

// The entries of a tar archive, one after the other.
class TarReader {
 public:
  struct Entry {
    std::string name;  // normalised; empty for the archive's own folder
    bool is_folder = false;
    int64_t size = 0;
    int64_t offset = 0;  // of its contents in the tar archive
  };

  explicit TarReader(std::unique_ptr<TarStream> stream);

  // nullopt at the end.
  absl::StatusOr<absl::optional<Entry>> Next();
  // The contents of the entry that Next gave last, all of them, once.
  absl::Status ReadContents(int64_t size, char* destination);
  // Reads on to the end of the stream, where its checksum is.
  absl::Status Drain();

 private:
  struct Free {
    void operator()(archive* reader) const { archive_read_free(reader); }
  };

  static la_ssize_t Read(archive* reader, void* self, const void** buffer);
  static la_int64_t Skip(archive*, void* self, la_int64_t bytes);

  absl::Status Failure() const;

  std::unique_ptr<TarStream> stream_;
  absl::Status stream_status_;  // that there is no libarchive, or its first error, which that would reduce to a number
  std::unique_ptr<archive, Free> reader_;
  int open_result_ = ARCHIVE_FATAL;
};

}  // namespace nnef
}  // namespace xla

#endif  // BUILDERS_NNEF_COMMON_CONTAINERS_TAR_READER_H_
