// Container: the members of a model, which is a folder, a tar archive of it (optionally gzip compressed), or the bare
// description. Source: NNEF 1.0.4, section 5.1.
#ifndef BUILDERS_NNEF1_CONTAINERS_CONTAINER_H_
#define BUILDERS_NNEF1_CONTAINERS_CONTAINER_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {
namespace nnef1 {

// Names of members with a meaning.
inline constexpr absl::string_view kDescriptionMember = "graph.nnef";
inline constexpr absl::string_view kQuantizationMember = "graph.quant";
inline constexpr absl::string_view kTensorFileSuffix = ".dat";

// Members are named by their paths in the model, with `/` between folders. Errors are of class E0 and name the
// member.
class Container {
 public:
  virtual ~Container() = default;

  // The name for messages.
  const std::string& name() const { return name_; }
  // A member for messages: "model/conv1/filter.dat".
  virtual std::string NameOf(absl::string_view member) const;
  // Only the description is there, and no data can be: structure, nothing to run.
  virtual bool is_bare_description() const { return false; }

  // Whether there is something of this name; "conv1/filter.dat" is in the folder conv1. It may turn out unreadable.
  virtual bool Has(absl::string_view member) const = 0;
  // Names of members, folders left out: all of them, sorted, or `limit` of them.
  virtual std::vector<std::string> Members(int64_t limit = std::numeric_limits<int64_t>::max()) const = 0;
  // The size of a member in bytes. Errors: E0 if it is absent or cannot be read.
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
  explicit Container(std::string name) : name_(std::move(name)) {}

  absl::Status NoSuchMember(absl::string_view member) const;
  // E0 unless begin..begin+size is within a member of `member_size` bytes.
  absl::Status CheckRange(absl::string_view member, int64_t begin, int64_t size, int64_t member_size) const;

 private:
  std::string name_;
};

// Whether what is at `path` looks like an NNEF 1 model: a folder with graph.nnef, an archive that holds one, or a text
// that begins with `version 1.` (comments and blanks before it allowed). Reads little of it.
bool LooksLikeNnef1(const std::string& path);

// The same for an archive or a description that is in memory.
bool LooksLikeNnef1InMemory(absl::string_view contents);

// The most that the members of a compressed archive may hold together: three quarters of the machine's memory.
int64_t DefaultMaxContainerBytes();

// Detects by content. Errors (E0): names with `..` or that are absolute, links and devices in an archive, links that
// lead out of a folder, names that occur twice, damaged or cut archives, more than `max_inflated_bytes` in a compressed
// one. A member that is neither description, quantisation file nor tensor file is listed, but of a compressed archive
// its contents are not kept. Reaching a limit of `resources`, which may be nullptr, is an error of its own; what an
// archive inflates to must fit into the memory that they leave.
absl::StatusOr<std::unique_ptr<Container>> OpenContainer(const std::string& path,
                                                         int64_t max_inflated_bytes = DefaultMaxContainerBytes(),
                                                         const ResourceContext* resources = nullptr);

// The same for an archive or a bare description that is in memory; `contents` outlives the container.
absl::StatusOr<std::unique_ptr<Container>> OpenContainerInMemory(
    absl::string_view contents, const std::string& name, int64_t max_inflated_bytes = DefaultMaxContainerBytes(),
    const ResourceContext* resources = nullptr);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_CONTAINERS_CONTAINER_H_
