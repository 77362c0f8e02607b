#include "passes/loops/movable_work.h"

#include "xla_core/ops/elementwise_table.h"

namespace xla {

bool IsWork(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kBitcast:
    case HloOpcode::kBroadcast:
    case HloOpcode::kConvert:
    case HloOpcode::kCopy:
    case HloOpcode::kIota:
    case HloOpcode::kReshape:
    case HloOpcode::kSlice:
      return false;
    default:  // arithmetic, reductions, products, gathers ...
      return true;
  }
}

bool MayMove(const HloInstruction& instruction) {
  if (instruction.HasControlEdges() || !instruction.shape().IsArray() || instruction.shape().IsDynamic()) return false;
  const HloOpcode opcode = instruction.opcode();
  if (IsElementwise(opcode) || !IsWork(opcode)) return instruction.operand_count() > 0;
  switch (opcode) {
    case HloOpcode::kConcatenate:
    case HloOpcode::kConvolution:
    case HloOpcode::kDot:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kFft:
    case HloOpcode::kGather:
    case HloOpcode::kPad:
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kReverse:
    case HloOpcode::kSelectAndScatter:
    case HloOpcode::kTranspose:
      return true;
    default:  // control flow, tuples, communication, random numbers
      return false;
  }
}

}  // namespace xla
