#include "builders/nnef_common/containers/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef {
namespace {

class File : public ByteSource {
 public:
  File(int descriptor, int64_t size) : descriptor_(descriptor), size_(size) {}
  ~File() override { close(descriptor_); }

  int64_t size() const override { return size_; }

  absl::StatusOr<int64_t> ReadSome(int64_t begin, int64_t size, char* destination) const override {
    int64_t done = 0;
    while (done < size) {
      const ssize_t got = pread(descriptor_, destination + done, static_cast<size_t>(size - done), begin + done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return absl::UnavailableError(std::strerror(errno));
      if (got == 0) break;
      done += got;
    }
    return done;
  }

 private:
  const int descriptor_;
  const int64_t size_;
};

class Memory : public ByteSource {
 public:
  explicit Memory(absl::string_view contents) : contents_(contents) {}

  int64_t size() const override { return static_cast<int64_t>(contents_.size()); }

  absl::StatusOr<int64_t> ReadSome(int64_t begin, int64_t size, char* destination) const override {
    const int64_t got = std::clamp<int64_t>(this->size() - begin, 0, size);
    if (got > 0) std::memcpy(destination, contents_.data() + begin, static_cast<size_t>(got));
    return got;
  }

 private:
  const absl::string_view contents_;
};

}  // namespace

absl::Status ByteSource::Read(int64_t begin, int64_t size, char* destination) const {
  ASSIGN_OR_RETURN(const int64_t got, ReadSome(begin, size, destination));
  if (got == size) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("expected ", size, " bytes from byte ", begin, " on, got ", got));
}

absl::StatusOr<std::unique_ptr<ByteSource>> OpenFile(const std::string& path) {
  // Opening a pipe would wait for a writer.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) {
    return absl::InvalidArgumentError(absl::StrCat("cannot be opened: ", std::strerror(errno)));
  }
  struct stat status;
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor);
    return absl::InvalidArgumentError("expected a regular file");
  }
  return std::unique_ptr<ByteSource>(std::make_unique<File>(descriptor, status.st_size));
}

std::unique_ptr<ByteSource> BytesInMemory(absl::string_view contents) { return std::make_unique<Memory>(contents); }

}  // namespace nnef
}  // namespace xla
