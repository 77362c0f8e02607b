// Convolutions on oneDNN.
#ifndef BACKENDS_CPU_LIBRARY_CONVOLUTION_PROGRAM_H_
#define BACKENDS_CPU_LIBRARY_CONVOLUTION_PROGRAM_H_

#include <memory>

#include "absl/status/statusor.h"
#include "backends/cpu/library/tiled_program.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// By the layouts of the instruction: input and result with batch first and features last, the kernel in any order.
// rhs is the kernel. Errors: Unimplemented, with the reason, where oneDNN has nothing fast.
absl::StatusOr<std::unique_ptr<TiledProgram>> MakeConvolutionProgram(const HloInstruction& convolution);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_CONVOLUTION_PROGRAM_H_
