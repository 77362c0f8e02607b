// FftProgram: the work of an fft instruction, cut into tiles.
#ifndef BACKENDS_CPU_LIBRARY_FFT_FFT_PROGRAM_H_
#define BACKENDS_CPU_LIBRARY_FFT_FFT_PROGRAM_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "backends/cpu/library/fft/fft_kernels.h"
#include "backends/cpu/library/fft/fft_line.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

class FftProgram {
 public:
  virtual ~FftProgram() = default;
  FftProgram(const FftProgram&) = delete;
  FftProgram& operator=(const FftProgram&) = delete;

  // For a verified fft of row-major arrays. Unimplemented if lines are too long.
  static absl::StatusOr<std::unique_ptr<FftProgram>> Make(const HloInstruction& fft,
                                                          const FftKernelSet& kernels = HostFftKernels());

  // Bytes that a run needs, and that each tile of it does: 64-byte aligned, with any contents.
  int64_t workspace_bytes() const { return workspace_bytes_; }
  int64_t scratch_bytes() const { return scratch_bytes_; }
  // Transforms from complex to complex may run in place; else the memory is apart.
  virtual void Run(const void* operand, void* result, void* workspace, RunFftTiles run_tiles) const = 0;

 protected:
  FftProgram() = default;

  int64_t workspace_bytes_ = 0;
  int64_t scratch_bytes_ = 0;
};

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_FFT_FFT_PROGRAM_H_
