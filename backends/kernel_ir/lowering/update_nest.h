// Nests that write into an array that is there already: the update of a dynamic-update-slice, and scatter.
#ifndef BACKENDS_KERNEL_IR_LOWERING_UPDATE_NEST_H_
#define BACKENDS_KERNEL_IR_LOWERING_UPDATE_NEST_H_

#include <vector>

#include "backends/kernel_ir/lowering/element_emitter.h"
#include "backends/kernel_ir/lowering/lowering.h"

namespace xla {

// Writes the update into `buffer`, which holds the array in the layout of `shape`.
void WriteUpdate(const ArrayNode& update, const Shape& shape, int buffer, const LoweringTarget& target,
                 ElementEmitter& emitter);

// Combines the updates into `buffers`, which hold the arrays in the layouts of `shapes`, one after the other in the
// order of their indices; those of one window at the same time.
void WriteScatter(const ArrayNode& scatter, const std::vector<Shape>& shapes, const std::vector<int>& buffers,
                  const LoweringTarget& target, ElementEmitter& emitter);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_UPDATE_NEST_H_
