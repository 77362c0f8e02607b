#include "backends/cpu/library/product/product_prologue.h"

#include <algorithm>
#include <utility>

namespace xla {

namespace {

// elements[i] = operation(elements[i], y[each ? i : 0]).
void ApplyStep(EpilogueOperation operation, float* elements, const float* y, bool each, int64_t count) {
  const EpilogueRowStep step = {operation, y, 0, each};
  HostProductKernels().epilogue({elements, 0, 1, count, &step, 1});
}

}  // namespace

ProductPrologue::ProductPrologue(std::vector<PrologueStep> steps) : steps_(std::move(steps)) {}

void ProductPrologue::Apply(int64_t k, int64_t n, bool along_k, int64_t count, const void* const* arguments,
                            float* elements) const {
  for (const PrologueStep& step : steps_) {
    if (step.argument < 0) {
      ApplyStep(step.operation, elements, &step.constant, false, count);
      continue;
    }
    const PrologueStep::Direction& along = along_k ? step.k : step.n;
    const PrologueStep::Direction& across = along_k ? step.n : step.k;
    const int64_t first = along_k ? k : n;
    const float* const numbers =
        static_cast<const float*>(arguments[step.argument]) + (along_k ? n : k) / across.group * across.stride;
    if (along.group == 1 && along.stride == 1) {
      ApplyStep(step.operation, elements, numbers + first, true, count);
      continue;
    }
    // One number for each group.
    for (int64_t i = 0; i < count;) {
      const int64_t group = (first + i) / along.group;
      const int64_t next = along.stride == 0 ? count : std::min(count, (group + 1) * along.group - first);
      ApplyStep(step.operation, elements + i, numbers + group * along.stride, false, next - i);
      i = next;
    }
  }
}

}  // namespace xla
