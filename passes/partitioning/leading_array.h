// Which array of an instruction has its way where several are cut differently.
#ifndef PASSES_PARTITIONING_LEADING_ARRAY_H_
#define PASSES_PARTITIONING_LEADING_ARRAY_H_

#include <cstdint>
#include <vector>

#include "passes/partitioning/reshard_plan.h"
#include "passes/partitioning/sharding_graph.h"

namespace xla {

// The arrays of a link, that first for whose tiling the fewest bytes are moved, weighed by `cost`: of operands until
// they are cut so, of results until they are as is known, and to add up sums. An operand that several products need
// cut so is moved once, and each pays its part of that: activations are gathered rather than three weights. All others
// follow by size, the largest first, and so do several that cost the same. Of arrays that are not cut yet nothing is
// known, and nothing is moved. Asks at most 8 arrays, the largest that are cut, and 16 other products of an operand.
std::vector<const ShardingGraph::Array*> LeadingArrayFirst(const ShardingGraph::Link& link, const ShardingGraph& graph,
                                                           int64_t devices, const ByteCost& cost);

}  // namespace xla

#endif  // PASSES_PARTITIONING_LEADING_ARRAY_H_
