// The work of an fft instruction, cut into tiles.
#ifndef BACKENDS_CPU_LIBRARY_FFT_FFT_PROGRAM_H_
#define BACKENDS_CPU_LIBRARY_FFT_FFT_PROGRAM_H_

#include <memory>

#include "absl/status/statusor.h"
#include "backends/cpu/library/base/stepwise_program.h"
#include "backends/cpu/library/fft/fft_kernels.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// For a verified fft of row-major arrays. Unimplemented if lines are too long. Transforms from complex to complex may
// run in place; else the result is apart from the operand.
absl::StatusOr<std::unique_ptr<StepwiseProgram>> MakeFftProgram(const HloInstruction& fft,
                                                                const FftKernelSet& kernels = HostFftKernels());

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_FFT_FFT_PROGRAM_H_
