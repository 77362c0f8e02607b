#include "passes/partitioning/leading_array.h"

#include <algorithm>
#include <utility>

#include "absl/types/optional.h"

namespace xla {
namespace {

constexpr size_t kMostLeaders = 8;
constexpr int kMostSharers = 16;  // so that the time does not grow with the square of the uses of a value

using Arrays = std::vector<const ShardingGraph::Array*>;

// `array` first, the others as they were.
Arrays LedBy(const ShardingGraph::Array* array, const Arrays& arrays) {
  Arrays order = {array};
  for (const ShardingGraph::Array* other : arrays) {
    if (other != array) order.push_back(other);
  }
  return order;
}

ArrayTiling TilingOf(const ShardingGraph::Array& array, const ArrayTiling& factors) {
  ArrayTiling tiling;
  for (const int factor : array.factors) {
    tiling.push_back(factor == FactorRule::kNone ? DimensionTiling() : factors[static_cast<size_t>(factor)]);
  }
  return tiling;
}

// The arrays of a link, and how its factors are cut if they have their way in some order.
class OrderedLink {
 public:
  OrderedLink(const ShardingGraph::Link& link, const std::vector<ShardingGraph::Place>& places, int64_t devices)
      : link_(link), places_(places), scope_{devices, {}} {
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

  const Arrays& by_size() const { return by_size_; }
  const DeviceScope& scope() const { return scope_; }

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

  // How an operand at `place` has to be cut if the largest of the other arrays that are cut has its way; nullopt if
  // the link is no product of one or has no such array.
  absl::optional<ArrayTiling> NeededByOthers(int place) const {
    const ShardingGraph::Array* operand = nullptr;
    const ShardingGraph::Array* leader = nullptr;
    for (const ShardingGraph::Array* array : by_size_) {
      if (array->place == place && !array->is_result) operand = array;
      const bool can_lead = array->place != place && !IsWhole(places_[array->place].tiling);
      if (leader == nullptr && can_lead) leader = array;
    }
    if (!link_.is_product || operand == nullptr || leader == nullptr) return absl::nullopt;
    return TilingOf(*operand, FactorsBy(LedBy(leader, by_size_)));
  }

 private:
  const ShardingGraph::Link& link_;
  const std::vector<ShardingGraph::Place>& places_;
  DeviceScope scope_;
  Arrays by_size_;
};

class LeaderFinder {
 public:
  LeaderFinder(const ShardingGraph::Link& link, const ShardingGraph& graph, int64_t devices, const ByteCost& cost)
      : link_(link), graph_(graph), places_(graph.places()), ordered_(link, places_, devices), cost_(cost) {}

  Arrays Order() {
    const Arrays& by_size = ordered_.by_size();
    if (ordered_.AllAgree()) return by_size;
    size_t asked = 0;
    double least = 0;
    Arrays best;
    for (const ShardingGraph::Array* leader : by_size) {
      if (IsWhole(places_[leader->place].tiling)) continue;
      Arrays order = LedBy(leader, by_size);
      const double cost = CostOf(ordered_.FactorsBy(order));
      if (best.empty() || cost < least) {
        least = cost;
        best = std::move(order);
      }
      if (++asked == kMostLeaders) break;
    }
    return best;
  }

 private:
  double CostOf(const ArrayTiling& factors) const {
    double cost = 0;
    for (const ShardingGraph::Array& array : link_.arrays) {
      const ShardingGraph::Place& place = places_[array.place];
      const ArrayTiling needed = TilingOf(array, factors);
      if (array.is_result && link_.is_product) cost += CostOfSum(factors, needed, *place.shape);
      if (!place.is_fixed && IsWhole(place.tiling)) continue;
      const DeviceScope scope = {ordered_.scope().devices, place.manual};
      if (array.is_result) {
        cost += ReshardCost(needed, place.tiling, *place.shape, scope, cost_);
      } else if (needed != place.tiling) {
        cost += ReshardCost(place.tiling, needed, *place.shape, scope, cost_) / SharersOf(array.place, needed);
      }
    }
    return cost;
  }

  // How many products need the value at `place` so, this one among them: it is moved once for all.
  int SharersOf(int place, const ArrayTiling& needed) const {
    int sharers = 1, asked = 0;
    for (const int number : places_[place].links) {
      const ShardingGraph::Link& other = graph_.links()[number];
      if (&other == &link_ || !other.is_product) continue;
      const auto wanted = OrderedLink(other, places_, ordered_.scope().devices).NeededByOthers(place);
      if (wanted.has_value() && *wanted == needed) ++sharers;
      if (++asked == kMostSharers) break;
    }
    return sharers;
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
    return cost_ ? moved * cost_(GroupsAlong(factors, terms, ordered_.scope())) : moved;
  }

  const ShardingGraph::Link& link_;
  const ShardingGraph& graph_;
  const std::vector<ShardingGraph::Place>& places_;
  const OrderedLink ordered_;
  const ByteCost& cost_;
};

}  // namespace

std::vector<const ShardingGraph::Array*> LeadingArrayFirst(const ShardingGraph::Link& link, const ShardingGraph& graph,
                                                           int64_t devices, const ByteCost& cost) {
  return LeaderFinder(link, graph, devices, cost).Order();
}

}  // namespace xla
