#include "passes/partitioning/leading_array.h"

#include <algorithm>

namespace xla {
namespace {

constexpr size_t kMostLeaders = 8;

using Arrays = std::vector<const ShardingGraph::Array*>;

class LeaderFinder {
 public:
  LeaderFinder(const ShardingGraph::Link& link, const std::vector<ShardingGraph::Place>& places, int64_t devices,
               const ByteCost& cost)
      : link_(link), places_(places), scope_{devices, {}}, cost_(cost) {
    for (const ShardingGraph::Array& array : link.arrays) {
      by_size_.push_back(&array);
      // A link from a body to what is around it: what both can have.
      const DimensionTiling& manual = places[array.place].manual;
      if (manual.tiles > scope_.manual.tiles) scope_.manual = manual;
    }
    std::stable_sort(by_size_.begin(), by_size_.end(),
                     [&](const ShardingGraph::Array* a, const ShardingGraph::Array* b) {
                       return places[a->place].bytes > places[b->place].bytes;
                     });
  }

  Arrays Order() {
    if (AllAgree()) return by_size_;
    size_t asked = 0;
    double least = 0;
    Arrays best;
    for (const ShardingGraph::Array* leader : by_size_) {
      if (IsWhole(places_[leader->place].tiling)) continue;
      Arrays order = {leader};
      for (const ShardingGraph::Array* other : by_size_) {
        if (other != leader) order.push_back(other);
      }
      const double cost = CostOf(FactorsBy(order));
      if (best.empty() || cost < least) {
        least = cost;
        best = std::move(order);
      }
      if (++asked == kMostLeaders) break;
    }
    return best;
  }

 private:
  // Whether no factor is cut in two ways, and devices are not wanted for two factors. Usual, and found quickly.
  bool AllAgree() const {
    ArrayTiling factors(link_.factors.size());
    for (const ShardingGraph::Array* array : by_size_) {
      const ArrayTiling& tiling = places_[array->place].tiling;
      for (size_t k = 0; k < array->factors.size(); ++k) {
        if (tiling[k].is_whole() || array->factors[k] == FactorRule::kNone) continue;
        DimensionTiling& factor = factors[static_cast<size_t>(array->factors[k])];
        if (factor.is_whole()) factor = tiling[k];
        if (factor != tiling[k]) return false;
      }
    }
    return IsEven(factors, scope_);
  }

  // How factors are cut if arrays have their way one after the other.
  ArrayTiling FactorsBy(const Arrays& order) const {
    ArrayTiling factors(link_.factors.size());
    for (const ShardingGraph::Array* array : order) {
      const ArrayTiling& tiling = places_[array->place].tiling;
      for (size_t k = 0; k < array->factors.size(); ++k) {
        const int number = array->factors[k];
        if (tiling[k].is_whole() || number == FactorRule::kNone) continue;
        DimensionTiling& factor = factors[static_cast<size_t>(number)];
        if (!factor.is_whole() || !link_.factors[static_cast<size_t>(number)].Allows(tiling[k])) continue;
        factor = tiling[k];
        if (!IsEven(factors, scope_)) factor = DimensionTiling();
      }
    }
    return factors;
  }

  double CostOf(const ArrayTiling& factors) const {
    double cost = 0;
    for (const ShardingGraph::Array& array : link_.arrays) {
      const ShardingGraph::Place& place = places_[array.place];
      ArrayTiling needed;
      for (const int factor : array.factors) {
        needed.push_back(factor == FactorRule::kNone ? DimensionTiling() : factors[static_cast<size_t>(factor)]);
      }
      if (array.is_result && link_.is_product) cost += CostOfSum(factors, needed, *place.shape);
      if (!place.is_fixed && IsWhole(place.tiling)) continue;
      const DeviceScope scope = {scope_.devices, place.manual};
      cost += array.is_result ? ReshardCost(needed, place.tiling, *place.shape, scope, cost_)
                              : ReshardCost(place.tiling, needed, *place.shape, scope, cost_);
    }
    return cost;
  }

  // Of an all-reduce, unless no factor is cut along which terms are added.
  double CostOfSum(const ArrayTiling& factors, const ArrayTiling& result, const Shape& shape) const {
    std::vector<int64_t> terms;
    int64_t count = 1;
    for (size_t f = 0; f < factors.size(); ++f) {
      if (!link_.factors[f].is_reduced || factors[f].is_whole()) continue;
      terms.push_back(static_cast<int64_t>(f));
      count *= factors[f].tiles;
    }
    if (terms.empty()) return 0;
    const int64_t bytes = ShardShape(shape, result).ByteSize();
    const double moved = 2 * static_cast<double>(bytes - bytes / count);
    return cost_ ? moved * cost_(GroupsAlong(factors, terms, scope_)) : moved;
  }

  const ShardingGraph::Link& link_;
  const std::vector<ShardingGraph::Place>& places_;
  DeviceScope scope_;
  const ByteCost& cost_;
  Arrays by_size_;
};

}  // namespace

std::vector<const ShardingGraph::Array*> LeadingArrayFirst(const ShardingGraph::Link& link,
                                                           const std::vector<ShardingGraph::Place>& places,
                                                           int64_t devices, const ByteCost& cost) {
  return LeaderFinder(link, places, devices, cost).Order();
}

}  // namespace xla
