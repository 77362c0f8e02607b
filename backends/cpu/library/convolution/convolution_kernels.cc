#include "backends/cpu/library/convolution/convolution_kernels.h"

#include "backends/cpu/library/base/kernel_choice.h"
#include "backends/cpu/library/convolution/convolution_kernel_loops.h"

namespace xla {

const ConvolutionKernels& BaselineConvolutionKernels() { return kConvolutionKernels; }

const ConvolutionKernels& HostConvolutionKernels() {
  return KernelsForHost(BaselineConvolutionKernels, Avx2ConvolutionKernels, Avx512ConvolutionKernels);
}

}  // namespace xla
