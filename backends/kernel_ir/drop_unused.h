// Leaving out of a kernel what has no users.
#ifndef BACKENDS_KERNEL_IR_DROP_UNUSED_H_
#define BACKENDS_KERNEL_IR_DROP_UNUSED_H_

#include "backends/kernel_ir/kernel.h"

namespace xla {

// Removes instructions without effect whose results nothing uses, and the state of loops that serves only itself, as a
// counter does which the loop's body does not read.
void DropUnused(Kernel& kernel);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_DROP_UNUSED_H_
