// Compiled with flags of its own, so nothing may be included here whose inline functions others use too.
#include "backends/cpu/library/product/product_kernel_loops.h"

namespace xla {

const ProductKernels& Avx2ProductKernels() { return kProductKernels; }

}  // namespace xla
