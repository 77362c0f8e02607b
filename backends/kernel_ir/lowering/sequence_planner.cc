// PlanSequence: which steps a sequence has, what memory they work on, and whether it is worth a kernel.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "backends/kernel_ir/instruction_cost.h"
#include "backends/kernel_ir/lowering/kernel_cost.h"
#include "backends/kernel_ir/lowering/sequence_plan.h"
#include "passes/analyses/trip_counts.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/side_effects.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Loops and branches within each other.
constexpr int kMaxNestedLoops = 8;

absl::Status Refuse(const HloInstruction& instruction, absl::string_view why) {
  return absl::UnimplementedError(absl::StrCat(instruction.name(), ": ", why));
}

int64_t CountInstructions(const KernelRegion& region) {
  int64_t count = static_cast<int64_t>(region.instructions.size());
  for (const KernelInstruction& instruction : region.instructions) {
    for (const KernelRegion& nested : instruction.regions) count += CountInstructions(nested);
  }
  return count;
}

// See SequenceOptions::max_code.
double CodeOf(const KernelRegion& region) {
  double code = 0;
  for (const KernelInstruction& instruction : region.instructions) {
    code += std::max(1.0, InstructionCost(instruction));
    for (const KernelRegion& nested : instruction.regions) code += CodeOf(nested);
  }
  return code;
}

class Planner {
 public:
  Planner(const MemoryOfModule& memory, const SequenceOptions& options, LoweringCache* lowerings)
      : assignment_(memory.assignment), users_(memory.users), options_(options), lowerings_(lowerings) {}

  // Plans the steps of a sequence, and fails where an instruction cannot be part of it. A loop by itself may run any
  // number of iterations; within a sequence, the whole work must be bounded.
  absl::StatusOr<SequencePlan> Plan(absl::Span<const HloInstruction* const> instructions) {
    FindInsiders(instructions);
    Total total;
    for (const HloInstruction* instruction : instructions) {
      const bool is_alone = instructions.size() == 1 && instruction->opcode() == HloOpcode::kWhile;
      RETURN_IF_ERROR(is_alone ? AddOnlyLoop(*instruction, total) : Add(*instruction, plan_.steps, total));
    }
    RETURN_IF_ERROR(CheckMemory(*instructions[0]));
    plan_.work = total.work;
    plan_.step_count = total.steps;
    plan_.contracts_recurrences = options_.contract_recurrences;
    return std::move(plan_);
  }

  absl::StatusOr<SequencePlan> PlanMemory(absl::Span<const HloInstruction* const> instructions) {
    FindInsiders(instructions);
    for (const HloInstruction* instruction : instructions) {
      if (!assignment_.IsIdle(*instruction)) RETURN_IF_ERROR(FindMemories(*instruction).status());
    }
    return std::move(plan_);
  }

 private:
  using Steps = std::vector<SequenceStep>;
  struct Total {
    double work = 0;
    int64_t steps = 0;
  };

  // ---- Memory

  // All instructions that run as part of the sequence, those in called computations included: a buffer that only
  // these see can be private.
  void FindInsiders(absl::Span<const HloInstruction* const> instructions) {
    inside_.insert(instructions.begin(), instructions.end());
    std::vector<const HloInstruction*> pending(instructions.begin(), instructions.end());
    while (!pending.empty()) {
      const HloInstruction* const caller = pending.back();
      pending.pop_back();
      if (!HasTrait(caller->opcode(), opcode_trait::kControlFlow)) continue;
      for (const HloComputation* callee : caller->called_computations()) {
        for (const auto& instruction : callee->instructions()) {
          if (inside_.insert(instruction.get()).second) pending.push_back(instruction.get());
        }
      }
    }
  }

  bool IsPrivate(const AssignedBuffer& buffer) const {
    if (buffer.kind != AssignedBuffer::Kind::kTemporary) return false;
    const auto& users = users_[buffer.id];
    return std::all_of(users.begin(), users.end(), [&](const auto* user) { return inside_.contains(user); });
  }

  int AddMemory(SequenceMemory memory) {
    memory.is_register = memory.elements == 1;
    plan_.memories.push_back(std::move(memory));
    return static_cast<int>(plan_.memories.size()) - 1;
  }

