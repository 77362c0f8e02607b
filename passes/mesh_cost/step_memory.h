// The memory that a program needs on a device, from its shapes and the order of its instructions.
#ifndef PASSES_MESH_COST_STEP_MEMORY_H_
#define PASSES_MESH_COST_STEP_MEMORY_H_

#include "xla_core/ir/hlo_module.h"

namespace xla {

// In bytes.
struct StepMemory {
  double arguments = 0;
  double constants = 0;
  // What is computed, results among it, where most is needed at once; results in the memory of arguments are not
  // counted again.
  double values = 0;

  double total() const { return arguments + constants + values; }
};

// An estimate without a plan, in one look at each instruction: values die after their last use, the state of a loop
// stays where it is, and an update of a part of an array that nothing else needs is done in place.
StepMemory EstimateStepMemory(const HloModule& module);

}  // namespace xla

#endif  // PASSES_MESH_COST_STEP_MEMORY_H_
