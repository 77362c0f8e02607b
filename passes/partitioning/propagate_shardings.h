// The pass propagate-shardings.
#ifndef PASSES_PARTITIONING_PROPAGATE_SHARDINGS_H_
#define PASSES_PARTITIONING_PROPAGATE_SHARDINGS_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "passes/partitioning/reshard_plan.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Annotates values that have no sharding with one that follows from those of their operands and users; `partitions` is
// the number of devices, 0, the default: leaves the program as it is.
//   before: p = f32[8,4] parameter(0), sharding={devices=[2,1]<=[2]}  n = f32[8,4] negate(p)
//   after:  n = f32[8,4] negate(p), sharding={devices=[2,1]<=[2]}
// What the program says stays, and so do its parameters and results without a sharding, which are whole. First what
// moves elements or works on each takes the sharding of its neighbors, then results of products that of their operands,
// then operands that of results and of each other. Where arrays of an instruction differ, one of them has its way, and
// then the others as far as devices are left: the one for which the fewest bytes are moved, of several the largest, of
// several the first. Runs before partition.
absl::StatusOr<bool> PropagateShardings(HloModule& module, PassContext& context);

// Where the sharding of an instruction comes from: nullptr if it is written in the program, else the instruction by
// whose rule it follows from that of others. What is not here has none.
using ShardingOrigins = absl::flat_hash_map<const HloInstruction*, const HloInstruction*>;
ShardingOrigins WrittenShardings(const HloModule& module);

// The pass, for so many devices; adds to `origins` unless it is nullptr. `cost` weighs the bytes that are moved.
absl::StatusOr<bool> PropagateShardingsOver(int64_t devices, HloModule& module, PassContext& context,
                                            ShardingOrigins* origins, const ByteCost& cost = nullptr);

}  // namespace xla

#endif  // PASSES_PARTITIONING_PROPAGATE_SHARDINGS_H_
