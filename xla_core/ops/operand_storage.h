// For ops whose result is an operand's memory under another shape.
#ifndef XLA_CORE_OPS_OPERAND_STORAGE_H_
#define XLA_CORE_OPS_OPERAND_STORAGE_H_

#include <utility>

#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/types/literal.h"

namespace xla {

// Operand i under the shape of the instruction, which has the same byte size. Its dynamic sizes are forgotten.
inline Literal TakeStorage(const HloInstruction& instruction, OperandValues& operands, int i) {
  Literal result = operands.Take(i);
  result.ClearDynamicSizes();
  result.ResetShape(instruction.shape());
  return result;
}

// The same for a result of the operand's own dimensions: dynamic sizes stay.
inline Literal TakeOperand(const HloInstruction& instruction, OperandValues& operands, int i) {
  Literal result = operands.Take(i);
  result.ResetShape(instruction.shape());
  return result;
}

}  // namespace xla

#endif  // XLA_CORE_OPS_OPERAND_STORAGE_H_
