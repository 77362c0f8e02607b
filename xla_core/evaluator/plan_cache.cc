#include "xla_core/evaluator/plan_cache.h"

#include "xla_core/support/status_macros.h"

namespace xla {

absl::StatusOr<const ExecutionPlan*> PlanCache::GetPlan(const HloComputation& computation, PlanParameters parameters,
                                                        const ResourceContext* resources) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<const ExecutionPlan>& plan = plans_[std::make_pair(&computation, parameters)];
  if (plan == nullptr) {
    ASSIGN_OR_RETURN(plan, MakeExecutionPlan(computation, effectful_, parameters, resources));
  }
  return plan.get();
}

absl::StatusOr<const ScalarFunction*> PlanCache::GetScalarFunction(const HloComputation& computation) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<const ScalarFunction>& function = scalar_functions_[&computation];
  if (function == nullptr) {
    ASSIGN_OR_RETURN(function, ScalarFunction::Compile(computation));
  }
  return function.get();
}

}  // namespace xla
