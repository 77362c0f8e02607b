#include "backends/cpu/library/topk_kernels.h"

#include "backends/cpu/library/topk_kernel_loops.h"

namespace xla {

const TopKKernelSet& BaselineTopKKernels() { return kTopKKernels; }

const TopKKernelSet& HostTopKKernels() {
  static const TopKKernelSet& kernels = []() -> const TopKKernelSet& {
    __builtin_cpu_init();
    const bool fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
      return Avx512TopKKernels();
    }
    return fma ? Avx2TopKKernels() : BaselineTopKKernels();
  }();
  return kernels;
}

}  // namespace xla
