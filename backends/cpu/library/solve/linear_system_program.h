// The work of a cholesky or triangular-solve instruction, cut into tiles.
//
// Matrices are packed into panels (solve_kernels.h), in f64, or in f32 where many of those are added anyway, so that
// results are rounded about once. Every panel is solved by block after block of the panels before it, which makes all
// but the blocks on the diagonal products of matrices.
#ifndef BACKENDS_CPU_LIBRARY_SOLVE_LINEAR_SYSTEM_PROGRAM_H_
#define BACKENDS_CPU_LIBRARY_SOLVE_LINEAR_SYSTEM_PROGRAM_H_

#include <memory>

#include "absl/status/statusor.h"
#include "backends/cpu/library/base/stepwise_program.h"
#include "backends/cpu/library/solve/solve_kernels.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// For a verified cholesky or triangular-solve of row-major arrays. Unimplemented, with the reason. The result may lie
// where the last operand does.
absl::StatusOr<std::unique_ptr<StepwiseProgram>> MakeLinearSystemProgram(
    const HloInstruction& instruction, const SolveKernelSet& kernels = HostSolveKernels());

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_SOLVE_LINEAR_SYSTEM_PROGRAM_H_
