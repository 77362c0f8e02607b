#include "builders/nnef2/lowering/index_violations.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "builders/nnef2/evaluation/scalar_operations.h"
#include "builders/nnef2/lowering/node_builder.h"

namespace xla {
namespace nnef2 {
namespace {

// More iterations are not tried, of which one tries up to 2^10 extremes first.
constexpr int64_t kMaxTriedIterations = int64_t{1} << 14;
constexpr size_t kMaxExtremes = 10;
// What is computed from more nodes is not looked at.
constexpr size_t kMaxTriedNodes = 256;

// What must hold in an iteration: a bool, or that an index is in range, or that it is not.
struct Demand {
  const NestNode* node = nullptr;
  const NestNode* extent = nullptr;  // nullptr: there is a limit
  int64_t limit = 0;
  enum class Kind { kHolds, kInside, kOutside } kind = Kind::kHolds;
};

// Demands that share loops with each other, and with no others.
struct DemandGroup {
  std::vector<int> loops;  // rising
  std::vector<Demand> demands;
};

std::vector<int> LoopsOf(const Demand& demand) {
  std::vector<int> loops = demand.node->loops;
  if (demand.extent != nullptr) loops.insert(loops.end(), demand.extent->loops.begin(), demand.extent->loops.end());
  std::sort(loops.begin(), loops.end());
  loops.erase(std::unique(loops.begin(), loops.end()), loops.end());
  return loops;
}

bool Intersect(const std::vector<int>& x, const std::vector<int>& y) {
  return std::any_of(x.begin(), x.end(), [&](int loop) { return std::binary_search(y.begin(), y.end(), loop); });
}

// Puts a demand with those that it shares loops with.
void AddDemand(const Demand& demand, std::vector<DemandGroup>* groups) {
  DemandGroup joined;
  joined.loops = LoopsOf(demand);
  joined.demands = {demand};
  std::vector<DemandGroup> others;
  for (DemandGroup& group : *groups) {
    if (!Intersect(group.loops, joined.loops)) {
      others.push_back(std::move(group));
      continue;
    }
    std::vector<int> loops;
    std::set_union(group.loops.begin(), group.loops.end(), joined.loops.begin(), joined.loops.end(),
                   std::back_inserter(loops));
    joined.loops = std::move(loops);
    joined.demands.insert(joined.demands.end(), group.demands.begin(), group.demands.end());
  }
  others.push_back(std::move(joined));
  *groups = std::move(others);
}

// The values of ints and bools in one iteration after another.
class IterationValues {
 public:
  IterationValues(const DemandGroup& group, SymbolTable* symbols) : symbols_(*symbols) {
    for (const Demand& demand : group.demands) {
      are_known_ = are_known_ && Collect(demand.node) && (demand.extent == nullptr || Collect(demand.extent));
    }
    std::sort(nodes_.begin(), nodes_.end(), [](const NestNode* x, const NestNode* y) { return x->id < y->id; });
    for (size_t i = 0; i < nodes_.size(); ++i) places_[nodes_[i]] = i;
    values_.resize(nodes_.size());
  }

  // Whether only loops decide, and not data, dynamic extents or reals.
  bool are_known() const { return are_known_; }
  size_t size() const { return nodes_.size(); }

  void SetIteration(const std::vector<int>& loops, const std::vector<int64_t>& indices) {
    for (size_t i = 0; i < nodes_.size(); ++i) values_[i] = Compute(*nodes_[i], loops, indices);
  }
  // Unknown: there is none, such as that of a division by zero.
  const Scalar& Of(const NestNode* node) const { return values_[places_.at(node)]; }

 private:
  bool Collect(const NestNode* root) {
    std::vector<const NestNode*> pending = {root};
    while (!pending.empty()) {
      const NestNode* const node = pending.back();
      pending.pop_back();
      if (!places_.emplace(node, 0).second) continue;
      nodes_.push_back(node);
      const bool is_dynamic = node->kind == NestNode::Kind::kScalar && !node->is_known();
      if (is_dynamic || node->kind == NestNode::Kind::kLoad || node->type == BaseType::kReal ||
          nodes_.size() > kMaxTriedNodes) {
        return false;
      }
      pending.insert(pending.end(), node->operands.begin(), node->operands.end());
    }
    return true;
  }

  Scalar Compute(const NestNode& node, const std::vector<int>& loops, const std::vector<int64_t>& indices) const {
    const Scalar unknown;
    Scalar result;
    std::string error;
    switch (node.kind) {
      case NestNode::Kind::kScalar:
        return node.scalar;
      case NestNode::Kind::kLoop:
        return Scalar::Int(indices[std::lower_bound(loops.begin(), loops.end(), node.loop) - loops.begin()]);
      case NestNode::Kind::kUnary:
        return ApplyUnary(symbols_, node.op, Of(node.operands[0]), &result, &error) ? result : unknown;
      case NestNode::Kind::kBinary:
        if (node.operands[0]->type != node.operands[1]->type) return unknown;
        return ApplyBinary(symbols_, node.op, Of(node.operands[0]), Of(node.operands[1]), &result, &error) ? result
                                                                                                           : unknown;
      case NestNode::Kind::kConvert:
        if (!Of(node.operands[0]).is_known()) return unknown;
        return nnef2::Convert(symbols_, Of(node.operands[0]), node.operands[0]->type, node.type);
      case NestNode::Kind::kSelect:
        if (!Of(node.operands[0]).is_known()) return unknown;
        return Of(node.operands[Of(node.operands[0]).integer != 0 ? 1 : 2]);
      case NestNode::Kind::kRemap:
        return ComputeRemap(node);
      case NestNode::Kind::kTable:
        return ComputeTable(node);
      case NestNode::Kind::kBuiltin:
        return ApplyBuiltin(symbols_, node.function, Of(node.operands[0]));
      case NestNode::Kind::kLoad:
        return unknown;
    }
    return unknown;
  }

