// Nests that write into an array that is there already: the update of a dynamic-update-slice.
#ifndef BACKENDS_KERNEL_IR_LOWERING_UPDATE_NEST_H_
#define BACKENDS_KERNEL_IR_LOWERING_UPDATE_NEST_H_

#include "backends/kernel_ir/lowering/element_emitter.h"
#include "backends/kernel_ir/lowering/lowering.h"

namespace xla {

// Writes the update into `buffer`, which holds the array in the layout of `shape`.
void WriteUpdate(const ArrayNode& update, const Shape& shape, int buffer, const LoweringTarget& target,
                 ElementEmitter& emitter);

// The number of an element in memory, from its index along each dimension.
KernelValue PlaceOf(KernelBuilder& b, const Shape& shape, absl::Span<const KernelValue> index);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_UPDATE_NEST_H_
