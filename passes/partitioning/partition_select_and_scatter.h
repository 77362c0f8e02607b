// Select-and-scatters whose windows move over dimensions that are cut.
#ifndef PASSES_PARTITIONING_PARTITION_SELECT_AND_SCATTER_H_
#define PASSES_PARTITIONING_PARTITION_SELECT_AND_SCATTER_H_

#include <vector>

#include "passes/partitioning/array_tiling.h"
#include "passes/partitioning/scatter_tiles.h"
#include "passes/partitioning/shard_emitter.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

struct CutScatter {
  int dimension = 0;
  DimensionTiling tiling;
  ScatterTiles tiles;
};

// Returns what takes the place of the instruction, whose operands and result are shards already: a select-and-scatter
// of what the device needs of its neighbours too, of which its own rows are kept, or a conditional that chooses one
// where devices need several forms. `operands` are the tilings of the operand and the source.
HloInstruction* SelectAndScatterShards(const HloInstruction& instruction, const std::vector<ArrayTiling>& operands,
                                       const std::vector<CutScatter>& cuts, ShardEmitter& emitter);

}  // namespace xla

#endif  // PASSES_PARTITIONING_PARTITION_SELECT_AND_SCATTER_H_
