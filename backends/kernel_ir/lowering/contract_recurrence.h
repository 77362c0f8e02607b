// ContractRecurrence: where a loop of a kernel waits for a product and a sum from iteration to iteration, both become
// one operation that rounds once.
//
//   for %i in 0..1000 with %x: f32 = %x0 {              for %i in 0..1000 with %x: f32 = %x0 {
//     %a = multiply f32 %x, %c                   ->       %b = multiply-add f32 %x, %c, %d
//     %b = add f32 %a, %d                                 yield %b
//     yield %b                                          }
//   }
//
// An iteration takes as long as its chain of operations, which gets shorter. Results change on devices that have the
// instruction, so it is done only where a user asks for it. A product and a sum qualify if both lie on a cycle: the
// product is computed from what one iteration passes to the next, in values or in memory, and the sum flows back into
// that. All others keep their bits.
#ifndef BACKENDS_KERNEL_IR_LOWERING_CONTRACT_RECURRENCE_H_
#define BACKENDS_KERNEL_IR_LOWERING_CONTRACT_RECURRENCE_H_

#include "backends/kernel_ir/kernel.h"

namespace xla {

// `loop` is a kFor with state or memory that it works on, or a kWhile, of a kernel that is being written. An add or
// subtract of f32 or f64 and a multiply that nothing else uses become a kMultiplyAdd, the first operand's if both are
// products that qualify. Of loops within the loop, only what one of their iterations passes on is followed.
void ContractRecurrence(Kernel& kernel, KernelInstruction& loop);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_CONTRACT_RECURRENCE_H_
