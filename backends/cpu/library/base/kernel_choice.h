// Chooses among innermost loops, which are compiled for several instruction sets and types of numbers.
#ifndef BACKENDS_CPU_LIBRARY_BASE_KERNEL_CHOICE_H_
#define BACKENDS_CPU_LIBRARY_BASE_KERNEL_CHOICE_H_

#include <cstdint>
#include <type_traits>

#include "backends/cpu/library/base/vector_extensions.h"

namespace xla {

// Calls the one of three functions whose kernels are compiled for the instruction set of this processor.
template <typename Kernels>
const Kernels& KernelsForHost(const Kernels& (*baseline)(), const Kernels& (*avx2)(), const Kernels& (*avx512)()) {
  switch (HostVectorExtensions()) {
    case VectorExtensions::kAvx512:
      return avx512();
    case VectorExtensions::kAvx2:
      return avx2();
    case VectorExtensions::kBaseline:
      return baseline();
  }
  return baseline();
}

// Those of them for T: float, double, uint32_t or uint64_t.
template <typename T, typename Kernels>
const auto& KernelsOf(const Kernels& kernels) {
  if constexpr (std::is_same_v<T, float>) {
    return kernels.f32;
  } else if constexpr (std::is_same_v<T, double>) {
    return kernels.f64;
  } else if constexpr (std::is_same_v<T, uint32_t>) {
    return kernels.u32;
  } else {
    static_assert(std::is_same_v<T, uint64_t>);
    return kernels.u64;
  }
}

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_BASE_KERNEL_CHOICE_H_
