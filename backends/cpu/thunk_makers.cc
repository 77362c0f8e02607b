#include "backends/cpu/thunk_makers.h"

#include "backends/cpu/attention_thunk.h"
#include "backends/cpu/library/buffer_call_thunk.h"
#include "backends/cpu/library/product_thunk.h"
#include "backends/cpu/library/sort/sort_thunk.h"
#include "backends/cpu/library/sort/topk_thunk.h"
#include "backends/cpu/library/stepwise_thunks.h"
#include "backends/plan/collective_thunks.h"
#include "backends/plan/copy_thunks.h"
#include "backends/plan/rng_thunks.h"

namespace xla {

// The makers in the order in which they are asked: those for special cases before the general kernel, which takes
// almost everything.
std::vector<ThunkMaker> CpuThunkMakers(KernelSet& kernels) {
  return {
      {"collective", &MakeCollectiveThunk},
      {"transfer", &MakeTransferThunk},
      {"copy", &MakeCopyThunk},
      {"update", &MakeUpdateThunk},
      {"wide concatenate", &MakeWideConcatenateThunk},
      {"attention", [&kernels](const HloInstruction& instruction,
                               PlanContext& context) { return MakeAttentionThunk(instruction, kernels, context); }},
      {"product", &MakeProductThunk},
      {"product and kernel",
       [&kernels](const HloInstruction& instruction, PlanContext& context) {
         return kernels.MakeProductThunk(instruction, context);
       }},
      {"kernel", [&kernels](const HloInstruction& instruction,
                            PlanContext& context) { return kernels.MakeThunk(instruction, context); }},
      {"sort", &MakeSortThunk},
      {"fft", &MakeFftThunk},
      {"linear system", &MakeLinearSystemThunk},
      {"topk", &MakeTopKThunk},
      {"buffer call", &MakeBufferCallThunk},
      {"annotation", &MakeAnnotationThunk},
      {"zeros", &MakeZerosThunk},
      {"device number", &MakeDeviceNumberThunk},
      {"random numbers", &MakeRngThunk},
  };
}

}  // namespace xla
