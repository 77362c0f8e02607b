#include "backends/cpu/library/solve/solve_kernels.h"

#include "backends/cpu/library/base/vector_extensions.h"
#include "backends/cpu/library/solve/solve_kernel_loops.h"

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
