#include "backends/kernel_ir/instruction_cost.h"

#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

// Functions such as exp take about as long as so many additions.
constexpr double kFunctionCost = 12;
constexpr double kDivisionCost = 4;

}  // namespace

double InstructionCost(const KernelInstruction& instruction) {
  switch (instruction.op) {
    case KernelOp::kElementwise: {
      const ElementwiseRow* const row = FindElementwiseRow(instruction.opcode);
      if (row != nullptr && row->arithmetic == ElementwiseArithmetic::kDouble) return kFunctionCost;
      return instruction.opcode == HloOpcode::kDivide || instruction.opcode == HloOpcode::kSqrt ? kDivisionCost : 1;
    }
    case KernelOp::kMultiplyAdd:
    case KernelOp::kLoad:
    case KernelOp::kStore:
      return 1;
    case KernelOp::kAffine:
    case KernelOp::kInRange:
      return 0.5;
    case KernelOp::kQuotient:
    case KernelOp::kRemainder:
      return 2;
    case KernelOp::kConstant:
    case KernelOp::kBarrier:
    case KernelOp::kFor:
    case KernelOp::kReduce:
    case KernelOp::kIf:
    case KernelOp::kWhile:
      return 0;
  }
  return 0;
}

}  // namespace xla