  // The memory of a leaf, found by its buffer, type and size. Buffers that only this sequence sees may be seen as
  // several memories; any other has one type.
  absl::StatusOr<int> MemoryOf(const HloInstruction& instruction, const ShapeIndex& leaf) {
    const AssignedBuffer* const buffer = assignment_.BufferAt(instruction, leaf);
    if (buffer == nullptr) return Refuse(instruction, "it lives nowhere");
    const Shape& shape = *SubshapeAt(instruction.shape(), leaf);
    const bool is_private = IsPrivate(*buffer);
    std::vector<int>& known = memories_of_[buffer->id];
    for (const int i : known) {
      const SequenceMemory& memory = plan_.memories[i];
      if (memory.type == shape.element_type() && memory.elements == shape.ElementCount()) return i;
      // Where nothing looks from outside, one place is as good as two: views keep the type, as was checked.
      if (!is_private) return Refuse(instruction, "its memory is seen as another type too");
    }
    SequenceMemory memory;
    memory.buffer = buffer->id;
    memory.type = shape.element_type();
    memory.elements = shape.ElementCount();
    memory.value = &instruction;
    memory.leaf = leaf;
    memory.is_private = is_private;
    known.push_back(AddMemory(std::move(memory)));
    return known.back();
  }

  int LiteralMemory(const HloInstruction& constant, const KernelBuffer& buffer) {
    const auto [place, is_new] = literals_.try_emplace(&constant, 0);
    if (is_new) {
      SequenceMemory memory;
      memory.type = buffer.type;
      memory.elements = buffer.element_count;
      memory.value = &constant;
      place->second = AddMemory(std::move(memory));
    }
    return place->second;
  }

  int WorkspaceMemory(const KernelBuffer& buffer) {
    SequenceMemory memory;
    memory.type = buffer.type;
    memory.elements = buffer.element_count;
    memory.is_private = true;
    return AddMemory(std::move(memory));
  }

  absl::Status CheckMemory(const HloInstruction& first) const {
    if (scratch_bytes_ <= options_.max_scratch_bytes) {
      int64_t bytes = scratch_bytes_;
      for (const SequenceMemory& memory : plan_.memories) {
        if (memory.is_private && !memory.is_register) bytes += memory.bytes();
        if (bytes > options_.max_scratch_bytes) break;
      }
      if (bytes <= options_.max_scratch_bytes) return absl::OkStatus();
    }
    return Refuse(first, "it would keep too many arrays in scratch");
  }

  // ---- Steps

  // Adds an instruction by its kind; copies whose ends share memory need no step.
  absl::Status Add(const HloInstruction& instruction, Steps& steps, Total& total) {
    if (instruction.opcode() == HloOpcode::kBitcast &&
        instruction.shape().element_type() != instruction.operand(0)->shape().element_type()) {
      return Refuse(instruction, "the same memory as another type");
    }
    const HloOpcode opcode = instruction.opcode();
    if (opcode == HloOpcode::kWhile) return AddLoop(instruction, steps, total);
    if (opcode == HloOpcode::kConditional) return AddBranch(instruction, steps, total);
    if (opcode == HloOpcode::kCall) return AddAll(*instruction.called_computation(0), steps, total);
    return assignment_.IsIdle(instruction) ? absl::OkStatus() : AddKernel(instruction, steps, total);
  }

  absl::Status AddAll(const HloComputation& computation, Steps& steps, Total& total) {
    if (++nesting_ > kMaxNestedLoops) return Refuse(*computation.root(), "loops and branches are nested too deeply");
    for (const auto& instruction : computation.instructions()) RETURN_IF_ERROR(Add(*instruction, steps, total));
    --nesting_;
    if (total.work > options_.max_work) return Refuse(*computation.root(), "there is work for several threads");
    return absl::OkStatus();
  }

  static absl::Status CheckArray(const HloInstruction& instruction, const Shape& shape) {
    if (shape.IsArray() && !shape.IsDynamic()) return absl::OkStatus();
    return Refuse(instruction, "kernels work on static arrays only");
  }

  // Those of operands, then of results, and by result which operand it takes the place of, or -1.
  struct Memories {
    std::vector<int> all;
    std::vector<int> in_place_of;
  };

