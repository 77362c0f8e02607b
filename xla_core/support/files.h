// Reading files whole and writing them so that no reader sees half of one.
#ifndef XLA_CORE_SUPPORT_FILES_H_
#define XLA_CORE_SUPPORT_FILES_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_core/support/signals.h"

namespace xla {

// The bytes of a file, in memory. Read rather than mapped: a mapped file that someone shortens meanwhile ends the
// process with a signal.
class FileContents {
 public:
  absl::string_view data() const { return absl::string_view(bytes_.get(), size_); }

 private:
  friend absl::StatusOr<FileContents> ReadFile(const std::string& path, int64_t max_bytes);
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };

  bool Resize(size_t size);

  std::unique_ptr<char, Free> bytes_;  // from malloc, so that growing can move pages instead of copying them
  size_t size_ = 0;
};

// Three quarters of the machine's memory: what is larger cannot be worked with anyway.
int64_t DefaultMaxFileBytes();

// The content of the file at `path`, which may be a pipe or a device; "-" is standard input.
// Errors: NotFound, PermissionDenied, InvalidArgument for a directory, ResourceExhausted beyond `max_bytes` (found out
// before reading where the size is known), Unavailable if the system fails to read. The message begins with the path.
absl::StatusOr<FileContents> ReadFile(const std::string& path, int64_t max_bytes = DefaultMaxFileBytes());

// A file that appears under its name, replacing what was there, only once it is complete: it grows under a temporary
// name in the same folder and is renamed by Commit. Without a Commit (an error, Ctrl-C) the temporary file is removed
// and the old file stays. A symbolic link is followed. "-" (standard output) and what is not a regular file, such as
// /dev/null or a pipe, are written directly.
class AtomicFile {
 public:
  // Errors as WriteFile.
  static absl::StatusOr<std::unique_ptr<AtomicFile>> Create(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  absl::Status Append(absl::string_view data);
  absl::Status Commit();

 private:
  explicit AtomicFile(std::string path) : path_(std::move(path)) {}
  absl::Status OpenTemporary();
  absl::Status OpenDirectly();

  std::string path_;       // as the user wrote it, for messages
  std::string target_;     // where the file will be, links resolved
  std::string temporary_;  // empty when written directly
  std::unique_ptr<TemporaryFileRegistration> registration_;
  int descriptor_ = -1;
};

// Writes `data` to `path` by way of an AtomicFile. Errors: NotFound if the folder does not exist, PermissionDenied,
// InvalidArgument for a directory, ResourceExhausted on a full disk, else Unavailable. The message begins with the
// path.
absl::Status WriteFile(const std::string& path, absl::string_view data);

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_FILES_H_
