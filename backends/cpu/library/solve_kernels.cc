#include "backends/cpu/library/solve_kernels.h"

#include "backends/cpu/library/solve_kernel_loops.h"
#include "backends/cpu/library/vector_extensions.h"

namespace xla {

const SolveKernelSet& BaselineSolveKernels() { return kSolveKernels; }

const SolveKernelSet& HostSolveKernels() {
  switch (HostVectorExtensions()) {
    case VectorExtensions::kAvx512:
      return Avx512SolveKernels();
    case VectorExtensions::kAvx2:
      return Avx2SolveKernels();
    case VectorExtensions::kBaseline:
      return BaselineSolveKernels();
  }
  return BaselineSolveKernels();
}

}  // namespace xla
