#include "tools/views/instruction_cost.h"

namespace xla {
namespace {

// Bytes of the arrays of a shape; unbounded ones count nothing.
double BytesOf(const Shape& shape) {
  if (shape.IsUnboundedDynamic()) return 0;
  return static_cast<double>(shape.ByteSize());
}

bool MovesNothing(HloOpcode opcode) {
  return opcode == HloOpcode::kParameter || opcode == HloOpcode::kConstant || opcode == HloOpcode::kTuple ||
         opcode == HloOpcode::kGetTupleElement || opcode == HloOpcode::kBitcast;
}

InstructionCost CostOf(const HloInstruction& instruction) {
  InstructionCost cost;
  if (MovesNothing(instruction.opcode())) return cost;
  cost.bytes = BytesOf(instruction.shape());
  for (const HloInstruction* operand : instruction.operands()) cost.bytes += BytesOf(operand->shape());
  return cost;
}

}  // namespace

CostFunction CostsOf(const HloModule&) { return &CostOf; }

}  // namespace xla
