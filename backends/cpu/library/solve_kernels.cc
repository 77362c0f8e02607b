#include "backends/cpu/library/solve_kernels.h"

#include "backends/cpu/library/solve_kernel_loops.h"

namespace xla {

const SolveKernelSet& BaselineSolveKernels() { return kSolveKernels; }

const SolveKernelSet& HostSolveKernels() {
  static const SolveKernelSet& kernels = []() -> const SolveKernelSet& {
    __builtin_cpu_init();
    const bool fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
      return Avx512SolveKernels();
    }
    return fma ? Avx2SolveKernels() : BaselineSolveKernels();
  }();
  return kernels;
}

}  // namespace xla
