#include "passes/partitioning/pending_sum.h"

#include <algorithm>
#include <numeric>

namespace xla {

absl::optional<int> ScatteredDimension(const ArrayTiling& cut, const PendingSum& sum, const ArrayTiling& wanted,
                                       const DeviceScope& scope) {
  if (sum.terms.empty()) return absl::nullopt;
  const bool may_be = std::any_of(wanted.begin(), wanted.end(),
                                  [&](const DimensionTiling& dimension) { return dimension.tiles == sum.count(); });
  if (!may_be) return absl::nullopt;  // without a look at all devices
  ArrayTiling all = cut;
  all.insert(all.end(), sum.terms.begin(), sum.terms.end());
  std::vector<int64_t> along(sum.terms.size());
  std::iota(along.begin(), along.end(), static_cast<int64_t>(cut.size()));
  const std::vector<std::vector<int64_t>> groups = GroupsAlong(all, along, scope);
  for (size_t k = 0; k < cut.size(); ++k) {
    if (!cut[k].is_whole() || wanted[k].tiles != static_cast<int64_t>(groups[0].size())) continue;
    const bool is_in_order = std::all_of(groups.begin(), groups.end(), [&](const std::vector<int64_t>& group) {
      for (size_t i = 0; i < group.size(); ++i) {
        if (wanted[k].CoordinateOf(group[i]) != static_cast<int64_t>(i)) return false;
      }
      return true;
    });
    if (is_in_order) return static_cast<int>(k);
  }
  return absl::nullopt;
}

}  // namespace xla
