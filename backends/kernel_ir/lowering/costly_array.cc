#include "backends/kernel_ir/lowering/costly_array.h"

#include <vector>

#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

// Instructions that IsCostly looks at.
constexpr int kMaxCone = 48;

bool IsCostlyOperation(const HloInstruction& instruction) {
  const HloOpcode opcode = instruction.opcode();
  return IsMathFunction(opcode) || opcode == HloOpcode::kDivide || opcode == HloOpcode::kSqrt ||
         opcode == HloOpcode::kRemainder || IsFold(opcode);
}

}  // namespace

bool IsFold(HloOpcode opcode) {
  return HasTrait(opcode, opcode_trait::kProduct) || opcode == HloOpcode::kReduce || opcode == HloOpcode::kReduceWindow;
}

// Whether something costly is computed for each element: looks at operands with at least as many elements, at most
// kMaxCone instructions far.
bool IsCostly(const HloInstruction& instruction) {
  std::vector<const HloInstruction*> pending = {&instruction};
  for (int steps = 0; !pending.empty() && steps < kMaxCone; ++steps) {
    const HloInstruction* const next = pending.back();
    pending.pop_back();
    if (IsCostlyOperation(*next)) return true;
    for (const HloInstruction* operand : next->operands()) {
      if (!operand->shape().IsArray()) continue;
      if (operand->shape().ElementCount() >= instruction.shape().ElementCount()) pending.push_back(operand);
    }
  }
  return false;
}

}  // namespace xla
