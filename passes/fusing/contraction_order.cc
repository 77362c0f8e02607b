#include "passes/fusing/contraction_order.h"

#include <algorithm>
#include <cstddef>

#include "absl/container/flat_hash_set.h"

namespace xla {
namespace {

// Nodes that one search looks at. More lie between nodes that are far apart, whose contraction is rarely worth much.
constexpr size_t kMaxNodes = 400;

}  // namespace

bool ContractionOrder::Search(int start, int end, const Neighbours& next, std::vector<int>* found) const {
  const int low = std::min(labels_[start], labels_[end]);
  const int high = std::max(labels_[start], labels_[end]);
  absl::flat_hash_set<int> seen;
  bool arrived = false;
  const auto visit_from = [&](int node) {
    next(node, [&](int neighbour) {
      if (neighbour == end) {
        arrived = arrived || node != start;
      } else if (labels_[neighbour] > low && labels_[neighbour] < high && seen.insert(neighbour).second) {
        found->push_back(neighbour);
      }
    });
  };
  visit_from(start);
  for (size_t i = 0; i < found->size(); ++i) {
    visit_from((*found)[i]);
    if (arrived || found->size() > kMaxNodes) return false;
  }
  return !arrived;
}

bool ContractionOrder::Contract(int kept, int merged) {
  const int first = labels_[kept] < labels_[merged] ? kept : merged;
  const int last = first == kept ? merged : kept;
  std::vector<int> after, before;
  if (!Search(first, last, successors_, &after) || !Search(last, first, predecessors_, &before)) return false;
  const auto by_label = [this](int a, int b) { return labels_[a] < labels_[b]; };
  std::sort(after.begin(), after.end(), by_label);
  std::sort(before.begin(), before.end(), by_label);

  // What the last one needs comes first, then the one that stands for both, then what needs the first one.
  std::vector<int> free = {labels_[first], labels_[last]};
  for (const int node : after) free.push_back(labels_[node]);
  for (const int node : before) free.push_back(labels_[node]);
  std::sort(free.begin(), free.end());
  for (size_t i = 0; i < before.size(); ++i) labels_[before[i]] = free[i];
  labels_[kept] = free[before.size()];
  for (size_t i = 0; i < after.size(); ++i) labels_[after[after.size() - 1 - i]] = free[free.size() - 1 - i];
  return true;
}

}  // namespace xla
