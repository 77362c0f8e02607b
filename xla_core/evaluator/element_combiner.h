// ElementCombiner: a reducer of two scalars, applied to two arrays element by element, with the bits of the evaluator.
#ifndef XLA_CORE_EVALUATOR_ELEMENT_COMBINER_H_
#define XLA_CORE_EVALUATOR_ELEMENT_COMBINER_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ops/scalar_function.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

class DeviceEvaluator;

// Immutable and thread-safe.
class ElementCombiner {
 public:
  // `reducer` takes two scalars of one type and gives one of that type; it outlives the object. Unimplemented if only a
  // whole evaluator can run it, which is what a loop in it needs.
  static absl::StatusOr<std::unique_ptr<ElementCombiner>> Create(const HloComputation& reducer);
  ~ElementCombiner();

  // Of parameters and result.
  PrimitiveType type() const { return function_->result_type(0); }
  // result[i] = reducer(a[i], b[i]). `result` may be `a` or `b`.
  void Combine(int64_t count, const void* a, const void* b, void* result) const;

 private:
  explicit ElementCombiner(std::unique_ptr<ScalarFunction> function);

  const std::unique_ptr<ScalarFunction> function_;
  // What the function is applied in. It asks for nothing, as it is compiled.
  const std::unique_ptr<DeviceEvaluator> context_;
};

}  // namespace xla

#endif  // XLA_CORE_EVALUATOR_ELEMENT_COMBINER_H_
