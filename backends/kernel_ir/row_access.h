// Which elements of a buffer the tiles of a kernel touch.
#ifndef BACKENDS_KERNEL_IR_ROW_ACCESS_H_
#define BACKENDS_KERNEL_IR_ROW_ACCESS_H_

#include <cstdint>

#include "backends/kernel_ir/kernel.h"

namespace xla {

// Whether the kernel has one phase, and its tile t reads and writes none but the elements from t * row_elements up to
// (t + 1) * row_elements of that buffer: then a caller that runs tile by tile need not have more of it. False where
// that cannot be told.
bool TouchesOwnRowOnly(const Kernel& kernel, int buffer, int64_t row_elements);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_ROW_ACCESS_H_
