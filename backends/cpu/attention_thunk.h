// Attention thunks: fusions of two products and a softmax between them (passes/fusing/fuse_attention.h), some rows of
// scores at a time.
//
// What is done to the scores, whatever masks and scales it has, is lowered to a kernel with a tile for each row, which
// is run on rows that lie in scratch (library/attention_program.h).
#ifndef BACKENDS_CPU_ATTENTION_THUNK_H_
#define BACKENDS_CPU_ATTENTION_THUNK_H_

#include <memory>

#include "absl/status/statusor.h"
#include "backends/cpu/kernel_thunks.h"
#include "backends/plan/thunk_maker.h"

namespace xla {

// The kernel is compiled with those of `kernels`. A fusion whose rows are not independent of each other, or whose
// arrays lie in other ways than products want, becomes two products and a kernel on memory between them. Refuses
// fusions that are not attention.
absl::StatusOr<std::unique_ptr<Thunk>> MakeAttentionThunk(const HloInstruction& fusion, KernelSet& kernels,
                                                          PlanContext& context);

}  // namespace xla

#endif  // BACKENDS_CPU_ATTENTION_THUNK_H_
