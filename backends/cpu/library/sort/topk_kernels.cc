#include "backends/cpu/library/sort/topk_kernels.h"

#include "backends/cpu/library/base/vector_extensions.h"
#include "backends/cpu/library/sort/topk_kernel_loops.h"

namespace xla {

const TopKKernelSet& BaselineTopKKernels() { return kTopKKernels; }

const TopKKernelSet& HostTopKKernels() {
  switch (HostVectorExtensions()) {
    case VectorExtensions::kAvx512:
      return Avx512TopKKernels();
    case VectorExtensions::kAvx2:
      return Avx2TopKKernels();
    case VectorExtensions::kBaseline:
      return BaselineTopKKernels();
  }
  return BaselineTopKKernels();
}

}  // namespace xla
