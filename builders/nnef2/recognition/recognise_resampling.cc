// Linear maps along dimensions, whose weights are known: resampling by linear interpolation.
//
//   y[|f * i + j - p|,k] += x[|i - 1 <> 0 : n - 1|,k] * w(j)         up-sampling by a factor
//   y[i,k] += x[|int(floor(r(i))) + j <> 0 : n - 1|,k] * w(i, j)     to any size
//
// The loops fall into groups that no index, guard or factor has in common. Each group is about one dimension of x and
// one of y: either a loop that counts through both, or a matrix of weights, y = W x along the dimension, whose elements
// are found by going through the iterations.
#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "builders/nnef2/recognition/axis_weights.h"
#include "builders/nnef2/recognition/known_values.h"
#include "builders/nnef2/recognition/recognisers.h"

namespace xla {
namespace nnef2 {
namespace {

using Kind = NestNode::Kind;

constexpr size_t kMaxFactors = 64;

// What one group of loops does.
struct AxisMap {
  std::vector<int> loops;  // rising
  int64_t source = -1;     // the dimension of what is loaded
  int64_t target = -1;     // the dimension of the target
  std::vector<const NestNode*> factors;
  std::vector<const NestGuard*> guards;
  Weights weights;  // empty: the dimension stays as it is
};

// The factors of a product of reals; false: they are too many.
bool FactorsOf(const NestNode& node, std::vector<const NestNode*>* factors) {
  if (node.kind == Kind::kBinary && node.op == Operator::kMultiply && node.type == BaseType::kReal) {
    return FactorsOf(*node.operands[0], factors) && FactorsOf(*node.operands[1], factors);
  }
  factors->push_back(&node);
  return factors->size() <= kMaxFactors;
}

// Which loops go together.
class LoopGroups {
 public:
  explicit LoopGroups(size_t num_loops) {
    for (size_t i = 0; i < num_loops; ++i) group_.push_back(static_cast<int>(i));
  }

  // All loops of the node are one group.
  void Join(const NestNode& node) {
    for (const int loop : node.loops) {
      const int group = group_[loop];
      std::replace(group_.begin(), group_.end(), group, group_[node.loops[0]]);
    }
  }
  // -1: it depends on no loop.
  int GroupOf(const NestNode& node) const { return node.loops.empty() ? -1 : group_[node.loops[0]]; }
  int GroupOf(int loop) const { return group_[loop]; }

 private:
  std::vector<int> group_;  // by loop
};

class ResamplingMatcher {
 public:
  ResamplingMatcher(const NestLowering& lowering, const StatementNest& nest) : lowering_(lowering), nest_(nest) {}

  bool Match() {
    if (!FindLoad() || !SortIntoGroups()) return false;
    bool has_weights = false;
    for (AxisMap& map : maps_) {
      if (IsPlain(map)) continue;
      if (!FindWeights(&map)) return false;
      has_weights = true;
    }
    return has_weights;
  }

  const NestNode& load() const { return *load_; }
  const std::vector<AxisMap>& maps() const { return maps_; }

 private:
  bool FindLoad() {
    std::vector<const NestNode*> factors;
    if (!FactorsOf(*nest_.values[0], &factors)) return false;
    for (const NestNode* const factor : factors) {
      if (factor->kind != Kind::kLoad) {
        factors_.push_back(factor);
      } else if (load_ == nullptr && factor->item == nullptr && factor->tensors.size() == 1) {
        load_ = factor;
      } else {
        return false;
      }
    }
    return load_ != nullptr;
  }

  AxisMap* MapOf(int group) {
    const auto found = std::find_if(maps_.begin(), maps_.end(),
                                    [&](const AxisMap& map) { return groups_.GroupOf(map.loops[0]) == group; });
    return found == maps_.end() ? nullptr : &*found;
  }

  bool SortIntoGroups() {
    for (const NestNode* const index : load_->operands) groups_.Join(*index);
    for (const NestNode* const index : nest_.indices) groups_.Join(*index);
    for (const NestNode* const factor : factors_) groups_.Join(*factor);
    for (const NestGuard& guard : nest_.guards) groups_.Join(*guard.index);
    for (int i = 0; i < static_cast<int>(nest_.loops.size()); ++i) {
      AxisMap* map = MapOf(groups_.GroupOf(i));
      if (map == nullptr) map = &*maps_.insert(maps_.end(), AxisMap());
      map->loops.push_back(i);
    }
    for (size_t d = 0; d < load_->operands.size(); ++d) {
      if (!SetDimension(*load_->operands[d], d, &AxisMap::source)) return false;
    }
    for (size_t d = 0; d < nest_.indices.size(); ++d) {
      if (!SetDimension(*nest_.indices[d], d, &AxisMap::target)) return false;
    }
    for (const AxisMap& map : maps_) {
      if (map.source < 0 || map.target < 0) return false;
    }
    return SortFactors();
  }

  bool SetDimension(const NestNode& index, size_t d, int64_t AxisMap::*dimension) {
    AxisMap* const map = MapOf(groups_.GroupOf(index));
    if (map == nullptr || map->*dimension >= 0) return false;
    map->*dimension = static_cast<int64_t>(d);
    return true;
  }

  bool SortFactors() {
    for (const NestNode* const factor : factors_) {
      AxisMap* const map = MapOf(groups_.GroupOf(*factor));
      if (map == nullptr) return false;
      map->factors.push_back(factor);
    }
    for (const NestGuard& guard : nest_.guards) {
      AxisMap* const map = MapOf(groups_.GroupOf(*guard.index));
      if (map == nullptr || !guard.extent->is_known()) return false;
      map->guards.push_back(&guard);
    }
    return true;
  }

