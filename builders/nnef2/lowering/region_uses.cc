#include "builders/nnef2/lowering/region_uses.h"

#include <utility>

namespace xla {
namespace nnef2 {
namespace {

template <typename Visit>
void ForEachRegion(const ComposedOperation& operation, const Visit& visit) {
  if (operation.branch != nullptr) {
    for (const ComposedRegion& region : operation.branch->conditions) visit(region);
    for (const ComposedRegion& region : operation.branch->consequents) visit(region);
  }
  if (operation.loop != nullptr) {
    if (operation.loop->condition.has_value()) visit(*operation.loop->condition);
    visit(operation.loop->body);
  }
}

}  // namespace

// --- uses ---

void RegionUsesOf::Add(const Scalar& extent, RegionUses* uses) {
  if (extent.kind != Scalar::Kind::kSymbolic) return;
  ForEachSymbol(extent.symbolic, [&](const Symbolic* symbol) { uses->symbols.insert(symbol->id); });
}

void RegionUsesOf::AddTensor(int tensor, RegionUses* uses) {
  if (!uses->tensors.insert(tensor).second) return;
  for (const Scalar& extent : graph_.tensors[tensor].shape) Add(extent, uses);
  for (const Scalar& value : graph_.tensors[tensor].values) Add(value, uses);
}

void RegionUsesOf::Add(const Value& value, RegionUses* uses) {
  if (value.is_null) return;
  for (const Scalar& item : value.items) {
    if (item.kind == Scalar::Kind::kTensor) AddTensor(static_cast<int>(item.integer), uses);
  }
  if (value.length != nullptr) Add(Scalar::Of(value.length), uses);
}

const std::set<int>& RegionUsesOf::SymbolsOf(const BoundOperator& bound) {
  const auto inserted = symbols_.emplace(&bound, std::set<int>());
  if (!inserted.second) return inserted.first->second;
  RegionUses uses;
  for (const auto& name : bound.scope.values) {
    for (const Scalar& item : name.second.items) Add(item, &uses);
    if (name.second.length != nullptr) Add(Scalar::Of(name.second.length), &uses);
  }
  return inserted.first->second = std::move(uses.symbols);
}

void RegionUsesOf::Add(const ComposedRegion& region, RegionUses* uses) {
  for (const ComposedOperation& operation : region.operations) {
    for (const Value& input : operation.inputs) Add(input, uses);
    for (const Value& output : operation.outputs) Add(output, uses);
    for (const auto& tensor : operation.tensors) Add(tensor.second, uses);
    if (operation.bound != nullptr) {
      const std::set<int>& symbols = SymbolsOf(*operation.bound);
      uses->symbols.insert(symbols.begin(), symbols.end());
    }
    if (operation.branch != nullptr) Add(*operation.branch, uses);
    if (operation.loop != nullptr) Add(*operation.loop, uses);
  }
  for (const Value& result : region.results) Add(result, uses);
}

void RegionUsesOf::Add(const ComposedBranch& branch, RegionUses* uses) {
  for (const ComposedRegion& region : branch.conditions) Add(region, uses);
  for (const ComposedRegion& region : branch.consequents) Add(region, uses);
}

void RegionUsesOf::Add(const ComposedLoop& loop, RegionUses* uses) {
  for (const ComposedLoop::Carried& carried : loop.carried) AddTensor(carried.initial, uses);
  for (const ComposedLoop::Scan& scan : loop.scans) Add(scan.pack, uses);
  if (loop.count_tensor.has_value()) AddTensor(*loop.count_tensor, uses);
  if (loop.condition.has_value()) Add(*loop.condition, uses);
  Add(loop.body, uses);
}

// --- checks ---

RegionChecks::RegionChecks(const ComposedGraph& graph) : graph_(graph) {
  for (const RunTimeCheck& check : graph.checks) checks_.push_back({&check, nullptr});
  Visit(nullptr, graph.operations, 0);
  for (int i = 0; i < static_cast<int>(graph.checks.size()); ++i) {
    // The innermost region that one of its extents belongs to.
    Place place;
    ForEachSymbol(graph.checks[i].condition, [&](const Symbolic* symbol) {
      const auto found = symbols_.find(symbol->id);
      if (found != symbols_.end() && found->second.depth > place.depth) place = found->second;
    });
    own_[place.region].push_back(i);
  }
}

void RegionChecks::Define(const Value& values, const ComposedRegion* region, int depth) {
  const auto define = [&](const Symbolic* symbol) { symbols_.emplace(symbol->id, Place{region, depth}); };
  if (values.length != nullptr) ForEachSymbol(values.length, define);
  for (const Scalar& item : values.items) {
    for (const Scalar& extent : graph_.tensors[item.integer].shape) {
      if (extent.kind == Scalar::Kind::kSymbolic) ForEachSymbol(extent.symbolic, define);
    }
  }
}

void RegionChecks::Visit(const ComposedRegion* region, const std::vector<ComposedOperation>& operations, int depth) {
  // What is known before comes first, and keeps its place.
  if (region == nullptr) {
    for (const Value& input : graph_.inputs) Define(input, region, depth);
  }
  for (const ComposedOperation& operation : operations) {
    for (const Value& output : operation.outputs) {
      if (!output.is_null) Define(output, region, depth);
    }
    if (operation.loop != nullptr && operation.loop->count_tensor.has_value() && !operation.loop->scans.empty()) {
      of_loops_.emplace(&operation, size());
      checks_.push_back({nullptr, &operation});
    }
    ForEachRegion(operation, [&](const ComposedRegion& inner) { Visit(&inner, inner.operations, depth + 1); });
  }
}

const std::vector<int>& RegionChecks::Own(const ComposedRegion* region) const {
  static const auto* const none = new std::vector<int>();
  const auto found = own_.find(region);
  return found == own_.end() ? *none : found->second;
}

int RegionChecks::OfLoop(const ComposedOperation& loop) const {
  const auto found = of_loops_.find(&loop);
  return found == of_loops_.end() ? -1 : found->second;
}

void RegionChecks::AppendWithin(const ComposedRegion& region, std::vector<int>* checks) const {
  const std::vector<int>& own = Own(&region);
  checks->insert(checks->end(), own.begin(), own.end());
  for (const ComposedOperation& operation : region.operations) {
    if (OfLoop(operation) >= 0) checks->push_back(OfLoop(operation));
    ForEachRegion(operation, [&](const ComposedRegion& inner) { AppendWithin(inner, checks); });
  }
}

std::vector<int> RegionChecks::Within(const ComposedOperation& operation) const {
  std::vector<int> checks;
  ForEachRegion(operation, [&](const ComposedRegion& inner) { AppendWithin(inner, &checks); });
  return checks;
}

}  // namespace nnef2
}  // namespace xla
