#include "backends/cpu/library/product_kernels.h"

#include "backends/cpu/library/product_kernel_loops.h"
#include "backends/cpu/library/vector_extensions.h"

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
