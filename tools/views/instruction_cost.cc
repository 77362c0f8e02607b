#include "tools/views/instruction_cost.h"

#include <memory>

#include "passes/analyses/cost.h"

namespace xla {

CostFunction CostsOf(const HloModule& module) {
  const auto analysis = std::make_shared<const CostAnalysis>(module);
  return [analysis](const HloInstruction& instruction) {
    const Cost cost = analysis->Of(instruction);
    InstructionCost result;
    result.flops = cost.flops;
    result.bytes = cost.bytes();
    result.transcendentals = cost.transcendentals;
    result.runs = analysis->Runs(*instruction.parent());
    return result;
  };
}

}  // namespace xla
