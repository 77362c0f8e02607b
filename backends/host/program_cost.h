// What a program needs, from its shapes alone.
#ifndef BACKENDS_HOST_PROGRAM_COST_H_
#define BACKENDS_HOST_PROGRAM_COST_H_

#include "absl/container/flat_hash_map.h"
#include "backends/report.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Of one run on one device. Sizes saturate instead of overflowing.
CostEstimate EstimateCost(const HloModule& module);

// The same for parts of a module, which outlives the object and does not change. Chains of calls of any length take no
// stack.
class InstructionCosts {
 public:
  explicit InstructionCosts(const HloModule& module);
  CostEstimate OfComputation(const HloComputation& computation) const { return costs_.at(&computation); }
  CostEstimate OfInstruction(const HloInstruction& instruction) const;

 private:
  void AddCallees(const HloInstruction& instruction, CostEstimate& cost) const;

  absl::flat_hash_map<const HloComputation*, CostEstimate> costs_;
};

// On each device. Temporaries are counted as if nothing were updated in place.
MemoryNeed EstimateMemory(const HloModule& module);

}  // namespace xla

#endif  // BACKENDS_HOST_PROGRAM_COST_H_
