// Thunks of Fourier transforms.
#ifndef BACKENDS_CPU_LIBRARY_FFT_FFT_THUNK_H_
#define BACKENDS_CPU_LIBRARY_FFT_FFT_THUNK_H_

#include <memory>

#include "absl/status/statusor.h"
#include "backends/cpu/plan/thunk_maker.h"

namespace xla {

// An fft of row-major arrays.
absl::StatusOr<std::unique_ptr<Thunk>> MakeFftThunk(const HloInstruction& instruction, PlanContext& context);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_FFT_FFT_THUNK_H_
