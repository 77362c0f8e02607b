#include "backends/cpu/library/product_epilogue.h"

#include <algorithm>
#include <utility>

namespace xla {
namespace {

// Elements that stay in the first cache from step to step.
constexpr int64_t kChunk = 2048;

}  // namespace

ProductEpilogue::ProductEpilogue(std::vector<EpilogueStep> steps, int64_t columns)
    : steps_(std::move(steps)),
      columns_(columns),
      has_columns_(std::any_of(steps_.begin(), steps_.end(), [](const EpilogueStep& step) {
        return step.operand == EpilogueStep::Operand::kColumn;
      })) {}

void ProductEpilogue::Apply(float* result, int64_t first, int64_t count, const void* const* arguments) const {
  const auto run = HostProductKernels().epilogue;
  const int64_t end = first + count;
  for (int64_t begin = first; begin < end;) {
    const int64_t column = has_columns_ ? begin % columns_ : 0;
    const int64_t next = std::min({end - begin, kChunk, has_columns_ ? columns_ - column : kChunk});
    for (const EpilogueStep& step : steps_) {
      const auto* const argument = step.operand == EpilogueStep::Operand::kConstant
                                       ? &step.constant
                                       : static_cast<const float*>(arguments[step.argument]);
      switch (step.operand) {
        case EpilogueStep::Operand::kConstant:
        case EpilogueStep::Operand::kScalar:
          run(step.operation, result + begin, argument, false, next);
          break;
        case EpilogueStep::Operand::kColumn:
          run(step.operation, result + begin, argument + column, true, next);
          break;
        case EpilogueStep::Operand::kElement:
          run(step.operation, result + begin, argument + begin, true, next);
          break;
      }
    }
    begin += next;
  }
}

}  // namespace xla
