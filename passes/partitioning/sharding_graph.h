// ShardingGraph: which arrays of a program may be cut together.
//
// A *place* stands for leaves that are one array, or become one, and so are cut alike: an element of a tuple and what
// was put into it, the state of a loop, an argument and a parameter. A *link* is an instruction with a factor rule: the
// places of its operands and results, and which of their dimensions belong to one factor.
//
//   a = f32[8,4] add(p, q)        a link of the places of p, q and a with the factors {0,1} in each
//   t = (f32[8,4]) tuple(a)       no link: t{0} has the same place as a
//
// A place is *fixed* if the program says how it is cut: nothing else is decided about it.
#ifndef PASSES_PARTITIONING_SHARDING_GRAPH_H_
#define PASSES_PARTITIONING_SHARDING_GRAPH_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "passes/partitioning/annotated_shardings.h"
#include "passes/partitioning/array_tiling.h"
#include "passes/partitioning/computation_roles.h"
#include "passes/partitioning/factor_rule.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

class ShardingGraph {
 public:
  struct Place {
    ArrayTiling tiling;
    DimensionTiling manual;  // of the scope that it is cut in
    bool is_fixed = false;
    const HloInstruction* origin = nullptr;  // by whose rule it was cut first; of a place that is fixed, nullptr
    const Shape* shape = nullptr;
    int64_t bytes = 0;       // of the array
    std::vector<int> links;  // ascending
  };
  struct Array {
    int place = 0;
    std::vector<int> factors;  // by dimension
    bool is_result = false;
  };
  struct Link {
    const HloInstruction* instruction = nullptr;
    std::vector<FactorRule::Factor> factors;
    std::vector<Array> arrays;
    bool is_product = false;  // it has factors that are reduced
  };

  // The module, its annotations and roles outlive it.
  static absl::StatusOr<ShardingGraph> Of(const HloModule& module, const AnnotatedShardings& shardings,
                                          const ComputationRoles& roles);

  std::vector<Place>& places() { return places_; }
  const std::vector<Place>& places() const { return places_; }
  const std::vector<Link>& links() const { return links_; }
  // The place of a leaf of the instruction's result; -1 for what is not partitioned.
  int PlaceOf(const HloInstruction& instruction, int64_t leaf) const;

 private:
  friend class ShardingGraphBuilder;

  std::vector<Place> places_;
  std::vector<Link> links_;
  absl::flat_hash_map<const HloInstruction*, int> first_node_;
  std::vector<int> place_of_node_;
};

}  // namespace xla

#endif  // PASSES_PARTITIONING_SHARDING_GRAPH_H_
