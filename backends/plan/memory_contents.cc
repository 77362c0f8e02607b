#include "backends/plan/memory_contents.h"

#include <algorithm>
#include <iterator>

namespace xla {
namespace {

bool Has(const MemoryContents::Values& values, MemoryContents::Value value) {
  return std::binary_search(values.begin(), values.end(), value);
}

}  // namespace

bool MemoryContents::Holds(int64_t begin, int64_t end, Value value) const {
  while (begin < end) {
    auto range = ranges_.upper_bound(begin);
    if (range == ranges_.begin()) return false;
    --range;
    if (range->second.end <= begin || !Has(range->second.values, value)) return false;
    begin = range->second.end;
  }
  return true;
}

MemoryContents::Values MemoryContents::ValuesInsteadOf(int64_t begin, int64_t end, Value value) const {
  while (begin < end) {
    auto range = ranges_.upper_bound(begin);
    if (range == ranges_.begin()) return {};
    --range;
    if (range->second.end <= begin) return {};
    if (!Has(range->second.values, value)) return range->second.values;
    begin = range->second.end;
  }
  return {};
}

void MemoryContents::SplitAt(int64_t at) {
  auto range = ranges_.lower_bound(at);
  if (range == ranges_.begin()) return;
  --range;
  if (range->second.end <= at) return;
  const int64_t end = range->second.end;
  range->second.end = at;
  ranges_.emplace_hint(std::next(range), at, Range{end, range->second.values});
}

std::pair<MemoryContents::Ranges::iterator, MemoryContents::Ranges::iterator> MemoryContents::Within(int64_t begin,
                                                                                                     int64_t end) {
  if (begin >= end) return {ranges_.end(), ranges_.end()};
  SplitAt(begin);
  SplitAt(end);
  return {ranges_.lower_bound(begin), ranges_.lower_bound(end)};
}

void MemoryContents::Erase(int64_t begin, int64_t end) {
  const auto [first, last] = Within(begin, end);
  ranges_.erase(first, last);
}

void MemoryContents::Write(int64_t begin, int64_t end, Value value) {
  if (begin >= end) return;
  Erase(begin, end);
  ranges_[begin] = {end, {value}};
}

void MemoryContents::AddName(int64_t begin, int64_t end, Value value) {
  const auto [first, last] = Within(begin, end);
  for (auto range = first; range != last; ++range) {
    Values& values = range->second.values;
    const auto place = std::lower_bound(values.begin(), values.end(), value);
    if (place == values.end() || *place != value) values.insert(place, value);
  }
}

void MemoryContents::RemoveName(int64_t begin, int64_t end, Value value) {
  const auto [first, last] = Within(begin, end);
  for (auto range = first; range != last;) {
    Values& values = range->second.values;
    const auto place = std::lower_bound(values.begin(), values.end(), value);
    if (place != values.end() && *place == value) values.erase(place);
    range = values.empty() ? ranges_.erase(range) : std::next(range);
  }
}

// Leaves, in each byte range, the values that are there by both ways that lead here. Returns whether anything was
// lost, which the walk over loops needs to know when it may stop.
bool MemoryContents::MeetWith(const MemoryContents& other) {
  bool changed = false;
  Ranges met;
  for (const auto& [begin, range] : ranges_) {
    int64_t kept = 0;  // bytes
    auto theirs = other.ranges_.upper_bound(begin);
    if (theirs != other.ranges_.begin()) --theirs;
    for (; theirs != other.ranges_.end() && theirs->first < range.end; ++theirs) {
      const int64_t from = std::max(begin, theirs->first);
      const int64_t to = std::min(range.end, theirs->second.end);
      if (from >= to) continue;
      Values both;
      std::set_intersection(range.values.begin(), range.values.end(), theirs->second.values.begin(),
                            theirs->second.values.end(), std::back_inserter(both));
      if (both.size() == range.values.size()) kept += to - from;
      if (!both.empty()) met[from] = {to, std::move(both)};
    }
    changed = changed || kept < range.end - begin;
  }
  ranges_ = std::move(met);
  return changed;
}

}  // namespace xla
