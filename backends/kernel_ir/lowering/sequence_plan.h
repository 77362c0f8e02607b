// SequencePlan: the steps of a sequence, each lowered alone, and the memory that they work on.
#ifndef BACKENDS_KERNEL_IR_LOWERING_SEQUENCE_PLAN_H_
#define BACKENDS_KERNEL_IR_LOWERING_SEQUENCE_PLAN_H_

#include <cstdint>
#include <set>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "backends/kernel_ir/kernel.h"
#include "backends/kernel_ir/lowering/lower_sequence.h"
#include "passes/memory/buffer_assignment.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// What lives in one place, as one type.
struct SequenceMemory {
  int64_t buffer = -1;  // of the assignment; -1: a constant's literal, or what a kernel works with
  PrimitiveType type = F32;
  int64_t elements = 0;
  const HloInstruction* value = nullptr;  // that lives there, or the constant
  ShapeIndex leaf;
  bool is_private = false;  // only the sequence sees it
  bool is_written = false;
  bool is_register = false;  // one element, which is a value of the kernel

  int64_t bytes() const { return elements * ByteWidth(type); }
};

// A kernel of one instruction, a loop or a branch. Regions hold the steps of the called computations in order.
struct SequenceStep {
  enum class Kind { kKernel, kLoop, kBranch };
  Kind kind = Kind::kKernel;
  // kKernel: what each buffer of `kernel` is, up to its scratch.
  Kernel kernel;
  std::vector<int> memories;
  // kLoop: condition and body; kBranch: the branches.
  std::vector<std::vector<SequenceStep>> regions;
  int selector = -1;  // kLoop: what the condition results in; kBranch: the pred or index
  // kLoop: the number of iterations, if it is known.
  absl::optional<int64_t> turns;
  std::set<int> written;  // memories that the regions write
};

// What WriteSequence joins to one kernel. Steps name memories by their place in `memories`.
struct SequencePlan {
  std::vector<SequenceStep> steps;
  std::vector<SequenceMemory> memories;
  bool has_loop = false;
  bool is_resumed = false;
  bool contracts_recurrences = false;
  double work = 0;
  int64_t step_count = 0;
};

// Where values are, and by buffer the instructions that have it in their result or read it.
struct MemoryOfModule {
  const BufferAssignment& assignment;
  absl::Span<const std::vector<const HloInstruction*>> users;
};

// The plan of a sequence; Unimplemented, with the reason, where an instruction cannot be part of it.
absl::StatusOr<SequencePlan> PlanSequence(const MemoryOfModule& memory, const SequenceOptions& options,
                                          LoweringCache& lowerings,
                                          absl::Span<const HloInstruction* const> instructions);

// Only the memories of the values that instructions without loops and branches read and write.
absl::StatusOr<SequencePlan> PlanMemory(const MemoryOfModule& memory,
                                        absl::Span<const HloInstruction* const> instructions);

// The sequence's kernel. `buffers` gets what its caller's buffers are.
Kernel WriteSequence(const SequencePlan& plan, std::vector<LoweredSequence::Buffer>* buffers);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_SEQUENCE_PLAN_H_
