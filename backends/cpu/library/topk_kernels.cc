#include "backends/cpu/library/topk_kernels.h"

#include "backends/cpu/library/topk_kernel_loops.h"
#include "backends/cpu/library/vector_extensions.h"

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
