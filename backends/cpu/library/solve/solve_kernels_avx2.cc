// Compiled with flags of its own, so nothing may be included here whose inline functions others use too.
#include "backends/cpu/library/solve/solve_kernel_loops.h"

namespace xla {

const SolveKernelSet& Avx2SolveKernels() { return kSolveKernels; }

}  // namespace xla
