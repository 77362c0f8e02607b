// Partitions an instruction that has a factor rule.
#ifndef PASSES_PARTITIONING_PARTITION_BY_RULE_H_
#define PASSES_PARTITIONING_PARTITION_BY_RULE_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "passes/partitioning/factor_rule.h"
#include "passes/partitioning/shard_emitter.h"
#include "passes/partitioning/sharded_values.h"

namespace xla {

// Cuts the factors of the results as `wanted`, those that are added up as an operand is cut if that leaves enough
// devices, and reshards the operands for it. Results that are parts of a sum are added up at once if each device is to
// keep its part, else when they are needed (pending_sum.h). Dimensions that the rule leaves whole are cut again where
// they are used.
//
// A product may be computed in a ring instead (partition_ring.h), a part at a time.
//
// Returns whether something else computes the result, so that the instruction has no use any more.
absl::StatusOr<bool> PartitionByRule(HloInstruction& instruction, const FactorRule& rule, const LeafTilings& wanted,
                                     ShardEmitter& emitter, ShardedValues& values, PassContext& context);

}  // namespace xla

#endif  // PASSES_PARTITIONING_PARTITION_BY_RULE_H_