  absl::StatusOr<Memories> FindMemories(const HloInstruction& instruction) {
    Memories found;
    std::vector<int>& memories = found.all;
    for (const HloInstruction* operand : instruction.operands()) {
      RETURN_IF_ERROR(CheckArray(instruction, operand->shape()));
      ASSIGN_OR_RETURN(const int memory, MemoryOf(*operand, {}));
      memories.push_back(memory);
    }
    const size_t inputs = memories.size();
    const bool is_tuple = instruction.shape().IsTuple();
    for (int64_t i = 0; i < (is_tuple ? instruction.shape().tuple_size() : 1); ++i) {
      const ShapeIndex leaf = is_tuple ? ShapeIndex{i} : ShapeIndex();
      RETURN_IF_ERROR(CheckArray(instruction, *SubshapeAt(instruction.shape(), leaf)));
      ASSIGN_OR_RETURN(const int memory, MemoryOf(instruction, leaf));
      const auto operand = std::find(memories.begin(), memories.begin() + inputs, memory);
      const bool is_in_place = operand != memories.begin() + inputs && plan_.memories[memory].elements > 0;
      found.in_place_of.push_back(is_in_place ? static_cast<int>(operand - memories.begin()) : -1);
      plan_.memories[memory].is_written = true;
      memories.push_back(memory);
    }
    return found;
  }

  // Adds an instruction's kernel to the sequence. Kernels with work for several threads, with side effects or of too
  // much code are refused.
  absl::Status AddKernel(const HloInstruction& instruction, Steps& steps, Total& total) {
    if (HasOwnSideEffect(instruction)) return Refuse(instruction, "it has side effects");
    const size_t inputs = instruction.operand_count();
    ASSIGN_OR_RETURN(Memories found, FindMemories(instruction));
    std::vector<int>& memories = found.all;
    ASSIGN_OR_RETURN(LoweredKernel lowered, lowerings_->LowerInstruction(instruction, found.in_place_of));
    for (const HloInstruction* extra : lowered.extras) {
      const KernelBuffer& buffer = lowered.kernel.buffers[memories.size()];
      memories.push_back(extra == nullptr ? WorkspaceMemory(buffer) : LiteralMemory(*extra, buffer));
      if (extra == nullptr) plan_.memories[memories.back()].is_written = true;
      if (extra != nullptr && extra->attributes<ConstantAttributes>().literal == nullptr) {
        return Refuse(*extra, "its value was left out when the module was printed");
      }
    }
    for (const KernelPhase& phase : lowered.kernel.phases) {
      if (phase.tile_count > 1) return Refuse(instruction, "there is work for several threads");
      instructions_ += CountInstructions(phase.body);
      code_ += CodeOf(phase.body);
      total.work += CostByLevel(lowered.kernel, phase, 0)[0];
      for (const KernelInstruction& top : phase.body.instructions) NoteStores(top.regions, memories);
    }
    ++total.steps;
    scratch_bytes_ += lowered.kernel.ScratchBytes();
    if (instructions_ > options_.max_instructions || code_ > options_.max_code) {
      return Refuse(instruction, "it is too much code for one kernel");
    }
    SequenceStep step;
    step.kernel = std::move(lowered.kernel);
    step.memories = std::move(memories);
    for (size_t i = inputs; i < step.memories.size(); ++i) {
      if (plan_.memories[step.memories[i]].is_written) step.written.insert(step.memories[i]);
    }
    steps.push_back(std::move(step));
    return absl::OkStatus();
  }

  // What is stored within loops of a kernel stays in memory.
  void NoteStores(const std::vector<KernelRegion>& regions, const std::vector<int>& memories) {
    for (const KernelRegion& region : regions) {
      for (const KernelInstruction& instruction : region.instructions) {
        if (instruction.op == KernelOp::kStore && instruction.buffer < static_cast<int>(memories.size())) {
          plan_.memories[memories[instruction.buffer]].is_register = false;
        }
        NoteStores(instruction.regions, memories);
      }
    }
  }

  absl::Status AddRegions(const HloInstruction& instruction, SequenceStep& step, std::vector<Total>& totals) {
    for (const HloComputation* callee : instruction.called_computations()) {
      step.regions.emplace_back();
      totals.emplace_back();
      RETURN_IF_ERROR(AddAll(*callee, step.regions.back(), totals.back()));
      for (const SequenceStep& inner : step.regions.back()) {
        step.written.insert(inner.written.begin(), inner.written.end());
      }
    }
    return absl::OkStatus();
  }

