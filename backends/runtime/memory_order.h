// How arrays lie in the memory of a running program: in the order of their layouts, where literals are always
// row-major.
#ifndef BACKENDS_RUNTIME_MEMORY_ORDER_H_
#define BACKENDS_RUNTIME_MEMORY_ORDER_H_

#include "xla_core/ops/strided_copy.h"
#include "xla_core/types/shape.h"

namespace xla {

// Between the order of the array's layout and row-major order. The memory does not overlap.
void CopyToRowMajor(const Shape& array, const void* from, void* to);
void CopyFromRowMajor(const Shape& array, const void* from, void* to);

// From the order of one layout to that of the other. The dimensions are equal; or those of `to` are larger, and it gets
// a part, which begins wherever the copy is told to begin.
StridedCopy CopyBetweenLayouts(const Shape& from, const Shape& to);

// How many elements lie between neighbours along each dimension, in the order of the layout.
DimensionVector StridesInMemory(const Shape& array);

}  // namespace xla

#endif  // BACKENDS_RUNTIME_MEMORY_ORDER_H_
