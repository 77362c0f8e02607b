// Whether a result may take the memory of an operand that its kernel reads.
#ifndef BACKENDS_KERNEL_IR_LOWERING_IN_PLACE_H_
#define BACKENDS_KERNEL_IR_LOWERING_IN_PLACE_H_

#include "backends/kernel_ir/kernel.h"

namespace xla {

// Whether no element of the buffer `input` is read after it has been, or may have been, written over, if `output` is in
// the same memory, in whatever order tiles run. The kernel writes each element of `output` once, unless it reads the
// output, too. May be false where nothing would go wrong.
bool IsReadBeforeWritten(const Kernel& kernel, int input, int output);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_IN_PLACE_H_
