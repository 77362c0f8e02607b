// The part of rng-bit-generator's numbers that a shard holds.
#ifndef PASSES_PARTITIONING_PARTITION_RANDOM_BITS_H_
#define PASSES_PARTITIONING_PARTITION_RANDOM_BITS_H_

#include "passes/partitioning/array_tiling.h"
#include "passes/partitioning/shard_emitter.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// Each number follows from a counter, and which counter from the number's place in the whole array. So each device
// runs the rounds on the counters of its shard, and its numbers are those that the whole program draws:
//
//   u32[4,8] by Philox, four numbers for a counter, in 2 tiles along dimension 1
//     counters of device 0: 0 2 4 6     of device 1: 1 3 5 7     the state goes on by 8 on both
//
// RandomBitFactors (factor_rule.h) allows the tilings that give all numbers of a counter to one shard. `whole` is the
// shape of the result, of which the bits are cut by `tiling`. Returns what takes the place of the instruction, whose
// operand is whole.
HloInstruction* DrawBitsOfShard(const HloInstruction& instruction, const Shape& whole, const ArrayTiling& tiling,
                                ShardEmitter& emitter);

}  // namespace xla

#endif  // PASSES_PARTITIONING_PARTITION_RANDOM_BITS_H_
