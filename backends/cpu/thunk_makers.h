// The table of what instructions become. See backends/plan/thunk_maker.h.
#ifndef BACKENDS_CPU_THUNK_MAKERS_H_
#define BACKENDS_CPU_THUNK_MAKERS_H_

#include <vector>

#include "backends/cpu/kernel_thunks.h"
#include "backends/plan/thunk_maker.h"

namespace xla {

// In the order in which they are asked: special cases first. `kernels` outlives the makers.
std::vector<ThunkMaker> CpuThunkMakers(KernelSet& kernels);

}  // namespace xla

#endif  // BACKENDS_CPU_THUNK_MAKERS_H_
