// Container: the members of a model, which is a folder, a tar archive of it (optionally gzip compressed), or the bare
// description. Source: NNEF 1.0.4, section 5.1; NNEF 2 has the same containers.
#ifndef BUILDERS_NNEF_COMMON_CONTAINERS_CONTAINER_H_
#define BUILDERS_NNEF_COMMON_CONTAINERS_CONTAINER_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/nnef_common/model_format.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {
namespace nnef {

// Members are named by their paths in the model, with `/` between folders. Errors are the format's container errors and
// name the member.
class Container {
 public:
  virtual ~Container() = default;

  // The name for messages.
  const std::string& name() const { return name_; }
  const ModelFormat& format() const { return format_; }
  // A member for messages: "model/conv1/filter.dat".
  virtual std::string NameOf(absl::string_view member) const;
  // Only the description is there, and no data can be: structure, nothing to run.
  virtual bool is_bare_description() const { return false; }

  // Whether there is something of this name; "conv1/filter.dat" is in the folder conv1. It may turn out unreadable.
  virtual bool Has(absl::string_view member) const = 0;
  // Names of members, folders left out: all of them, sorted, or `limit` of them.
  virtual std::vector<std::string> Members(int64_t limit = std::numeric_limits<int64_t>::max()) const = 0;
  // The size of a member in bytes. Errors: it is absent or cannot be read.
  virtual absl::StatusOr<int64_t> SizeOf(absl::string_view member) const = 0;
  // Reads bytes begin..begin+size of a member into `destination`, so that large tensors are read into place. Errors as
  // SizeOf, and if the member ends before.
  virtual absl::Status Read(absl::string_view member, int64_t begin, int64_t size, char* destination) const = 0;
  // The bytes from `begin` on as the elements of an array of `shape`, which they are as they stand. They are in memory
  // once: read into place, or shared with the container where it holds them. Errors as Read; ResourceExhausted.
  virtual absl::StatusOr<Literal> ReadArray(absl::string_view member, int64_t begin, const Shape& shape) const;
  // A whole member, of at most `max_bytes`.
  absl::StatusOr<std::string> ReadAll(absl::string_view member, int64_t max_bytes) const;

 protected:
  // `format` outlives the container.
  Container(std::string name, const ModelFormat& format) : name_(std::move(name)), format_(format) {}

  absl::Status NoSuchMember(absl::string_view member) const;
  // An error unless begin..begin+size is within a member of `member_size` bytes.
  absl::Status CheckRange(absl::string_view member, int64_t begin, int64_t size, int64_t member_size) const;

 private:
  std::string name_;
  const ModelFormat& format_;
};

// Whether what is at `path` looks like a model of the format: a folder with its description, an archive that holds one,
// or a text that begins as a description does. Reads little of it.
bool LooksLikeModel(const std::string& path, const ModelFormat& format);

// The same for an archive or a description that is in memory.
bool LooksLikeModelInMemory(absl::string_view contents, const ModelFormat& format);

// The most that the members of a compressed archive may hold together: three quarters of the machine's memory.
int64_t DefaultMaxContainerBytes();

// Detects by content. Errors: names with `..` or that are absolute, links and devices in an archive, links that
// lead out of a folder, names that occur twice, damaged or cut archives, more than `max_inflated_bytes` in a compressed
// one. A member that is not kept (ModelFormat) is listed, but a compressed archive does not have its contents. Reaching
// a limit of `resources`, which may be nullptr, is an error of its own; what an archive inflates to must fit into the
// memory that they leave.
absl::StatusOr<std::unique_ptr<Container>> OpenContainer(const std::string& path, const ModelFormat& format,
                                                         int64_t max_inflated_bytes = DefaultMaxContainerBytes(),
                                                         const ResourceContext* resources = nullptr);

// The same for an archive or a bare description that is in memory; `contents` outlives the container.
absl::StatusOr<std::unique_ptr<Container>> OpenContainerInMemory(
    absl::string_view contents, const std::string& name, const ModelFormat& format,
    int64_t max_inflated_bytes = DefaultMaxContainerBytes(), const ResourceContext* resources = nullptr);

}  // namespace nnef
}  // namespace xla

#endif  // BUILDERS_NNEF_COMMON_CONTAINERS_CONTAINER_H_
