#include "backends/cpu/library/base/vector_extensions.h"

#include <algorithm>
#include <atomic>

namespace xla {
namespace {

std::atomic<VectorExtensions> limit{VectorExtensions::kAvx512};

VectorExtensions FindExtensions() {
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
    return VectorExtensions::kAvx512;
  }
  return avx2 ? VectorExtensions::kAvx2 : VectorExtensions::kBaseline;
}

}  // namespace

VectorExtensions HostVectorExtensions() {
  static const VectorExtensions found = FindExtensions();
  return std::min(found, limit.load(std::memory_order_relaxed));
}

void LimitVectorExtensionsInTests(VectorExtensions most) { limit = most; }

}  // namespace xla
