// PlanCache: what all runs of a module share, however many threads run it: execution plans and compiled scalar
// functions, made when they are first needed.
#ifndef XLA_CORE_EVALUATOR_PLAN_CACHE_H_
#define XLA_CORE_EVALUATOR_PLAN_CACHE_H_

#include <memory>
#include <mutex>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "xla_core/evaluator/execution_plan.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/ops/scalar_function.h"

namespace xla {

// Thread-safe. What it returns lives as long as the cache and never changes. A device remembers what it was given, so
// that it asks once per computation.
class PlanCache {
 public:
  // `module` outlives the cache.
  explicit PlanCache(const HloModule& module) : effectful_(FindEffectfulComputations(module)) {}

  const EffectfulComputations& effectful() const { return effectful_; }
  // Within the limits of `resources`: nothing is kept of a plan that they end.
  absl::StatusOr<const ExecutionPlan*> GetPlan(const HloComputation& computation, PlanParameters parameters,
                                               const ResourceContext* resources);
  absl::StatusOr<const ScalarFunction*> GetScalarFunction(const HloComputation& computation);

 private:
  const EffectfulComputations effectful_;
  std::mutex mutex_;  // guards the maps; held while a plan is made, which a second thread would wait for anyway
  absl::flat_hash_map<std::pair<const HloComputation*, PlanParameters>, std::unique_ptr<const ExecutionPlan>> plans_;
  absl::flat_hash_map<const HloComputation*, std::unique_ptr<const ScalarFunction>> scalar_functions_;
};

}  // namespace xla

#endif  // XLA_CORE_EVALUATOR_PLAN_CACHE_H_
