#include "tools/views/instruction_cost.h"

#include <memory>
#include <utility>

#include "passes/analyses/cost.h"
#include "xla_core/support/status_macros.h"

namespace xla {

absl::StatusOr<CostFunction> CostsOf(const HloModule& module, const ResourceContext* resources) {
  ASSIGN_OR_RETURN(CostAnalysis made, CostAnalysis::Create(module, resources));
  const auto analysis = std::make_shared<const CostAnalysis>(std::move(made));
  return CostFunction([analysis](const HloInstruction& instruction) {
    const Cost cost = analysis->Of(instruction);
    InstructionCost result;
    result.flops = cost.flops;
    result.bytes = cost.bytes();
    result.transcendentals = cost.transcendentals;
    result.runs = analysis->Runs(*instruction.parent());
    return result;
  });
}

}  // namespace xla
