#include "backends/cpu/library/product_prologue.h"

#include <algorithm>
#include <utility>

namespace xla {

ProductPrologue::ProductPrologue(std::vector<PrologueStep> steps) : steps_(std::move(steps)) {}

void ProductPrologue::Apply(int64_t k, int64_t n, bool along_k, int64_t count, const void* const* arguments,
                            float* elements) const {
  const auto run = HostProductKernels().epilogue;
  for (const PrologueStep& step : steps_) {
    if (step.argument < 0) {
      run(step.operation, elements, &step.constant, false, count);
      continue;
    }
    const PrologueStep::Direction& along = along_k ? step.k : step.n;
    const PrologueStep::Direction& across = along_k ? step.n : step.k;
    const int64_t first = along_k ? k : n;
    const float* const numbers =
        static_cast<const float*>(arguments[step.argument]) + (along_k ? n : k) / across.group * across.stride;
    if (along.group == 1 && along.stride == 1) {
      run(step.operation, elements, numbers + first, true, count);
      continue;
    }
    // One number for each group.
    for (int64_t i = 0; i < count;) {
      const int64_t group = (first + i) / along.group;
      const int64_t next = along.stride == 0 ? count : std::min(count, (group + 1) * along.group - first);
      run(step.operation, elements + i, numbers + group * along.stride, false, next - i);
      i = next;
    }
  }
}

}  // namespace xla
