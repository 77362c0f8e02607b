#include "backends/cpu/library/fft_kernels.h"

#include "backends/cpu/library/fft_kernel_loops.h"
#include "backends/cpu/library/vector_extensions.h"

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
