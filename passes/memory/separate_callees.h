// Gives each call in control flow a computation of its own.
#ifndef PASSES_MEMORY_SEPARATE_CALLEES_H_
#define PASSES_MEMORY_SEPARATE_CALLEES_H_

#include "xla_core/ir/hlo_module.h"

namespace xla {

// As the pass flatten-call-graph does, for looking at memory only: it copies also what meets other devices, so that the
// module may no longer be run. Stops, leaving the rest shared, when the module would have grown by more than half a
// million instructions.
void SeparateCallees(HloModule& module);

}  // namespace xla

#endif  // PASSES_MEMORY_SEPARATE_CALLEES_H_
