// How arrays lie in the memory of a running program: in the order of their layouts, where literals are always
// row-major.
#ifndef BACKENDS_CPU_RUNTIME_MEMORY_ORDER_H_
#define BACKENDS_CPU_RUNTIME_MEMORY_ORDER_H_

#include "xla_core/ops/strided_copy.h"
#include "xla_core/types/shape.h"

namespace xla {

// Between the order of the array's layout and row-major order. The memory does not overlap.
void CopyToRowMajor(const Shape& array, const void* from, void* to);
void CopyFromRowMajor(const Shape& array, const void* from, void* to);

// From the order of one layout to that of the other; the dimensions are equal.
StridedCopy CopyBetweenLayouts(const Shape& from, const Shape& to);

}  // namespace xla

#endif  // BACKENDS_CPU_RUNTIME_MEMORY_ORDER_H_
