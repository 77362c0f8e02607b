#include "xla_core/ops/scalar_while.h"

#include <cstring>
#include <vector>

#include "xla_core/support/check.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Iterations between two looks at the clock: some ten microseconds of the smallest loop.
constexpr int64_t kIterationsPerClock = 256;

void AppendLeaves(Literal& value, std::vector<Literal*>& leaves) {
  if (!value.IsTuple()) {
    leaves.push_back(&value);
    return;
  }
  for (int i = 0; i < value.tuple_size(); ++i) AppendLeaves(value.mutable_element(i), leaves);
}

}  // namespace

absl::StatusOr<Literal> RunScalarWhile(const ScalarFunction& condition, const ScalarFunction& body, Literal state,
                                       const std::function<absl::Status(int64_t steps)>& count_steps,
                                       EvalContext& context) {
  std::vector<Literal*> leaves;
  AppendLeaves(state, leaves);
  CHECK(condition.is_compiled() && body.is_compiled());
  CHECK(body.parameter_count() == static_cast<int>(leaves.size()) && body.result_count() == body.parameter_count());

  // Scalars live inside their literals, so these addresses stay; the body writes the new state over the old.
  std::vector<LaneInput> inputs;
  std::vector<void*> results;
  for (Literal* leaf : leaves) {
    results.push_back(leaf->untyped_mutable_data());
    inputs.push_back({results.back(), 0});
  }
  bool go_on = false;
  void* const condition_result = &go_on;
  for (int64_t iteration = 1;; ++iteration) {
    RETURN_IF_ERROR(condition.Apply(1, inputs, absl::MakeConstSpan(&condition_result, 1), context));
    RETURN_IF_ERROR(count_steps(condition.step_count()));
    if (!go_on) return state;
    RETURN_IF_ERROR(body.Apply(1, inputs, results, context));
    RETURN_IF_ERROR(count_steps(body.step_count()));
    if (iteration % kIterationsPerClock == 0) RETURN_IF_ERROR(context.CheckDeadline());
  }
}

}  // namespace xla
