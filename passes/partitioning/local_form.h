// The form of an instruction on shards.
#ifndef PASSES_PARTITIONING_LOCAL_FORM_H_
#define PASSES_PARTITIONING_LOCAL_FORM_H_

#include <vector>

#include "passes/partitioning/array_tiling.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// Gives the instruction, whose operands are shards already, the shapes of the shards of its results, and the sizes
// among its attributes that follow from them. The numbers of an iota begin at 0 on each device. `whole` are the
// shapes of the operands before.
void MakeLocal(HloInstruction& instruction, const std::vector<ArrayTiling>& results, const std::vector<Shape>& whole);

// The shape of what is sharded, with its layouts. One tiling for each leaf.
Shape ShardShapeOfLeaves(const Shape& shape, const std::vector<ArrayTiling>& leaves);

}  // namespace xla

#endif  // PASSES_PARTITIONING_LOCAL_FORM_H_
