#include "backends/kernel_ir/lowering/lower_sequence.h"

#include "backends/kernel_ir/lowering/sequence_plan.h"
#include "xla_core/support/status_macros.h"

namespace xla {

// Notes who uses each buffer, to know which of them are private to a sequence. Tuples only regroup, so that their
// users are not users of what is in them.
SequenceLowerer::SequenceLowerer(const BufferAssignment& assignment) : assignment_(assignment) {
  users_.resize(assignment.buffers().size());
  const Dataflow& dataflow = assignment.dataflow();
  for (Dataflow::Position position = 0; position < dataflow.position_count(); ++position) {
    const HloInstruction& instruction = dataflow.InstructionAt(position);
    const AssignedBuffer* const buffer = assignment.BufferAt(position);
    if (buffer == nullptr) continue;
    auto& users = users_[buffer->id];
    users.push_back(&instruction);
    for (const HloInstruction* user : instruction.users()) {
      // These have what they pass on in their own result.
      const bool hands_on = instruction.shape().IsTuple() &&
                            (user->opcode() == HloOpcode::kGetTupleElement || user->opcode() == HloOpcode::kTuple);
      if (!hands_on) users.push_back(user);
    }
  }
  AddReadersOfConditions();
}

// A loop reads what its condition results in, though it is not a user of it.
void SequenceLowerer::AddReadersOfConditions() {
  for (const HloComputation* computation : assignment_.dataflow().call_graph().ControlComputations()) {
    for (const HloInstruction* instruction : computation->LiveInstructions()) {
      if (instruction->opcode() != HloOpcode::kWhile) continue;
      const AssignedBuffer* const buffer = assignment_.BufferAt(*instruction->called_computation(0)->root());
      if (buffer != nullptr) users_[buffer->id].push_back(instruction);
    }
  }
}

absl::StatusOr<LoweredSequence> SequenceLowerer::Lower(absl::Span<const HloInstruction* const> instructions,
                                                       const SequenceOptions& options) {
  ASSIGN_OR_RETURN(const SequencePlan plan, PlanSequence({assignment_, users_}, options, lowerings_, instructions));
  LoweredSequence lowered;
  lowered.kernel = WriteSequence(plan, &lowered.buffers);
  lowered.kernel.name = instructions.back()->name();
  lowered.is_resumed = plan.is_resumed;
  lowered.work = plan.work;
  lowered.steps = plan.step_count;
  return lowered;
}

absl::StatusOr<std::vector<LoweredSequence::Buffer>> SequenceLowerer::SharedBuffers(
    absl::Span<const HloInstruction* const> instructions) const {
  ASSIGN_OR_RETURN(const SequencePlan plan, PlanMemory({assignment_, users_}, instructions));
  std::vector<LoweredSequence::Buffer> buffers;
  for (const SequenceMemory& memory : plan.memories) {
    if (memory.is_private || memory.elements == 0) continue;
    buffers.push_back({memory.value, memory.leaf, /*is_literal=*/false, memory.is_written});
  }
  return buffers;
}

}  // namespace xla