  // A loop as a step, with its number of iterations if that is known. `turn` gets the cost of one iteration.
  absl::StatusOr<SequenceStep> LoopStep(const HloInstruction& loop, Total& turn) {
    plan_.has_loop = true;
    SequenceStep step;
    step.kind = SequenceStep::Kind::kLoop;
    std::vector<Total> totals;
    RETURN_IF_ERROR(AddRegions(loop, step, totals));
    ASSIGN_OR_RETURN(step.selector, MemoryOf(*loop.called_computation(0)->root(), {}));
    turn.work = 1 + totals[0].work + totals[1].work;
    turn.steps = std::max<int64_t>(1, totals[0].steps + totals[1].steps);
    const absl::optional<LoopCounter> counter = FindLoopCounter(loop);
    if (counter.has_value()) step.turns = counter->trip_count;
    return step;
  }

  absl::Status AddLoop(const HloInstruction& loop, Steps& steps, Total& total) {
    Total turn;
    ASSIGN_OR_RETURN(SequenceStep step, LoopStep(loop, turn));
    if (!step.turns.has_value()) return Refuse(loop, "it is unknown how long it runs, and it is not alone");
    total.work += turn.work * static_cast<double>(*step.turns);
    if (total.work > options_.max_work) return Refuse(loop, "it is too much work to be watched from outside");
    total.steps += turn.steps * *step.turns;
    steps.push_back(std::move(step));
    return absl::OkStatus();
  }

  // The loop is written as one kernel call if its work is known and not too long; otherwise it is resumed from time
  // to time, so that the run can be cancelled.
  absl::Status AddOnlyLoop(const HloInstruction& loop, Total& total) {
    ASSIGN_OR_RETURN(SequenceStep step, LoopStep(loop, total));
    const bool is_known =
        step.turns.has_value() && total.work * static_cast<double>(*step.turns) <= options_.max_unwatched_work;
    if (is_known) {
      total.work *= static_cast<double>(*step.turns);
      total.steps *= *step.turns;
    } else {
      step.turns.reset();
      plan_.is_resumed = true;
    }
    plan_.steps.push_back(std::move(step));
    return absl::OkStatus();
  }

  // A conditional counts with its most expensive branch.
  absl::Status AddBranch(const HloInstruction& conditional, Steps& steps, Total& total) {
    SequenceStep step;
    step.kind = SequenceStep::Kind::kBranch;
    std::vector<Total> totals;
    RETURN_IF_ERROR(AddRegions(conditional, step, totals));
    ASSIGN_OR_RETURN(step.selector, MemoryOf(*conditional.operand(0), {}));
    Total most;
    for (const Total& branch : totals) {
      most.work = std::max(most.work, branch.work);
      most.steps = std::max(most.steps, branch.steps);
    }
    total.work += most.work;
    total.steps += most.steps;
    steps.push_back(std::move(step));
    return absl::OkStatus();
  }

  const BufferAssignment& assignment_;
  const absl::Span<const std::vector<const HloInstruction*>> users_;
  const SequenceOptions& options_;
  LoweringCache* const lowerings_;  // of the kernels that are wanted
  SequencePlan plan_;
  absl::flat_hash_set<const HloInstruction*> inside_;
  absl::flat_hash_map<int64_t, std::vector<int>> memories_of_;  // by buffer
  absl::flat_hash_map<const HloInstruction*, int> literals_;
  int64_t instructions_ = 0;
  double code_ = 0;
  int64_t scratch_bytes_ = 0;
  int nesting_ = 0;
};

}  // namespace

absl::StatusOr<SequencePlan> PlanSequence(const MemoryOfModule& memory, const SequenceOptions& options,
                                          LoweringCache& lowerings,
                                          absl::Span<const HloInstruction* const> instructions) {
  return Planner(memory, options, &lowerings).Plan(instructions);
}

absl::StatusOr<SequencePlan> PlanMemory(const MemoryOfModule& memory,
                                        absl::Span<const HloInstruction* const> instructions) {
  const SequenceOptions options;
  return Planner(memory, options, /*lowerings=*/nullptr).PlanMemory(instructions);
}

}  // namespace xla
