// Reverses along dimensions that are cut.
#ifndef PASSES_PARTITIONING_PARTITION_REVERSE_H_
#define PASSES_PARTITIONING_PARTITION_REVERSE_H_

#include "passes/partitioning/array_tiling.h"
#include "passes/partitioning/shard_emitter.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// The last tile is the first one, and so on.
DimensionTiling Mirrored(const DimensionTiling& tiling);

// How many shards away the farthest row is that a device needs after shards have changed places: see below.
int64_t HopsOfReverse(int64_t size, int64_t tiles);

// The padding of an operand's shards is after its last row, and would be in front of the first one when it is
// reversed. So each device, which has the operand's shard from the other end already, takes rows before that in its
// place:
//
//   reverse(f32[5]) in 2 tiles    operand 0 1 2 | 3 4 -    mirrored 3 4 - | 0 1 2    taken 2 3 4 | - 0 1
//                                 result  4 3 2 | 1 0 -
//
// The instruction is on shards already, whose tiling is `operand`, of `reversed` in the global program; `whole` is the
// shape of the array. Returns how many dimensions needed that.
int AlignReversedRows(HloInstruction& reverse, const HloInstruction& reversed, const Shape& whole,
                      const ArrayTiling& operand, ShardEmitter& emitter);

}  // namespace xla

#endif  // PASSES_PARTITIONING_PARTITION_REVERSE_H_
