// Compiled with flags of its own, so nothing may be included here whose inline functions others use too.
#include "backends/cpu/library/fft/fft_kernel_loops.h"

namespace xla {

const FftKernelSet& Avx2FftKernels() { return kFftKernels; }

}  // namespace xla
