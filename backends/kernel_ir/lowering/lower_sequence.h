// Sequences: several instructions as one kernel that runs on one thread. Loops and branches, with what they call,
// become loops and branches of the kernel; runs of small operations become one function instead of many.
//
//   body: i = add(p.0, 1)   x = fusion(p.1)          while %s0 = load i[0] ... {
//         ROOT tuple(i, copy(x))              ->       %s1 = add s32 %s0, 1 ...
//
// Every instruction is lowered as it would be alone. What it leaves in memory for the next one stays in a value instead
// where it is a scalar: through branches and from iteration to iteration. Small arrays of loops, and all that nothing
// else sees, is kept in scratch, which backends may keep in registers.
#ifndef BACKENDS_KERNEL_IR_LOWERING_LOWER_SEQUENCE_H_
#define BACKENDS_KERNEL_IR_LOWERING_LOWER_SEQUENCE_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/kernel_ir/kernel.h"
#include "backends/kernel_ir/lowering/lowering_cache.h"
#include "passes/memory/buffer_assignment.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// What a sequence may cost before it is better left to thunks, which several threads run and which can be stopped.
struct SequenceOptions {
  // In scalar operations, approximately. An iteration of a loop, or a sequence, of more work has no kernel.
  double max_work = 4e6;
  // A loop of more work, or of an unknown amount, stops in between: see LoweredSequence::is_resumed.
  double max_unwatched_work = 2e7;
  int64_t max_instructions = 3000;  // of the kernel
  // The same, where those that are much code count as more: functions such as exp as a dozen.
  double max_code = std::numeric_limits<double>::infinity();
  int64_t max_scratch_bytes = int64_t{64} << 10;
  // Products and sums that loops of the sequence wait for become one operation (contract_recurrence.h): for devices
  // that have it as an instruction, and callers who want that more than the interpreter's bits.
  bool contract_recurrences = false;
};

// A sequence's kernel, which runs on one thread, and what its buffers mean in terms of the module.
struct LoweredSequence {
  struct Buffer {
    // The leaf of an instruction's result that lives there; the literal itself of a constant if `is_literal`; nullptr:
    // memory of 8 bytes for `is_resumed`.
    const HloInstruction* value = nullptr;
    ShapeIndex leaf;
    bool is_literal = false;
    bool is_written = false;
  };
  Kernel kernel;
  std::vector<Buffer> buffers;  // the caller's, in order
  // The sequence is a loop, and the last buffer an s64: how many iterations to run at most. The kernel leaves the
  // number of iterations that are left there. If that is 0, the loop may not be at its end, and the kernel goes on when
  // it is run again.
  bool is_resumed = false;
  double work = 0;    // of an iteration if `is_resumed`, else of everything
  int64_t steps = 0;  // the same: instructions that do something
};

// Of one module and its memory, which outlive the lowerer. Equal fusions are lowered once.
class SequenceLowerer {
 public:
  explicit SequenceLowerer(const BufferAssignment& assignment);

  // Instructions of one computation, in order. Unimplemented, with the reason, for what has no such kernel or had
  // better have none, because there is work for several threads in it.
  absl::StatusOr<LoweredSequence> Lower(absl::Span<const HloInstruction* const> instructions,
                                        const SequenceOptions& options = {});
  // What `Lower` would tell of the buffers of instructions that are no loops or branches, but for literals and what
  // kernels work with, and far sooner. Unimplemented, with the reason, where their memory alone rules a kernel out.
  absl::StatusOr<std::vector<LoweredSequence::Buffer>> SharedBuffers(
      absl::Span<const HloInstruction* const> instructions) const;

 private:
  void AddReadersOfConditions();

  const BufferAssignment& assignment_;
  LoweringCache lowerings_;
  // By buffer: the instructions that have it in their result, or read it.
  std::vector<std::vector<const HloInstruction*>> users_;
};

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_LOWER_SEQUENCE_H_
