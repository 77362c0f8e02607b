// Thunks of dots and convolutions that a library computes, alone or as fusions with what is done to their results.
#ifndef BACKENDS_CPU_LIBRARY_PRODUCT_THUNK_H_
#define BACKENDS_CPU_LIBRARY_PRODUCT_THUNK_H_

#include <memory>

#include "absl/status/statusor.h"
#include "backends/cpu/library/tiled_program.h"
#include "backends/cpu/plan/thunk_maker.h"

namespace xla {

// A dot, a convolution, or a fusion of one that FindEpilogue knows.
absl::StatusOr<std::unique_ptr<Thunk>> MakeProductThunk(const HloInstruction& instruction, PlanContext& context);

// The product of a fusion (FindProduct) alone, from the fusion's operands into `result`: for the rest there is another
// thunk. `info` says that it reads these operands, and what kind it is.
absl::StatusOr<std::unique_ptr<Thunk>> MakeFusedProductThunk(const HloInstruction& fusion,
                                                             const HloInstruction& product, const BufferSlice& result,
                                                             PlanContext& context);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_PRODUCT_THUNK_H_
