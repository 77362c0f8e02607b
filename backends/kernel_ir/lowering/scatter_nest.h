// Nests of scatter.
//
// Updates of one element are combined in their order by one tile, which may be that of some columns of all windows.
// Where every element gets many of them, by a function that takes them in any order, several tiles combine a part of
// the updates each into a copy of the array of its own, and another phase combines the copies. Extrema of floats are
// found there by keys.
#ifndef BACKENDS_KERNEL_IR_LOWERING_SCATTER_NEST_H_
#define BACKENDS_KERNEL_IR_LOWERING_SCATTER_NEST_H_

#include <vector>

#include "absl/types/optional.h"
#include "backends/kernel_ir/lowering/element_emitter.h"
#include "backends/kernel_ir/lowering/extremum_keys.h"
#include "backends/kernel_ir/lowering/kernel_reducer.h"
#include "backends/kernel_ir/lowering/lowering.h"

namespace xla {

// The plan of the copies, if any. One copy holds `stride` elements of `type`; all of them are one workspace of
// elements().
struct ScatterCopies {
  int64_t chunks = 0;  // of the updates, each of this many blocks; 0: there are no copies
  int64_t blocks = 0;
  int64_t ways = 1;    // copies of a chunk, to which its updates go in turn
  int64_t stride = 0;  // from one copy to the next: the array's elements, and one for what is out of range
  int buffer = -1;     // where they are
  PrimitiveType type = PRIMITIVE_TYPE_INVALID;  // that of the array, or of what stands for its elements
  absl::optional<ExtremumKeys> keys;            // what does

  int64_t elements() const { return chunks * ways * stride; }
};

ScatterCopies PlanScatterCopies(const HloInstruction& scatter, const SumOrder& order);

// Combines the updates into `buffers`, which hold the arrays in the layouts of `shapes`, one after the other in the
// order of their indices; those of one window at the same time.
void WriteScatter(const ArrayNode& scatter, const std::vector<Shape>& shapes, const std::vector<int>& buffers,
                  const ScatterCopies& copies, const LoweringTarget& target, ElementEmitter& emitter);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_SCATTER_NEST_H_
