#include "passes/loops/movable_work.h"

#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {

bool IsWork(HloOpcode opcode) {
  // A reversal or a transpose costs a read in another order each time. Constants and bitcast-converts count too, without
  // such a reason.
  static constexpr OpcodeSet kWorthKeeping = {HloOpcode::kBitcastConvert, HloOpcode::kConstant, HloOpcode::kReverse,
                                              HloOpcode::kTranspose};
  return !HasTrait(opcode, opcode_trait::kFreeToRepeat) || kWorthKeeping.Has(opcode);
}

bool MayMove(const HloInstruction& instruction) {
  if (instruction.HasControlEdges() || !instruction.shape().IsArray() || instruction.shape().IsDynamic()) return false;
  const HloOpcode opcode = instruction.opcode();
  if (IsElementwise(opcode) || !IsWork(opcode)) return instruction.operand_count() > 0;
  // Not yet: scatters, sorts, decompositions. Never: control flow, tuples, communication, random numbers.
  static constexpr OpcodeSet kOthers = {HloOpcode::kFft, HloOpcode::kReduce, HloOpcode::kReduceWindow,
                                        HloOpcode::kSelectAndScatter};
  return HasTrait(opcode, opcode_trait::kMovesElements | opcode_trait::kProduct) || kOthers.Has(opcode);
}

}  // namespace xla
