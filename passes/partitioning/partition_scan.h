// Cumulative operations along a dimension that is cut.
#ifndef PASSES_PARTITIONING_PARTITION_SCAN_H_
#define PASSES_PARTITIONING_PARTITION_SCAN_H_

#include <cstdint>

#include "absl/types/optional.h"
#include "passes/partitioning/array_tiling.h"
#include "passes/partitioning/factor_rule.h"
#include "passes/partitioning/shard_emitter.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/types/literal.h"

namespace xla {

// A cumulative operation that gives the same bits in whatever order elements are combined: of integers, or the extremes
// of floats.
absl::optional<CumulativeOperation> FindExactCumulativeOperation(const HloInstruction& reduce_window);

// Each device does it with its own rows, and then combines them with what the shards before it come to, which all
// devices send each other:
//
//   cumulative sum of 1 1 2 | 3 1 1     own 1 2 4 | 3 4 5     totals 4, 5     result 1 2 4 | 7 8 9
//
// The instruction is on shards already, whose tiling is `tiling`, of a dimension with `size` elements as a whole.
// Returns what takes its place.
HloInstruction* ScanShards(const HloInstruction& instruction, const CumulativeOperation& operation, int64_t size,
                           const ArrayTiling& tiling, const Literal& neutral, ShardEmitter& emitter);

}  // namespace xla

#endif  // PASSES_PARTITIONING_PARTITION_SCAN_H_
