// StepwiseProgram: work of fixed shapes that is run in steps, of which each is cut into tiles.
//
// A run asks for the tiles of one step after the other. How many there are, and so every bit of the result, depends on
// shapes and the processor only.
#ifndef BACKENDS_CPU_LIBRARY_BASE_STEPWISE_PROGRAM_H_
#define BACKENDS_CPU_LIBRARY_BASE_STEPWISE_PROGRAM_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"

namespace xla {

// Runs body(tile, scratch) for `tiles` tiles, in any order, on any thread, where `scratch` is as large as the program
// asks for; returns when all are done.
using TileRunner = absl::FunctionRef<void(int64_t tiles, absl::FunctionRef<void(int64_t tile, void* scratch)> body)>;

class StepwiseProgram {
 public:
  virtual ~StepwiseProgram() = default;
  StepwiseProgram(const StepwiseProgram&) = delete;
  StepwiseProgram& operator=(const StepwiseProgram&) = delete;

  // Bytes that a run needs, and that each tile of it does: 64-byte aligned, with any contents.
  int64_t workspace_bytes() const { return workspace_bytes_; }
  int64_t scratch_bytes() const { return scratch_bytes_; }
  // Takes the addresses of the instruction's operands and of its result.
  virtual void Run(absl::Span<const void* const> operands, void* result, void* workspace,
                   TileRunner run_tiles) const = 0;

 protected:
  StepwiseProgram() = default;

  int64_t workspace_bytes_ = 0;
  int64_t scratch_bytes_ = 0;
};

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_BASE_STEPWISE_PROGRAM_H_
