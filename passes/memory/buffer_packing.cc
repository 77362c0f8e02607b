// Interval colouring with sizes is hard to do best, so some orders are tried and the best result is taken:
//   - largest first: each buffer goes into the smallest gap between those that are placed already and live at a time
//     with it, or above them. What is small fills the gaps that what is large leaves.
//   - the same with size times lifetime, which favours what is in the way for long.
//   - by time, as an allocator at run time would: a list of free gaps. It never looks at pairs of buffers, so that it
//   is
//     what remains when very many are live at once.
#include "passes/memory/buffer_packing.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/resource_poll.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

int64_t Aligned(int64_t bytes) { return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment; }

// Finds which buffers are live at a time with another one. A segment tree over slots: an interval is noted at the few
// nodes that make it up (to be found from a slot within it) and at its first slot (to be found from an interval around
// that).
class IntervalIndex {
 public:
  explicit IntervalIndex(int64_t slots) : leaves_(1) {
    while (leaves_ < slots) leaves_ *= 2;
    spanning_.resize(2 * leaves_);
    starting_.resize(leaves_);
    started_below_.assign(2 * leaves_, 0);
  }

  void Add(const LiveInterval& interval, int64_t buffer) {
    ForEachNode(interval, [&](int64_t node) { spanning_[node].push_back(buffer); });
    starting_[interval.start].push_back(buffer);
    for (int64_t node = interval.start + leaves_; node >= 1; node /= 2) ++started_below_[node];
  }

  // Calls `visit` for each that overlaps, perhaps several times.
  template <typename Visit>
  void ForEachOverlap(const LiveInterval& interval, const Visit& visit) const {
    for (int64_t node = interval.start + leaves_; node >= 1; node /= 2) {
      for (const int64_t buffer : spanning_[node]) visit(buffer);
    }
    ForEachNode(interval, [&](int64_t node) { VisitStarting(node, visit); });
  }

 private:
  template <typename Visit>
  void ForEachNode(const LiveInterval& interval, const Visit& visit) const {
    int64_t low = interval.start + leaves_;
    int64_t high = interval.end + leaves_ + 1;
    for (; low < high; low /= 2, high /= 2) {
      if (low % 2 == 1) visit(low++);
      if (high % 2 == 1) visit(--high);
    }
  }
  template <typename Visit>
  void VisitStarting(int64_t node, const Visit& visit) const {
    std::vector<int64_t> pending = {node};
    while (!pending.empty()) {
      const int64_t next = pending.back();
      pending.pop_back();
      if (started_below_[next] == 0) continue;
      if (next >= leaves_) {
        for (const int64_t buffer : starting_[next - leaves_]) visit(buffer);
      } else {
        pending.push_back(2 * next + 1);
        pending.push_back(2 * next);
      }
    }
  }

  int64_t leaves_;
  std::vector<std::vector<int64_t>> spanning_;
  std::vector<std::vector<int64_t>> starting_;
  std::vector<int64_t> started_below_;
};

class Packer {
 public:
  Packer(absl::Span<const BufferToPack> buffers, int64_t slot_count, const ResourceContext* resources)
      : buffers_(buffers), slot_count_(slot_count), resources_(resources) {
    for (const BufferToPack& buffer : buffers) sizes_.push_back(Aligned(buffer.bytes));
  }

  absl::Status CheckSizes() const {
    int64_t total = 0;
    for (size_t i = 0; i < sizes_.size(); ++i) {
      if (buffers_[i].bytes > INT64_MAX / 4 || !CheckedAdd(total, sizes_[i], &total) || total > INT64_MAX / 2) {
        return absl::ResourceExhaustedError("the buffers of the program take more bytes than 62 bits can count");
      }
    }
    return absl::OkStatus();
  }

  // The most bytes live in one slot: no packing needs less. Sums the changes at interval ends and takes the highest
  // prefix sum.
  int64_t LowerBound() const {
    std::vector<int64_t> change(slot_count_ + 1, 0);
    for (size_t i = 0; i < buffers_.size(); ++i) {
      int64_t covered = -1;  // touching intervals count once
      for (const LiveInterval& interval : buffers_[i].live) {
        const int64_t start = std::max(interval.start, covered + 1);
        if (start > interval.end) continue;
        change[start] += sizes_[i];
        change[interval.end + 1] -= sizes_[i];
        covered = interval.end;
      }
    }
    int64_t live = 0, most = 0;
    for (const int64_t step : change) most = std::max(most, live += step);
    return most;
  }

  // Into the smallest gap, in this order; false if too many buffers are live at once.
  absl::StatusOr<bool> BestFit(const std::vector<int64_t>& order, Packing* packing) const {
    constexpr int64_t kMostOverlaps = 20'000'000;  // well below a second
    ResourcePoll poll(resources_);
    int64_t overlaps = 0;
    IntervalIndex index(slot_count_);
    packing->offsets.assign(buffers_.size(), 0);
    packing->bytes = 0;
    std::vector<int64_t> seen(buffers_.size(), -1);
    std::vector<std::pair<int64_t, int64_t>> taken;  // begin and end
    for (const int64_t buffer : order) {
      if (sizes_[buffer] == 0) continue;
      RETURN_IF_ERROR(poll.Check(1 + static_cast<int64_t>(taken.size())));  // those of the last one
      taken.clear();
      for (const LiveInterval& interval : buffers_[buffer].live) {
        index.ForEachOverlap(interval, [&](int64_t other) {
          ++overlaps;
          if (std::exchange(seen[other], buffer) == buffer) return;
          taken.emplace_back(packing->offsets[other], packing->offsets[other] + sizes_[other]);
        });
      }
      if (overlaps > kMostOverlaps) return false;
      packing->offsets[buffer] = SmallestGap(&taken, sizes_[buffer]);
      packing->bytes = std::max(packing->bytes, packing->offsets[buffer] + sizes_[buffer]);
      for (const LiveInterval& interval : buffers_[buffer].live) index.Add(interval, buffer);
    }
    return true;
  }

