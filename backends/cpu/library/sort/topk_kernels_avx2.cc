// Compiled with flags of its own, so nothing may be included here whose inline functions others use too.
#include "backends/cpu/library/sort/topk_kernel_loops.h"

namespace xla {

const TopKKernelSet& Avx2TopKKernels() { return kTopKKernels; }

}  // namespace xla
