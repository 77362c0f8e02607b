// Convolutions: on oneDNN where it is fast, else by our own loops.
#ifndef BACKENDS_CPU_LIBRARY_CONVOLUTION_CONVOLUTION_PROGRAM_H_
#define BACKENDS_CPU_LIBRARY_CONVOLUTION_CONVOLUTION_PROGRAM_H_

#include <memory>

#include "absl/status/statusor.h"
#include "backends/cpu/library/product/tiled_program.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// By the layouts of the instruction. rhs is the kernel. Errors: Unimplemented, with the reason.
absl::StatusOr<std::unique_ptr<TiledProgram>> MakeConvolutionProgram(const HloInstruction& convolution);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_CONVOLUTION_CONVOLUTION_PROGRAM_H_
