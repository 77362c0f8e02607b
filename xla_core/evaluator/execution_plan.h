// ExecutionPlan: a computation made ready to run many times.
//
// Working out which instructions matter, where each value lives and who uses it last is done once per computation;
// running it is then a walk over a list of steps.
#ifndef XLA_CORE_EVALUATOR_EXECUTION_PLAN_H_
#define XLA_CORE_EVALUATOR_EXECUTION_PLAN_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ops/op_definition.h"

namespace xla {

struct PlanStep {
  const HloInstruction* instruction;
  absl::StatusOr<Literal> (*evaluate)(const HloInstruction&, OperandValues&, EvalContext&);
  int32_t result;                              // slot
  absl::InlinedVector<int32_t, 3> operands;    // slots
  absl::InlinedVector<bool, 3> owned;          // operand i was used last here: the op may take it
  absl::InlinedVector<int32_t, 3> dead_after;  // slots to clear
};

struct ExecutionPlan {
  const HloComputation* computation = nullptr;
  int slot_count = 0;
  std::vector<int32_t> parameter_slots;  // by parameter number; -1: the parameter is not used
  std::vector<PlanStep> steps;           // parameters have none
  int32_t root_slot = -1;
};

// Instructions that neither reach the root nor have an effect are left out. Unimplemented if an opcode has no
// evaluator.
absl::StatusOr<std::unique_ptr<ExecutionPlan>> MakeExecutionPlan(const HloComputation& computation);

}  // namespace xla

#endif  // XLA_CORE_EVALUATOR_EXECUTION_PLAN_H_
