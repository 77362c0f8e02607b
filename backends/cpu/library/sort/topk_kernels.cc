#include "backends/cpu/library/sort/topk_kernels.h"

#include "backends/cpu/library/base/kernel_choice.h"
#include "backends/cpu/library/sort/topk_kernel_loops.h"

namespace xla {

const TopKKernelSet& BaselineTopKKernels() { return kTopKKernels; }

const TopKKernelSet& HostTopKKernels() {
  return KernelsForHost(BaselineTopKKernels, Avx2TopKKernels, Avx512TopKKernels);
}

}  // namespace xla
