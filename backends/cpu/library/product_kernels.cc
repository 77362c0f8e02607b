#include "backends/cpu/library/product_kernels.h"

#include "backends/cpu/library/product_kernel_loops.h"

namespace xla {

const ProductKernels& BaselineProductKernels() { return kProductKernels; }

const ProductKernels& HostProductKernels() {
  static const ProductKernels& kernels = []() -> const ProductKernels& {
    __builtin_cpu_init();
    const bool fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
    if (fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
      return Avx512ProductKernels();
    }
    return fma ? Avx2ProductKernels() : BaselineProductKernels();
  }();
  return kernels;
}

}  // namespace xla
