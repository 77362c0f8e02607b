// Gathers, slices and updates at run time, of an array that is cut along a dimension that indices reach.
#ifndef PASSES_PARTITIONING_PARTITION_GATHER_H_
#define PASSES_PARTITIONING_PARTITION_GATHER_H_

#include <vector>

#include "passes/partitioning/array_tiling.h"
#include "passes/partitioning/shard_emitter.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/types/literal.h"

namespace xla {

// A dimension of the array of which a slice has one element.
struct IndexedDimension {
  int part = 0;  // of an index, or the number of the start
  DimensionTiling tiling;
};

// Each device looks up what its shard has, and gives `neutral` for the rest, so that the results of all devices can be
// added up:
//
//   gather(f32[6,2] in 2 tiles, {4, 0, 5})    device 0: {-0, row 0, -0}    device 1: {row 1, -0, row 2} of its shard
//
// Indices are clamped to the whole array first, as a gather does it. `instruction` is a gather or a dynamic-slice on
// shards already, apart from its indices, which this replaces; `array` is its operand's shape as a whole. Returns the
// results.
HloInstruction* LookUpInShards(HloInstruction& instruction, const Shape& array,
                               const std::vector<IndexedDimension>& dimensions, const Literal& neutral,
                               ShardEmitter& emitter);

// Lets a dynamic-update-slice on shards, of one element along each of these dimensions, leave shards as they are in
// which its element is not.
void UpdateInShards(HloInstruction& instruction, const Shape& array, const std::vector<IndexedDimension>& dimensions,
                    ShardEmitter& emitter);

}  // namespace xla

#endif  // PASSES_PARTITIONING_PARTITION_GATHER_H_
