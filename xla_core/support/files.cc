#include "xla_core/support/files.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "xla_core/support/machine_memory.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr absl::string_view kStandardStream = "-";

// Codes by what a user can do: another path, other permissions, a valid argument, or more room. Everything else may
// go away if it is tried again.
absl::StatusCode CodeForErrno(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return absl::StatusCode::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::StatusCode::kPermissionDenied;
    case EISDIR:
    case ENAMETOOLONG:
    case EINVAL:
      return absl::StatusCode::kInvalidArgument;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return absl::StatusCode::kResourceExhausted;
    default:
      return absl::StatusCode::kUnavailable;
  }
}

// "out.npz: cannot write: no space left on device"
absl::Status SystemError(absl::string_view path, absl::string_view action, int error) {
  std::string reason = strerror(error);
  reason[0] = absl::ascii_tolower(reason[0]);
  return absl::Status(CodeForErrno(error), absl::StrCat(path, ": cannot ", action, ": ", reason));
}

absl::Status TooLarge(absl::string_view path, int64_t max_bytes) {
  return absl::ResourceExhaustedError(absl::StrCat(path, ": larger than the limit of ", max_bytes, " bytes"));
}

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() {
    if (descriptor_ > STDERR_FILENO) close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

int OpenForReading(const std::string& path) {
  if (path == kStandardStream) return STDIN_FILENO;
  return open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

// read(2) moves at most 2 GiB at once and may be interrupted.
ssize_t ReadSome(int descriptor, char* to, size_t size) {
  constexpr size_t kLargestRead = 1 << 30;
  ssize_t got;
  do {
    got = read(descriptor, to, std::min(size, kLargestRead));
  } while (got < 0 && errno == EINTR);
  return got;
}

// The path with symbolic links resolved, or the path itself while it names nothing yet.
std::string ResolveLinks(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) != nullptr ? std::string(resolved) : path;
}

// A name in the folder of `target` that no other AtomicFile, in this process or another, uses.
std::string TemporaryNameFor(const std::string& target) {
  static std::atomic<int> counter{0};
  const size_t slash = target.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : target.substr(0, slash + 1);
  return absl::StrCat(folder, ".halo-", getpid(), "-", counter.fetch_add(1), ".tmp");
}

}  // namespace

bool FileContents::Resize(size_t size) {
  char* moved = static_cast<char*>(std::realloc(bytes_.get(), std::max<size_t>(size, 1)));
  if (moved == nullptr) return false;
  bytes_.release();
  bytes_.reset(moved);
  size_ = size;
  return true;
}

int64_t DefaultMaxFileBytes() { return MachineMemoryBytes() / 4 * 3; }

// Reads to the end, whatever the size says, and fails above max_bytes before it has read much more. Pipes and files
// in /proc work too.
absl::StatusOr<FileContents> ReadFile(const std::string& path, int64_t max_bytes) {
  const Descriptor file(OpenForReading(path));
  if (file.get() < 0) return SystemError(path, "open", errno);
  struct stat info;
  if (fstat(file.get(), &info) != 0) return SystemError(path, "read", errno);
  if (S_ISDIR(info.st_mode)) return SystemError(path, "read", EISDIR);
  // A size of 0 says nothing in /proc; a file may also grow while it is read. Hence the loop reads until the end.
  const int64_t expected = S_ISREG(info.st_mode) ? info.st_size : 0;
  if (expected > max_bytes) return TooLarge(path, max_bytes);

  constexpr size_t kSmallestBuffer = 1 << 16;
  FileContents contents;
  size_t used = 0;
  // One byte more than expected, so that the read that finds the end needs no larger buffer.
  if (!contents.Resize(expected > 0 ? static_cast<size_t>(expected) + 1 : kSmallestBuffer)) {
    return SystemError(path, "read", ENOMEM);
  }
  while (true) {
    if (used == contents.size_ && !contents.Resize(2 * contents.size_)) return SystemError(path, "read", ENOMEM);
    const ssize_t got = ReadSome(file.get(), contents.bytes_.get() + used, contents.size_ - used);
    if (got < 0) return SystemError(path, "read", errno);
    if (got == 0) break;
    used += static_cast<size_t>(got);
    if (used > static_cast<uint64_t>(std::max<int64_t>(max_bytes, 0))) return TooLarge(path, max_bytes);
  }
  if (!contents.Resize(used)) return SystemError(path, "read", ENOMEM);
  return contents;
}

absl::StatusOr<std::unique_ptr<AtomicFile>> AtomicFile::Create(const std::string& path) {
  if (path.empty()) return absl::InvalidArgumentError("cannot write a file with an empty name");
  std::unique_ptr<AtomicFile> file(new AtomicFile(path));
  file->target_ = ResolveLinks(path);
  struct stat info;
  const bool exists = path != kStandardStream && stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return SystemError(path, "write", EISDIR);
  const bool directly = path == kStandardStream || (exists && !S_ISREG(info.st_mode));
  RETURN_IF_ERROR(directly ? file->OpenDirectly() : file->OpenTemporary());
  // A file that is replaced keeps its permissions; failing that it gets those of a new file, which is no error.
  if (exists && !directly) [[maybe_unused]]
    const int ignored = fchmod(file->descriptor_, info.st_mode & 07777);
  return file;
}

absl::Status AtomicFile::OpenDirectly() {
  descriptor_ = path_ == kStandardStream ? dup(STDOUT_FILENO) : open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  return descriptor_ < 0 ? SystemError(path_, "write", errno) : absl::OkStatus();
}

absl::Status AtomicFile::OpenTemporary() {
  do {
    temporary_ = TemporaryNameFor(target_);
    registration_ = std::make_unique<TemporaryFileRegistration>(temporary_);
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    // The name may be taken: a process of another container can have our number, a dead one may have left a file.
  } while (descriptor_ < 0 && errno == EEXIST);
  return descriptor_ < 0 ? SystemError(path_, "write", errno) : absl::OkStatus();
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

absl::Status AtomicFile::Append(absl::string_view data) {
  while (!data.empty()) {
    const ssize_t written = write(descriptor_, data.data(), data.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SystemError(path_, "write", errno);
    data.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status AtomicFile::Commit() {
  // Some file systems report a full disk only here.
  const int closed = close(std::exchange(descriptor_, -1));
  absl::Status status = closed == 0 ? absl::OkStatus() : SystemError(path_, "write", errno);
  if (temporary_.empty()) return status;
  if (status.ok() && rename(temporary_.c_str(), target_.c_str()) != 0) status = SystemError(path_, "write", errno);
  if (!status.ok()) unlink(temporary_.c_str());
  return status;
}

absl::Status WriteFile(const std::string& path, absl::string_view data) {
  ASSIGN_OR_RETURN(const std::unique_ptr<AtomicFile> file, AtomicFile::Create(path));
  RETURN_IF_ERROR(file->Append(data));
  return file->Commit();
}

}  // namespace xla
