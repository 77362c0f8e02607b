// Concatenations whose result is cut along their dimension.
#ifndef PASSES_PARTITIONING_PARTITION_CONCATENATION_H_
#define PASSES_PARTITIONING_PARTITION_CONCATENATION_H_

#include <cstdint>

#include "absl/status/status.h"
#include "passes/base/pass_context.h"
#include "passes/partitioning/array_tiling.h"
#include "passes/partitioning/shard_emitter.h"
#include "passes/partitioning/sharded_values.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// Whether this is one, of arrays of known sizes, whose result is wanted cut so.
bool IsCutConcatenation(const HloInstruction& instruction, const ArrayTiling& wanted, const ShardedValues& values);

// A shard of the result has rows of several operands. Each device takes from each operand as many rows as a shard has,
// those that lie in its place, and selects by the index of a row whose it is:
//
//   concatenate(f32[3] a, f32[5] b) in 2 tiles of 4     tile 0: a0 a1 a2 b0     tile 1: b1 b2 b3 b4
//
// The instruction, which IsCutConcatenation, has no use any more then.
absl::Status PartitionConcatenation(const HloInstruction& instruction, const ArrayTiling& wanted, ShardEmitter& emitter,
                                    ShardedValues& values, PassContext& context);

}  // namespace xla

#endif  // PASSES_PARTITIONING_PARTITION_CONCATENATION_H_
