#include "passes/partitioning/pending_sum.h"

#include <algorithm>

namespace xla {

absl::optional<int> ScatteredDimension(const ArrayTiling& cut, const PendingSum& sum, const ArrayTiling& wanted) {
  if (sum.terms.empty()) return absl::nullopt;
  const bool may_be = std::any_of(wanted.begin(), wanted.end(),
                                  [&](const DimensionTiling& dimension) { return dimension.tiles == sum.count(); });
  if (!may_be) return absl::nullopt;  // without a look at all devices
  // Device i of a group that adds up gets part i of the sum.
  DimensionTiling place;
  for (const DimensionTiling& term : sum.terms) place = Combine(place, term);
  for (size_t k = 0; k < cut.size(); ++k) {
    if (cut[k].is_whole() && wanted[k] == place) return static_cast<int>(k);
  }
  return absl::nullopt;
}

}  // namespace xla
