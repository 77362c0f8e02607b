// What the views show as the cost of an instruction, and where they get it from.
#ifndef TOOLS_VIEWS_INSTRUCTION_COST_H_
#define TOOLS_VIEWS_INSTRUCTION_COST_H_

#include <functional>

#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// Of one evaluation of an instruction, called computations included.
struct InstructionCost {
  double flops = 0;            // additions, multiplications, comparisons, ... of elements
  double bytes = 0;            // read and written
  double transcendentals = 0;  // exponentials, sines, ... of elements
  // How often the instruction is evaluated in a run: trip counts of the loops around it, as far as they are known.
  double runs = 1;
};

using CostFunction = std::function<InstructionCost(const HloInstruction&)>;

// The costs of the instructions of `module`, which is verified and must live as long as the result, unchanged. An error
// once a limit of `resources`, which may be nullptr, has been reached.
absl::StatusOr<CostFunction> CostsOf(const HloModule& module, const ResourceContext* resources = nullptr);

}  // namespace xla

#endif  // TOOLS_VIEWS_INSTRUCTION_COST_H_
