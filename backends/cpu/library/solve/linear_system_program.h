// LinearSystemProgram: the work of a cholesky or triangular-solve instruction, cut into tiles.
//
// Matrices are packed into panels (solve_kernels.h), in f64, or in f32 where many of those are added anyway, so that
// results are rounded about once. Every panel is solved by block after block of the panels before it, which makes all
// but the blocks on the diagonal products of matrices.
#ifndef BACKENDS_CPU_LIBRARY_SOLVE_LINEAR_SYSTEM_PROGRAM_H_
#define BACKENDS_CPU_LIBRARY_SOLVE_LINEAR_SYSTEM_PROGRAM_H_

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "backends/cpu/library/solve/solve_kernels.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

class LinearSystemProgram {
 public:
  // Runs body(tile, scratch) for `tiles` tiles, in any order, on any thread, and returns when all are done.
  using RunTiles = absl::FunctionRef<void(int64_t tiles, absl::FunctionRef<void(int64_t tile, void* scratch)> body)>;

  virtual ~LinearSystemProgram() = default;
  LinearSystemProgram(const LinearSystemProgram&) = delete;
  LinearSystemProgram& operator=(const LinearSystemProgram&) = delete;

  // For a verified cholesky or triangular-solve of row-major arrays. Unimplemented, with the reason.
  static absl::StatusOr<std::unique_ptr<LinearSystemProgram>> Make(const HloInstruction& instruction,
                                                                   const SolveKernelSet& kernels = HostSolveKernels());

  // Bytes that a run needs, and that each tile of it does: 64-byte aligned, with any contents.
  int64_t workspace_bytes() const { return workspace_bytes_; }
  int64_t scratch_bytes() const { return scratch_bytes_; }
  // b: the other operand of a triangular-solve. The result may lie where cholesky's operand or b does.
  virtual void Run(const void* a, const void* b, void* result, void* workspace, RunTiles run_tiles) const = 0;

 protected:
  LinearSystemProgram() = default;

  int64_t workspace_bytes_ = 0;
  int64_t scratch_bytes_ = 0;
};

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_SOLVE_LINEAR_SYSTEM_PROGRAM_H_
