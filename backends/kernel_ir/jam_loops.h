// Jams loops: writes the iterations of short independent loops out, as one, so that what they have in common is done
// once.
//
//   for %i in 0..2 independent unroll {               %s0, %s1 = reduce %k in 0..64 from %zero, %zero {
//     %s = reduce %k in 0..64 from %zero {              %y = load f32 y[%k]
//       %x = load f32 x[64*%i + %k]                     %x0 = load f32 x[%k]   %x1 = load f32 x[%k + 64]
//       %y = load f32 y[%k]                 becomes     %p0 = multiply %x0, %y   %p1 = multiply %x1, %y
//       %p = multiply %x, %y                            yield %p0, %p1
//       yield %p                                      } combine ...
//     } combine ...                                   store z[0], %s0
//     store z[%i], %s                                 store z[1], %s1
//   }
//
// Two loops around a product give a tile of it that stays in registers. Loops, branches and reduces within a jammed
// loop are one for all iterations, with a state for each, where they run equally often in all; else they are repeated.
// No result changes by a bit.
#ifndef BACKENDS_KERNEL_IR_JAM_LOOPS_H_
#define BACKENDS_KERNEL_IR_JAM_LOOPS_H_

#include "backends/kernel_ir/kernel.h"

namespace xla {

// Jams the independent loops that have the schedule kUnroll and a constant extent up to this many iterations. For
// kernels that have no invocations yet.
void JamLoops(Kernel& kernel, int64_t most_iterations = 16);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_JAM_LOOPS_H_