  const Scalar& SourceExtent(const AxisMap& map) const {
    return lowering_.tensor(load_->tensors[0]).shape[static_cast<size_t>(map.source)];
  }
  const Scalar& TargetExtent(const AxisMap& map) const {
    return lowering_.tensor(nest_.targets[0]).shape[static_cast<size_t>(map.target)];
  }

  // A loop that counts through both dimensions.
  bool IsPlain(const AxisMap& map) const {
    const Scalar& extent = nest_.loops[map.loops[0]].extent;
    return map.loops.size() == 1 && map.factors.empty() && map.guards.empty() &&
           load_->operands[static_cast<size_t>(map.source)]->is_loop(map.loops[0]) &&
           nest_.indices[static_cast<size_t>(map.target)]->is_loop(map.loops[0]) && SourceExtent(map) == extent &&
           TargetExtent(map) == extent;
  }

  // The weights of a dimension; none if they leave it as it is.
  bool FindWeights(AxisMap* map) {
    if (SourceExtent(*map).kind != Scalar::Kind::kInt || TargetExtent(*map).kind != Scalar::Kind::kInt) return false;
    KnownValues known(nest_, map->loops, lowering_.TypeOf(BaseType::kReal));
    if (known.count() < 0) return false;
    const std::vector<double>* const source = known.ValuesOf(*load_->operands[static_cast<size_t>(map->source)]);
    const std::vector<double>* const target = known.ValuesOf(*nest_.indices[static_cast<size_t>(map->target)]);
    if (source == nullptr || target == nullptr) return false;
    std::vector<const std::vector<double>*> factors, guards;
    for (const NestNode* const factor : map->factors) factors.push_back(known.ValuesOf(*factor));
    for (const NestGuard* const guard : map->guards) guards.push_back(known.ValuesOf(*guard->index));
    if (std::count(factors.begin(), factors.end(), nullptr) + std::count(guards.begin(), guards.end(), nullptr) > 0) {
      return false;
    }
    const int64_t source_extent = SourceExtent(*map).integer, target_extent = TargetExtent(*map).integer;
    map->weights.resize(static_cast<size_t>(target_extent));
    for (size_t i = 0; i < static_cast<size_t>(known.count()); ++i) {
      bool takes_place = true;
      for (size_t g = 0; g < guards.size(); ++g) {
        const double extent = static_cast<double>(map->guards[g]->extent->scalar.integer);
        takes_place = takes_place && (*guards[g])[i] >= 0 && (*guards[g])[i] < extent;
      }
      if (!takes_place) continue;
      const auto from = static_cast<int64_t>((*source)[i]), to = static_cast<int64_t>((*target)[i]);
      if (from < 0 || from >= source_extent || to < 0 || to >= target_extent) return false;
      double weight = 1;
      for (const std::vector<double>* const factor : factors) weight *= (*factor)[i];
      if (weight != 0) map->weights[static_cast<size_t>(to)][from] += weight;
    }
    return IsWorthwhile(map, source_extent);
  }

  // Whether elements are weighted and added up: scales, slices and plain sums are for others. Drops weights that leave
  // the dimension as it is.
  static bool IsWorthwhile(AxisMap* map, int64_t source_extent) {
    size_t most = 0;
    bool is_identity = static_cast<int64_t>(map->weights.size()) == source_extent;
    for (size_t to = 0; to < map->weights.size(); ++to) {
      const std::map<int64_t, double>& row = map->weights[to];
      most = std::max(most, row.size());
      is_identity =
          is_identity && row.size() == 1 && row.begin()->first == static_cast<int64_t>(to) && row.begin()->second == 1;
    }
    if (is_identity) map->weights.clear();
    if (map->factors.empty() && !is_identity) return false;
    return is_identity || (most > 1 && CanMapAlong(map->weights, source_extent));
  }

  const NestLowering& lowering_;
  const StatementNest& nest_;
  LoopGroups groups_{nest_.loops.size()};
  const NestNode* load_ = nullptr;
  std::vector<const NestNode*> factors_;  // the others
  std::vector<AxisMap> maps_;
};

}  // namespace

XlaOp RecogniseResampling(NestLowering& lowering, const StatementNest& nest, StartValue start) {
  if (nest.op != Operator::kAdd || nest.type != BaseType::kReal || nest.condition != nullptr ||
      nest.targets.size() != 1 || nest.target_item != nullptr || nest.indices.empty()) {
    return XlaOp();
  }
  ResamplingMatcher matcher(lowering, nest);
  if (!matcher.Match()) return XlaOp();
  const PrimitiveType type = lowering.TypeOf(nest.type);
  XlaOp x = ConvertTo(lowering.Array(matcher.load().tensors[0]), SumType(type));
  std::vector<int64_t> order(nest.indices.size());
  for (size_t d = 0; d < order.size(); ++d) {
    const auto map = std::find_if(matcher.maps().begin(), matcher.maps().end(),
                                  [&](const AxisMap& m) { return m.source == static_cast<int64_t>(d); });
    if (!map->weights.empty()) x = MapAlong(x, map->weights, map->source);
    order[static_cast<size_t>(map->target)] = map->source;
  }
  return AddToStart(lowering, nest, std::move(start), ConvertTo(TransposeTo(x, order), type));
}

}  // namespace nnef2
}  // namespace xla
