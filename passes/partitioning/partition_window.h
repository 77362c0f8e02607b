// The form, on shards, of an instruction that reads operands through windows which are cut.
#ifndef PASSES_PARTITIONING_PARTITION_WINDOW_H_
#define PASSES_PARTITIONING_PARTITION_WINDOW_H_

#include <vector>

#include "passes/partitioning/array_tiling.h"
#include "passes/partitioning/shard_emitter.h"
#include "passes/partitioning/window_tiles.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/types/literal.h"

namespace xla {

// A dimension of the operands that a window moves over.
struct CutWindow {
  int dimension = 0;          // of the operands
  int kernel_dimension = -1;  // of operand 1, if taps are cut
  int number = 0;             // WindowReach::dimension
  DimensionTiling tiling;     // of its outputs or taps
  const WindowTiles* tiles = nullptr;
};

// The operands that are read through windows are the first of the instruction.
int WindowedOperandCount(const HloInstruction& instruction);

// Takes, for an instruction whose operands and result are shards already, the rows that each device needs, and makes it
// work on these. `operands` are the tilings of its operands; along the dimensions of windows they are those of the
// windows, or whole. `neutral` fills rows that do not exist where windows say so; of a pad, what it pads with does.
//
// Returns what computes the shards of the result: the instruction itself, or, if devices need several forms, a
// conditional that chooses one. Then the instruction has no use any more.
HloInstruction* PartitionWindows(HloInstruction& instruction, const std::vector<ArrayTiling>& operands,
                                 const std::vector<CutWindow>& windows, const Literal& neutral, ShardEmitter& emitter);

}  // namespace xla

#endif  // PASSES_PARTITIONING_PARTITION_WINDOW_H_