  // As an allocator would, from the first to the last slot; gaps in lifetimes are not used.
  absl::Status ByTime(Packing* packing) const {
    ResourcePoll poll(resources_);
    std::vector<std::pair<int64_t, int64_t>> begins, ends;  // slot and buffer
    for (size_t i = 0; i < buffers_.size(); ++i) {
      if (sizes_[i] == 0 || buffers_[i].live.empty()) continue;
      begins.emplace_back(buffers_[i].live.front().start, static_cast<int64_t>(i));
      ends.emplace_back(buffers_[i].live.back().end, static_cast<int64_t>(i));
    }
    std::sort(begins.begin(), begins.end(), [this](const auto& a, const auto& b) {
      if (a.first != b.first) return a.first < b.first;
      if (sizes_[a.second] != sizes_[b.second]) return sizes_[a.second] > sizes_[b.second];
      return a.second < b.second;
    });
    std::sort(ends.begin(), ends.end());
    packing->offsets.assign(buffers_.size(), 0);
    packing->bytes = 0;
    std::map<int64_t, int64_t> free;                           // offset to size
    std::map<std::pair<int64_t, int64_t>, bool> free_by_size;  // size and offset
    const auto add_gap = [&](int64_t offset, int64_t size) {
      free[offset] = size;
      free_by_size[{size, offset}] = true;
    };
    const auto take_gap = [&](std::map<int64_t, int64_t>::iterator gap) {
      free_by_size.erase({gap->second, gap->first});
      free.erase(gap);
    };
    size_t ended = 0;
    for (const auto& [slot, buffer] : begins) {
      RETURN_IF_ERROR(poll.Check());
      for (; ended < ends.size() && ends[ended].first < slot; ++ended) {
        int64_t offset = packing->offsets[ends[ended].second];
        int64_t size = sizes_[ends[ended].second];
        auto next = free.lower_bound(offset);
        if (next != free.end() && next->first == offset + size) {
          size += next->second;
          take_gap(next);
        }
        auto previous = free.lower_bound(offset);
        if (previous != free.begin() && std::prev(previous)->first + std::prev(previous)->second == offset) {
          --previous;
          offset = previous->first;
          size += previous->second;
          take_gap(previous);
        }
        add_gap(offset, size);
      }
      const int64_t size = sizes_[buffer];
      const auto fitting = free_by_size.lower_bound({size, 0});
      if (fitting != free_by_size.end()) {
        const auto [gap_size, offset] = fitting->first;
        packing->offsets[buffer] = offset;
        take_gap(free.find(offset));
        if (gap_size > size) add_gap(offset + size, gap_size - size);
        continue;
      }
      // Above all, using what is free at the top.
      int64_t offset = packing->bytes;
      if (!free.empty() && std::prev(free.end())->first + std::prev(free.end())->second == packing->bytes) {
        offset = std::prev(free.end())->first;
        take_gap(std::prev(free.end()));
      }
      packing->offsets[buffer] = offset;
      packing->bytes = offset + size;
    }
    return absl::OkStatus();
  }

  std::vector<int64_t> LargestFirst() const {
    return Ordered([this](int64_t buffer) { return static_cast<double>(sizes_[buffer]); });
  }
  std::vector<int64_t> LargestTimesLongestFirst() const {
    return Ordered([this](int64_t buffer) {
      double slots = 0;
      for (const LiveInterval& interval : buffers_[buffer].live) {
        slots += static_cast<double>(interval.end - interval.start + 1);
      }
      return static_cast<double>(sizes_[buffer]) * slots;
    });
  }

 private:
  template <typename Weight>
  std::vector<int64_t> Ordered(const Weight& weight) const {
    std::vector<int64_t> order(buffers_.size());
    std::iota(order.begin(), order.end(), int64_t{0});
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return weight(a) > weight(b); });
    return order;
  }

  static int64_t SmallestGap(std::vector<std::pair<int64_t, int64_t>>* taken, int64_t size) {
    std::sort(taken->begin(), taken->end());
    int64_t best = -1, best_size = 0, top = 0;
    for (const auto& [begin, end] : *taken) {
      const int64_t gap = begin - top;
      if (gap >= size && (best < 0 || gap < best_size)) {
        best = top;
        best_size = gap;
      }
      top = std::max(top, end);
    }
    return best >= 0 ? best : top;
  }

  absl::Span<const BufferToPack> buffers_;
  int64_t slot_count_;
  const ResourceContext* const resources_;
  std::vector<int64_t> sizes_;
};

}  // namespace

absl::StatusOr<Packing> PackBuffers(absl::Span<const BufferToPack> buffers, int64_t slot_count,
                                    const ResourceContext* resources) {
  const Packer packer(buffers, slot_count, resources);
  RETURN_IF_ERROR(packer.CheckSizes());
  Packing best;
  RETURN_IF_ERROR(packer.ByTime(&best));
  best.lower_bound = packer.LowerBound();
  for (const auto& order : {packer.LargestFirst(), packer.LargestTimesLongestFirst()}) {
    if (best.bytes == best.lower_bound) break;
    Packing packing;
    ASSIGN_OR_RETURN(const bool fits, packer.BestFit(order, &packing));
    if (!fits) break;
    packing.lower_bound = best.lower_bound;
    if (packing.bytes < best.bytes) best = std::move(packing);
  }
  return best;
}

}  // namespace xla
