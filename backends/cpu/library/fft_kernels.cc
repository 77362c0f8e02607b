#include "backends/cpu/library/fft_kernels.h"

#include "backends/cpu/library/fft_kernel_loops.h"

namespace xla {

const FftKernelSet& BaselineFftKernels() { return kFftKernels; }

const FftKernelSet& HostFftKernels() {
  static const FftKernelSet& kernels = []() -> const FftKernelSet& {
    __builtin_cpu_init();
    const bool fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
      return Avx512FftKernels();
    }
    return fma ? Avx2FftKernels() : BaselineFftKernels();
  }();
  return kernels;
}

}  // namespace xla
