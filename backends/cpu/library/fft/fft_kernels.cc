#include "backends/cpu/library/fft/fft_kernels.h"

#include "backends/cpu/library/base/kernel_choice.h"
#include "backends/cpu/library/fft/fft_kernel_loops.h"

namespace xla {

const FftKernelSet& BaselineFftKernels() { return kFftKernels; }

const FftKernelSet& HostFftKernels() { return KernelsForHost(BaselineFftKernels, Avx2FftKernels, Avx512FftKernels); }

}  // namespace xla
