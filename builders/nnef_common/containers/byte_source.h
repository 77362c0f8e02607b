// ByteSource: what a container is made of, a file or bytes in memory.
#ifndef BUILDERS_NNEF_COMMON_CONTAINERS_BYTE_SOURCE_H_
#define BUILDERS_NNEF_COMMON_CONTAINERS_BYTE_SOURCE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla {
namespace nnef {

// Reading is by position, so that several may read at once. Errors have neither class nor name: the container adds
// them.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  virtual int64_t size() const = 0;
  // Up to `size` bytes from `begin` on, into `destination`; fewer only at the end. Errors: the system's.
  virtual absl::StatusOr<int64_t> ReadSome(int64_t begin, int64_t size, char* destination) const = 0;

  // Exactly `size` bytes. Errors: also if there are fewer.
  absl::Status Read(int64_t begin, int64_t size, char* destination) const;
};

// A regular file. Read rather than mapped: a mapped file that someone shortens meanwhile ends the process with a
// signal. Errors: it cannot be opened, or is no regular file.
absl::StatusOr<std::unique_ptr<ByteSource>> OpenFile(const std::string& path);

// `contents` outlives the source.
std::unique_ptr<ByteSource> BytesInMemory(absl::string_view contents);

}  // namespace nnef
}  // namespace xla

#endif  // BUILDERS_NNEF_COMMON_CONTAINERS_BYTE_SOURCE_H_
