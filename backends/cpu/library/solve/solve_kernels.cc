#include "backends/cpu/library/solve/solve_kernels.h"

#include "backends/cpu/library/base/kernel_choice.h"
#include "backends/cpu/library/solve/solve_kernel_loops.h"

namespace xla {

const SolveKernelSet& BaselineSolveKernels() { return kSolveKernels; }

const SolveKernelSet& HostSolveKernels() {
  return KernelsForHost(BaselineSolveKernels, Avx2SolveKernels, Avx512SolveKernels);
}

}  // namespace xla
