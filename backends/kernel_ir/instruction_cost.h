// How much work one instruction of a kernel is.
#ifndef BACKENDS_KERNEL_IR_INSTRUCTION_COST_H_
#define BACKENDS_KERNEL_IR_INSTRUCTION_COST_H_

#include "backends/kernel_ir/kernel.h"

namespace xla {

// In scalar operations, approximately, of an instruction without regions.
double InstructionCost(const KernelInstruction& instruction);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_INSTRUCTION_COST_H_
