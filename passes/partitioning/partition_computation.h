// Partitions one global computation, or the boundaries of manual bodies in a manual body.
#ifndef PASSES_PARTITIONING_PARTITION_COMPUTATION_H_
#define PASSES_PARTITIONING_PARTITION_COMPUTATION_H_

#include "absl/status/status.h"
#include "passes/base/pass_context.h"
#include "passes/partitioning/annotated_shardings.h"
#include "passes/partitioning/computation_roles.h"
#include "passes/partitioning/shard_emitter.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Rewrites the instructions of the computation, in their order, to work on shards. Each is cut as its annotation says,
// where it has a factor rule, and its operands are resharded for that; whatever has no rule is computed from whole
// arrays, on each device. Names stay. The computation is untidy afterwards.
// Unimplemented: an instruction that has an effect outside of the program, or meets other devices.
absl::Status PartitionComputation(HloComputation& computation, const ComputationRoles& roles,
                                  const AnnotatedShardings& shardings, PartitionedProgram& program,
                                  PassContext& context);

// Takes the custom calls that only say a sharding out of a computation that is not global.
void RemoveShardingConstraints(HloComputation& computation);

}  // namespace xla

#endif  // PASSES_PARTITIONING_PARTITION_COMPUTATION_H_
