// What regions take from around them, and which extents and checks are theirs.
#ifndef BUILDERS_NNEF2_LOWERING_REGION_USES_H_
#define BUILDERS_NNEF2_LOWERING_REGION_USES_H_

#include <functional>
#include <set>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "builders/nnef2/composition/composed_graph.h"

namespace xla {
namespace nnef2 {

// Tensors and symbols that are mentioned somewhere, also those that a region makes itself. In order, so that modules
// come out the same each time.
struct RegionUses {
  std::set<int> tensors;
  std::set<int> symbols;  // by id
};

class RegionUsesOf {
 public:
  explicit RegionUsesOf(const ComposedGraph& graph) : graph_(graph) {}

  void Add(const ComposedRegion& region, RegionUses* uses);
  void Add(const Value& value, RegionUses* uses);
  void AddTensor(int tensor, RegionUses* uses);
  void Add(const ComposedLoop& loop, RegionUses* uses);
  void Add(const ComposedBranch& branch, RegionUses* uses);
  void Add(const Scalar& extent, RegionUses* uses);

 private:
  const std::set<int>& SymbolsOf(const BoundOperator& bound);

  const ComposedGraph& graph_;
  absl::flat_hash_map<const BoundOperator*, std::set<int>> symbols_;
};

// A check at run time: one of the graph's, or that the count of a loop is not above the number of tensors that it
// scans.
struct RegionCheck {
  const RunTimeCheck* check = nullptr;  // nullptr: of a loop
  const ComposedOperation* loop = nullptr;
};

// The checks of a graph by the region in which they can be made; nullptr is the graph itself.
class RegionChecks {
 public:
  explicit RegionChecks(const ComposedGraph& graph);

  // Numbers of checks.
  const RegionCheck& check(int number) const { return checks_[number]; }
  int size() const { return static_cast<int>(checks_.size()); }
  // Those whose extents the region itself makes.
  const std::vector<int>& Own(const ComposedRegion* region) const;
  // That of a loop; -1: there is none.
  int OfLoop(const ComposedOperation& loop) const;
  // Those of all regions within an operation, and its own.
  std::vector<int> Within(const ComposedOperation& operation) const;

 private:
  void Visit(const ComposedRegion* region, const std::vector<ComposedOperation>& operations, int depth);
  void Define(const Value& values, const ComposedRegion* region, int depth);
  void AppendWithin(const ComposedRegion& region, std::vector<int>* checks) const;

  struct Place {
    const ComposedRegion* region = nullptr;
    int depth = 0;
  };
  const ComposedGraph& graph_;
  std::vector<RegionCheck> checks_;
  absl::flat_hash_map<int, Place> symbols_;  // where each gets its value
  absl::flat_hash_map<const ComposedRegion*, std::vector<int>> own_;
  absl::flat_hash_map<const ComposedOperation*, int> of_loops_;
};

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_LOWERING_REGION_USES_H_
