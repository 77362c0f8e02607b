// Convolutions by our own loops, of all types and attributes.
#ifndef BACKENDS_CPU_LIBRARY_CONVOLUTION_DIRECT_PROGRAM_H_
#define BACKENDS_CPU_LIBRARY_CONVOLUTION_DIRECT_PROGRAM_H_

#include <memory>

#include "absl/status/statusor.h"
#include "backends/cpu/library/product/tiled_program.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// By the layouts of the instruction. What falls between or outside the input's elements is left out, so that an
// infinite element of the kernel makes no NaN there. Errors: Unimplemented, with the reason.
absl::StatusOr<std::unique_ptr<TiledProgram>> MakeDirectConvolution(const HloInstruction& convolution);

// The same for 8-bit integers and arrays that have features last, if the processor has a matrix unit.
absl::StatusOr<std::unique_ptr<TiledProgram>> MakeMatrixUnitConvolution(const HloInstruction& convolution);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_CONVOLUTION_DIRECT_PROGRAM_H_
