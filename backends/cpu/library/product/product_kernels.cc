#include "backends/cpu/library/product/product_kernels.h"

#include "backends/cpu/library/base/kernel_choice.h"
#include "backends/cpu/library/product/product_kernel_loops.h"

namespace xla {

const ProductKernels& BaselineProductKernels() { return kProductKernels; }

const ProductKernels& HostProductKernels() {
  return KernelsForHost(BaselineProductKernels, Avx2ProductKernels, Avx512ProductKernels);
}

}  // namespace xla
