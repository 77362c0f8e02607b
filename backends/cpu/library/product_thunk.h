// Thunks of dots and convolutions that a library computes, alone or as fusions with what is done to their results.
#ifndef BACKENDS_CPU_LIBRARY_PRODUCT_THUNK_H_
#define BACKENDS_CPU_LIBRARY_PRODUCT_THUNK_H_

#include <array>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "backends/cpu/library/product/tiled_program.h"
#include "backends/plan/thunk_maker.h"

namespace xla {

// Where another thunk has left operands of a product.
using ComputedOperands = std::array<absl::optional<BufferSlice>, 2>;

// A dot, a convolution, or a fusion of one that FindEpilogue knows.
absl::StatusOr<std::unique_ptr<Thunk>> MakeProductThunk(const HloInstruction& instruction, PlanContext& context);

// The product of a fusion (FindProduct) alone, into `result`: for the rest there is another thunk. It takes the
// operands that are in memory, or stored as FindPrologue knows, from there; others from where another thunk leaves
// them: `computed`, by operand. `info` says what it reads, and what kind it is.
absl::StatusOr<std::unique_ptr<Thunk>> MakeFusedProductThunk(const HloInstruction& fusion,
                                                             const HloInstruction& product,
                                                             const ComputedOperands& computed,
                                                             const BufferSlice& result, PlanContext& context);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_PRODUCT_THUNK_H_
