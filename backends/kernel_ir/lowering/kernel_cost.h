// How much work a kernel's regions are, in scalar operations, approximately.
#ifndef BACKENDS_KERNEL_IR_LOWERING_KERNEL_COST_H_
#define BACKENDS_KERNEL_IR_LOWERING_KERNEL_COST_H_

#include <vector>

#include "backends/kernel_ir/kernel.h"

namespace xla {

// Of the body of a phase that begins with `depth` loops within each other: of each level, from that of the phase's body
// to that of the innermost of these loops, how much is done there once, without the loop that makes the next level.
std::vector<double> CostByLevel(const Kernel& kernel, const KernelPhase& phase, int depth);

// How often each value is computed in a run of the kernel, by value; loops whose extent is not constant count as one.
std::vector<double> TimesComputed(const Kernel& kernel);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_KERNEL_COST_H_
