// Thunks of matrix products that the library computes.
#ifndef BACKENDS_CPU_PRODUCT_THUNKS_H_
#define BACKENDS_CPU_PRODUCT_THUNKS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "backends/cpu/plan/thunk_maker.h"

namespace xla {

// dot. Refuses what the library has no program for.
absl::StatusOr<std::unique_ptr<Thunk>> MakeProductThunk(const HloInstruction& instruction, PlanContext& context);

}  // namespace xla

#endif  // BACKENDS_CPU_PRODUCT_THUNKS_H_
