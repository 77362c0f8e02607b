#include "backends/cpu/thunk_makers.h"

#include "backends/cpu/plan/copy_thunks.h"
#include "backends/cpu/product_thunks.h"

namespace xla {

std::vector<ThunkMaker> CpuThunkMakers(KernelSet& kernels) {
  return {
      {"copy", &MakeCopyThunk},
      {"update", &MakeUpdateThunk},
      {"product", &MakeProductThunk},
      {"kernel", [&kernels](const HloInstruction& instruction,
                            PlanContext& context) { return kernels.MakeThunk(instruction, context); }},
  };
}

}  // namespace xla
