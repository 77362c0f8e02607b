// ExecutionPlan: a computation made ready to run many times.
//
// Working out which instructions matter, where each value lives and who uses it last is done once per computation;
// running it is then a walk over a list of steps.
#ifndef XLA_CORE_EVALUATOR_EXECUTION_PLAN_H_
#define XLA_CORE_EVALUATOR_EXECUTION_PLAN_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// The computations that must run even if their result is unused, because something in them, or in what they call, has
// a side effect or meets other devices.
using EffectfulComputations = absl::flat_hash_set<const HloComputation*>;
EffectfulComputations FindEffectfulComputations(const HloModule& module);

// The evaluation of one instruction. A *slot* is a place in the frame, one for each instruction that is kept; it
// holds the instruction's value until the last step that reads it.
struct PlanStep {
  const HloInstruction* instruction;
  absl::StatusOr<Literal> (*evaluate)(const HloInstruction&, OperandValues&, EvalContext&);
  int32_t result;                              // slot
  absl::InlinedVector<int32_t, 3> operands;    // slots
  absl::InlinedVector<bool, 3> owned;          // operand i was used last here: the op may take it
  absl::InlinedVector<int32_t, 3> dead_after;  // slots to clear
};

// Immutable, so that any number of frames may run it at once. It refers to instructions of the module, which outlives
// it.
struct ExecutionPlan {
  const HloComputation* computation = nullptr;
  int slot_count = 0;
  std::vector<int32_t> parameter_slots;  // by parameter number; -1: the parameter is not used
  // Their slots are filled when a frame is made, and no step clears or takes them.
  std::vector<std::pair<int32_t, Literal>> constants;
  std::vector<PlanStep> steps;  // parameters and constants have none
  int32_t root_slot = -1;
  bool keeps_root = false;  // the root is a constant or a kept parameter: its value must be copied, not taken
};

// What becomes of the parameters: steps may take and clear them as any other value, or they are still there after the
// last step, for a caller that needs them again.
enum class PlanParameters { kConsume, kKeep };

// Instructions that neither reach the root nor have an effect are left out. Each get-tuple-element comes right after
// its operand, so that a tuple that is taken apart does not hold on to its elements: a loop body can then update an
// array of its state in place. Unimplemented if an opcode has no evaluator; the error of a limit of `resources`, which
// may be nullptr, once one is reached.
absl::StatusOr<std::unique_ptr<ExecutionPlan>> MakeExecutionPlan(const HloComputation& computation,
                                                                 const EffectfulComputations& effectful,
                                                                 PlanParameters parameters,
                                                                 const ResourceContext* resources);

}  // namespace xla

#endif  // XLA_CORE_EVALUATOR_EXECUTION_PLAN_H_
