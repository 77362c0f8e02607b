#include "backends/cpu/library/convolution/convolution_kernels.h"

#include "backends/cpu/library/base/vector_extensions.h"
#include "backends/cpu/library/convolution/convolution_kernel_loops.h"

namespace xla {

const ConvolutionKernels& BaselineConvolutionKernels() { return kConvolutionKernels; }

const ConvolutionKernels& HostConvolutionKernels() {
  switch (HostVectorExtensions()) {
    case VectorExtensions::kAvx512:
      return Avx512ConvolutionKernels();
    case VectorExtensions::kAvx2:
      return Avx2ConvolutionKernels();
    case VectorExtensions::kBaseline:
      return BaselineConvolutionKernels();
  }
  return BaselineConvolutionKernels();
}

}  // namespace xla
