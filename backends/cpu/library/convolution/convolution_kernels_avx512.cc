// Compiled with flags of its own, so nothing may be included here whose inline functions others use too.
#include "backends/cpu/library/convolution/convolution_kernel_loops.h"

namespace xla {

const ConvolutionKernels& Avx512ConvolutionKernels() { return kConvolutionKernels; }

}  // namespace xla