  Scalar ComputeRemap(const NestNode& node) const {
    const Scalar& index = Of(node.operands[0]);
    if (!index.is_known() || node.scalar.kind != Scalar::Kind::kInt) return Scalar();
    return index.integer < 0                      ? Of(node.operands[1])
           : index.integer >= node.scalar.integer ? Of(node.operands[2])
                                                  : index;
  }

  Scalar ComputeTable(const NestNode& node) const {
    const Scalar& index = Of(node.operands[0]);
    const auto size = static_cast<int64_t>(node.operands.size()) - 1;
    if (!index.is_known() || index.integer < -size || index.integer >= size) return Scalar();
    return Of(node.operands[static_cast<size_t>(index.integer < 0 ? index.integer + size : index.integer) + 1]);
  }

  SymbolTable& symbols_;
  std::vector<const NestNode*> nodes_;  // operands first
  absl::flat_hash_map<const NestNode*, size_t> places_;
  std::vector<Scalar> values_;
  bool are_known_ = true;
};

// Looks for an iteration in which all demands of one group hold.
class IterationSearch {
 public:
  IterationSearch(const StatementNest& nest, const DemandGroup& group, Workspace* workspace)
      : group_(group), workspace_(*workspace), values_(group, &workspace->symbols()) {
    for (const int loop : group.loops) extents_.push_back(LowerBound(nest.loops[loop].extent));
  }

  bool Find() {
    const bool runs = std::all_of(extents_.begin(), extents_.end(), [](int64_t extent) { return extent > 0; });
    if (!runs || !values_.are_known()) return false;
    return FindAmongExtremes() || FindAmongAll();
  }
  const Scalar& ValueOf(const NestNode* node) const { return values_.Of(node); }

 private:
  bool FindAmongExtremes() {
    if (extents_.size() > kMaxExtremes) return false;
    std::vector<int64_t> indices(extents_.size());
    for (unsigned bits = 0; bits < 1u << extents_.size(); ++bits) {
      for (size_t i = 0; i < indices.size(); ++i) indices[i] = (bits >> i & 1) != 0 ? extents_[i] - 1 : 0;
      if (Holds(indices)) return true;
    }
    return false;
  }

  bool FindAmongAll() {
    int64_t count = 1;
    for (const int64_t extent : extents_) {
      if (__builtin_mul_overflow(count, extent, &count) || count > kMaxTriedIterations) return false;
    }
    std::vector<int64_t> indices(extents_.size());
    for (int64_t iteration = 0; iteration < count; ++iteration) {
      int64_t rest = iteration;
      for (size_t i = indices.size(); i > 0; --i) {
        indices[i - 1] = rest % extents_[i - 1];
        rest /= extents_[i - 1];
      }
      if (Holds(indices)) return true;
    }
    return false;
  }

  bool Holds(const std::vector<int64_t>& indices) {
    if (!workspace_.SpendOnIndices(values_.size())) return false;
    values_.SetIteration(group_.loops, indices);
    return std::all_of(group_.demands.begin(), group_.demands.end(),
                       [this](const Demand& demand) { return Holds(demand); });
  }

  bool Holds(const Demand& demand) const {
    const Scalar& value = values_.Of(demand.node);
    if (!value.is_known()) return false;
    if (demand.kind == Demand::Kind::kHolds) return value.integer != 0;
    int64_t extent = demand.limit;
    if (demand.extent != nullptr) {
      const Scalar& limit = values_.Of(demand.extent);
      if (!limit.is_known()) return false;
      extent = limit.integer;
    }
    const bool is_inside = value.integer >= 0 && value.integer < extent;
    return is_inside == (demand.kind == Demand::Kind::kInside);
  }

  const DemandGroup& group_;
  Workspace& workspace_;
  IterationValues values_;
  std::vector<int64_t> extents_;  // which the loops have at least
};

}  // namespace

absl::optional<int64_t> FindViolation(const StatementNest& nest, const UncheckedIndex& unchecked,
                                      Workspace* workspace) {
  const bool all_loops_run = std::all_of(nest.loops.begin(), nest.loops.end(),
                                         [](const NestLoop& loop) { return LowerBound(loop.extent) > 0; });
  if (!all_loops_run) return absl::nullopt;
  std::vector<DemandGroup> groups;
  for (const NestGuard& guard : nest.guards) {
    AddDemand({guard.index, guard.extent, 0, Demand::Kind::kInside}, &groups);
  }
  if (nest.condition != nullptr) AddDemand({nest.condition, nullptr, 0, Demand::Kind::kHolds}, &groups);
  // The last one has the index.
  AddDemand({unchecked.index, nullptr, unchecked.extent, Demand::Kind::kOutside}, &groups);
  absl::optional<int64_t> violation;
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    IterationSearch search(nest, *group, workspace);
    if (!search.Find()) return absl::nullopt;
    if (group == groups.rbegin()) violation = search.ValueOf(unchecked.index).integer;
  }
  return violation;
}

}  // namespace nnef2
}  // namespace xla
