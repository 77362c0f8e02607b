// DependenceGroups: which commands of a recording may run at the same time.
//
// Each command is put into the earliest group that comes after the groups of all commands before it in whose memory it
// reads or writes what they write, or writes what they read. Between groups there is a barrier, so that there are as
// few as the longest chain of such commands needs.
//
//   a writes x, b writes y, c reads x and y, d writes z: groups {a, b, d}, {c}
#ifndef BACKENDS_VULKAN_DEPENDENCE_GROUPS_H_
#define BACKENDS_VULKAN_DEPENDENCE_GROUPS_H_

#include <cstdint>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "backends/runtime/buffer_slice.h"

namespace xla {
namespace vulkan {

class DependenceGroups {
 public:
  // The first of `length` groups, one after the other, that the next command takes.
  int32_t Place(absl::Span<const BufferSlice> reads, absl::Span<const BufferSlice> writes, int32_t length = 1);
  // Those of a command that is never in a group with another one.
  int32_t PlaceAlone(int32_t length = 1);

 private:
  // Of bytes: the first group that may read, and the first that may write them.
  struct Use {
    int64_t end = 0;
    int32_t may_read = 0;
    int32_t may_write = 0;
  };
  using Uses = std::map<int64_t, Use>;  // by begin; apart from each other

  static void SplitAt(Uses& uses, int64_t at);
  // Makes the range whole, of uses that end and begin with it, and gives those.
  static std::pair<Uses::iterator, Uses::iterator> Within(Uses& uses, const BufferSlice& slice);

  absl::flat_hash_map<int32_t, Uses> bases_;
  int32_t begin_ = 0;  // of what is placed from now on
  int32_t end_ = 0;    // of all that is placed
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_DEPENDENCE_GROUPS_H_
