#include "backends/cpu/library/product/product_kernels.h"

#include "backends/cpu/library/base/vector_extensions.h"
#include "backends/cpu/library/product/product_kernel_loops.h"

namespace xla {

const ProductKernels& BaselineProductKernels() { return kProductKernels; }

const ProductKernels& HostProductKernels() {
  switch (HostVectorExtensions()) {
    case VectorExtensions::kAvx512:
      return Avx512ProductKernels();
    case VectorExtensions::kAvx2:
      return Avx2ProductKernels();
    case VectorExtensions::kBaseline:
      return BaselineProductKernels();
  }
  return BaselineProductKernels();
}

}  // namespace xla
