#include "xla_core/evaluator/element_combiner.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/evaluator/device_evaluator.h"
#include "xla_core/support/check.h"
#include "xla_core/support/status_macros.h"

namespace xla {

ElementCombiner::ElementCombiner(std::unique_ptr<ScalarFunction> function)
    : function_(std::move(function)), context_(std::make_unique<DeviceEvaluator>(/*plans=*/nullptr)) {}

ElementCombiner::~ElementCombiner() = default;

absl::StatusOr<std::unique_ptr<ElementCombiner>> ElementCombiner::Create(const HloComputation& reducer) {
  ASSIGN_OR_RETURN(std::unique_ptr<ScalarFunction> function, ScalarFunction::Compile(reducer));
  if (!function->is_compiled()) {
    return absl::UnimplementedError(absl::StrCat("the reducer ", reducer.name(), " runs other computations"));
  }
  return std::unique_ptr<ElementCombiner>(new ElementCombiner(std::move(function)));
}

void ElementCombiner::Combine(int64_t count, const void* a, const void* b, void* result) const {
  const int64_t width = ByteWidth(type());
  const LaneInput inputs[2] = {{a, width}, {b, width}};
  void* const results[1] = {result};
  // A compiled function cannot fail.
  CHECK(function_->Apply(count, inputs, results, *context_).ok());
}

}  // namespace xla
