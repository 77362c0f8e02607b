#include "backends/cpu/library/fft/fft_kernels.h"

#include "backends/cpu/library/base/vector_extensions.h"
#include "backends/cpu/library/fft/fft_kernel_loops.h"

namespace xla {

const FftKernelSet& BaselineFftKernels() { return kFftKernels; }

const FftKernelSet& HostFftKernels() {
  switch (HostVectorExtensions()) {
    case VectorExtensions::kAvx512:
      return Avx512FftKernels();
    case VectorExtensions::kAvx2:
      return Avx2FftKernels();
    case VectorExtensions::kBaseline:
      return BaselineFftKernels();
  }
  return BaselineFftKernels();
}

}  // namespace xla
