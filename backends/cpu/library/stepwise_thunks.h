// Thunks of Fourier transforms, factorisations and triangular systems.
#ifndef BACKENDS_CPU_LIBRARY_STEPWISE_THUNKS_H_
#define BACKENDS_CPU_LIBRARY_STEPWISE_THUNKS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "backends/plan/thunk_maker.h"

namespace xla {

// An fft of row-major arrays.
absl::StatusOr<std::unique_ptr<Thunk>> MakeFftThunk(const HloInstruction& instruction, PlanContext& context);
// A cholesky or triangular-solve of row-major arrays.
absl::StatusOr<std::unique_ptr<Thunk>> MakeLinearSystemThunk(const HloInstruction& instruction, PlanContext& context);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_STEPWISE_THUNKS_H_
