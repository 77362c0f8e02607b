#include "backends/vulkan/dependence_groups.h"

#include <algorithm>
#include <iterator>

namespace xla {
namespace vulkan {

void DependenceGroups::SplitAt(Uses& uses, int64_t at) {
  auto use = uses.upper_bound(at);
  if (use == uses.begin()) return;
  --use;
  if (use->first == at || use->second.end <= at) return;
  Use second = use->second;
  use->second.end = at;
  uses.emplace(at, second);
}

std::pair<DependenceGroups::Uses::iterator, DependenceGroups::Uses::iterator> DependenceGroups::Within(
    Uses& uses, const BufferSlice& slice) {
  const int64_t end = slice.offset + slice.bytes;
  SplitAt(uses, slice.offset);
  SplitAt(uses, end);
  int64_t at = slice.offset;
  while (at < end) {
    auto next = uses.lower_bound(at);
    if (next != uses.end() && next->first == at) {
      at = next->second.end;
      continue;
    }
    const int64_t gap_end = next == uses.end() ? end : std::min(end, next->first);
    uses.emplace_hint(next, at, Use{gap_end, 0, 0});
    at = gap_end;
  }
  return {uses.lower_bound(slice.offset), uses.lower_bound(end)};
}

int32_t DependenceGroups::Place(absl::Span<const BufferSlice> reads, absl::Span<const BufferSlice> writes,
                                int32_t length) {
  int32_t group = begin_;
  for (const BufferSlice& slice : reads) {
    const auto [first, last] = Within(bases_[slice.base], slice);
    for (auto use = first; use != last; ++use) group = std::max(group, use->second.may_read);
  }
  for (const BufferSlice& slice : writes) {
    const auto [first, last] = Within(bases_[slice.base], slice);
    for (auto use = first; use != last; ++use) {
      group = std::max({group, use->second.may_read, use->second.may_write});
    }
  }
  const int32_t end = group + length;
  for (const BufferSlice& slice : reads) {
    const auto [first, last] = Within(bases_[slice.base], slice);
    for (auto use = first; use != last; ++use) use->second.may_write = std::max(use->second.may_write, end);
  }
  for (const BufferSlice& slice : writes) {
    const auto [first, last] = Within(bases_[slice.base], slice);
    for (auto use = first; use != last; ++use) use->second.may_read = use->second.may_write = end;
  }
  end_ = std::max(end_, end);
  return group;
}

int32_t DependenceGroups::PlaceAlone(int32_t length) {
  const int32_t group = end_;
  begin_ = end_ = group + length;
  return group;
}

}  // namespace vulkan
}  // namespace xla
