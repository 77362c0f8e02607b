#include "backends/cpu/library/convolution_kernels.h"

#include "backends/cpu/library/convolution_kernel_loops.h"
#include "backends/cpu/library/product_kernels.h"

namespace xla {

const ConvolutionKernels& BaselineConvolutionKernels() { return kConvolutionKernels; }

const ConvolutionKernels& HostConvolutionKernels() {
  const ProductKernels* const host = &HostProductKernels();
  if (host == &Avx512ProductKernels()) return Avx512ConvolutionKernels();
  return host == &Avx2ProductKernels() ? Avx2ConvolutionKernels() : BaselineConvolutionKernels();
}

}  // namespace xla
