#include "backends/cpu/sequence_thunks.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "backends/kernel_ir/lowering/kernel_cost.h"
#include "backends/kernel_ir/lowering/pointwise_loop.h"
#include "backends/plan/copy_thunks.h"
#include "passes/analyses/cost.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace {

// Scalar operations of a slice, approximately.
constexpr double kWorkOfSlice = 2e6;
// Between two looks at whether the run should stop.
constexpr double kMostWorkOfTile = 5e7;
// Instructions of a loop with all that it calls.
constexpr int64_t kMostInstructions = 1000;
// What tells, before anything is lowered, that an instruction is for a library or for several threads.
constexpr double kMostOperations = 200'000;
constexpr double kMostProductOperations = 8192;
// Of an instruction in a run of small ones, and how many these are at most.
constexpr int64_t kMostSmallBytes = 4096;
constexpr double kMostSmallOperations = 20'000;
constexpr int64_t kMostSmallInstructions = 24;
// Of a kernel of several small ones (SequenceOptions::max_code). What is more code gains little from being called
// together, and a function of twice the length takes LLVM more than twice the time.
constexpr double kMostCodeOfRun = 1000;

// It counts steps in the context, so that nothing else may run at the same time.
ThunkInfo Alone(ThunkInfo info) {
  info.serial_cost = 0;
  return info;
}

// Runs the kernel of a loop until the loop ends.
class ResumedLoopThunk : public Thunk {
 public:
  // `turns`: the s64 in memory that says how many iterations to run at most, and afterwards how many are left.
  ResumedLoopThunk(std::unique_ptr<Thunk> kernel, BufferSlice turns, double work, int64_t steps)
      : Thunk(Alone(kernel->info())),
        kernel_(std::move(kernel)),
        turns_(turns),
        turns_of_slice_(std::max<int64_t>(1, static_cast<int64_t>(kWorkOfSlice / std::max(work, 1.0)))),
        steps_(steps) {}

  // Runs the loop in slices of a bounded number of iterations. Between slices it checks deadline and step limit; the
  // kernel counts down the iterations that are left of a slice, and stops early when the loop ends.
  absl::Status Execute(ExecuteContext& context) const override {
    auto* const turns = static_cast<int64_t*>(context.Address(turns_));
    while (true) {
      const int64_t most = std::min(turns_of_slice_ - 1, std::max<int64_t>(0, context.steps_left / steps_)) + 1;
      *turns = most;
      RETURN_IF_ERROR(kernel_->Execute(context));
      const int64_t done = (most - *turns) * steps_;
      context.more_steps += done;
      context.steps_left -= done;
      if (*turns > 0 || context.steps_left < 0) return absl::OkStatus();
      RETURN_IF_ERROR(context.CheckStopped());
    }
  }

 private:
  const std::unique_ptr<Thunk> kernel_;
  const BufferSlice turns_;
  const int64_t turns_of_slice_;
  const int64_t steps_;
};

// A kernel that counts as several steps.
class CountedThunk : public Thunk {
 public:
  CountedThunk(std::unique_ptr<Thunk> kernel, int64_t steps)
      : Thunk(Alone(kernel->info())), kernel_(std::move(kernel)), more_steps_(std::max<int64_t>(0, steps - 1)) {}

  // Not where that is more than the limit of steps leaves, at which the run ends once it has counted them.
  absl::Status Execute(ExecuteContext& context) const override {
    context.more_steps += more_steps_;
    return more_steps_ < context.steps_left ? kernel_->Execute(context) : absl::OkStatus();
  }

 private:
  const std::unique_ptr<Thunk> kernel_;
  const int64_t more_steps_;
};

bool IsUpdate(const HloInstruction& instruction) {
  const HloInstruction* written = &instruction;
  if (written->opcode() == HloOpcode::kFusion) written = written->called_computation(0)->root();
  return written->opcode() == HloOpcode::kDynamicUpdateSlice;
}

double OperationsOf(const HloInstruction& instruction) {
  const Cost cost = OwnCost(instruction);
  const double operations = cost.flops + 10 * cost.transcendentals;
  return HasTrait(instruction.opcode(), opcode_trait::kProduct) && cost.flops > kMostProductOperations
             ? kMostOperations + operations
             : operations;
}

// What had better be a thunk of its own can often be told without lowering it.
bool MayBePart(const HloInstruction& instruction) {
  static constexpr OpcodeSet kAlone = {HloOpcode::kSort,       HloOpcode::kFft,      HloOpcode::kTopK,
                                       HloOpcode::kCustomCall, HloOpcode::kCholesky, HloOpcode::kTriangularSolve,
                                       HloOpcode::kAsyncStart};
  if (kAlone.Has(instruction.opcode()) || HasTrait(instruction.opcode(), opcode_trait::kCollective)) return false;
  if (IsWideConcatenate(instruction)) return false;
  if (IsUpdate(instruction)) return true;
  if (instruction.opcode() == HloOpcode::kFusion) {
    double operations = 0;
    for (const auto& inner : instruction.called_computation(0)->instructions()) operations += OperationsOf(*inner);
    return operations <= kMostOperations;
  }
  return !instruction.shape().IsArray() ||
         (OperationsOf(instruction) <= kMostOperations && instruction.shape().ElementCount() <= kMostOperations);
}

// With what it calls, counting instructions.
bool MayBeSequence(const HloInstruction& caller, int64_t& count) {
  std::vector<const HloInstruction*> pending = {&caller};
  while (!pending.empty()) {
    const HloInstruction* const next = pending.back();
    pending.pop_back();
    for (const HloComputation* callee : next->called_computations()) {
      for (const auto& instruction : callee->instructions()) {
        const HloOpcode opcode = instruction->opcode();
        if (++count > kMostInstructions || !MayBePart(*instruction)) return false;
        if (HasTrait(opcode, opcode_trait::kControlFlow)) pending.push_back(instruction.get());
      }
    }
  }
  return true;
}

// Whether it reads no more of its first operand than its result has.
bool ReadsPart(const HloInstruction& instruction) {
  static constexpr OpcodeSet kReadParts = {HloOpcode::kSlice, HloOpcode::kDynamicSlice, HloOpcode::kGather};
  return kReadParts.Has(instruction.opcode()) && instruction.operand(0)->shape().IsArray();
}

// So little work that to call it costs as much.
bool IsSmall(const HloInstruction& instruction) {
  const auto is_small = [](const Shape& shape) { return shape.IsArray() && shape.ByteSize() <= kMostSmallBytes; };
  const auto operands = instruction.operands().subspan(ReadsPart(instruction) ? 1 : 0);
  const bool has_small_result =
      instruction.shape().IsTuple()
          ? std::all_of(instruction.shape().tuple_shapes().begin(), instruction.shape().tuple_shapes().end(), is_small)
          : is_small(instruction.shape());
  if (!has_small_result || !instruction.control_predecessors().empty() ||
      HasTrait(instruction.opcode(), opcode_trait::kControlFlow) ||
      !std::all_of(operands.begin(), operands.end(),
                   [&](const HloInstruction* operand) { return is_small(operand->shape()); })) {
    return false;
  }
  if (!MayBePart(instruction)) return false;
  double operations = OperationsOf(instruction);
  if (instruction.opcode() == HloOpcode::kFusion) {
    for (const auto& inner : instruction.called_computation(0)->instructions()) operations += OperationsOf(*inner);
  }
  return operations <= kMostSmallOperations;
}

class SequenceThunks {
 public:
  SequenceThunks(KernelSet& kernels, bool contract_recurrences) : kernels_(kernels) {
    options_.contract_recurrences = contract_recurrences;
    run_options_ = options_;
    run_options_.max_code = kMostCodeOfRun;
  }

  absl::StatusOr<SequenceThunk> Make(absl::Span<const HloInstruction* const> instructions, PlanContext& context) {
    const HloOpcode opcode = instructions[0]->opcode();
    if (opcode != HloOpcode::kWhile && opcode != HloOpcode::kConditional) return MakeOfRun(instructions, context);
    ASSIGN_OR_RETURN(SequenceThunk pointwise, MakePointwise(*instructions[0], context));
    if (pointwise.thunk != nullptr) return pointwise;
    int64_t count = 1;
    if (!MayBeSequence(*instructions[0], count)) return SequenceThunk();
    return MakeOf(instructions.subspan(0, 1), count, options_, context);
  }

 private:
  // A loop whose iterations work on each element by itself, as one kernel that runs all iterations for one element
  // after another. An empty SequenceThunk where this does not apply, or where one tile would work too long to be
  // interruptible.
  absl::StatusOr<SequenceThunk> MakePointwise(const HloInstruction& loop, PlanContext& context) {
    const absl::optional<PointwiseLoopBuffers> buffers = BuffersOfPointwiseLoop(loop);
    if (!buffers.has_value()) return SequenceThunk();
    ThunkInfo info;
    info.kind = "kernel";
    info.instruction = &loop;
    for (const HloInstruction* input : buffers->inputs) info.reads.push_back(context.SliceOf(*input));
    std::vector<int> in_place;
    for (const ShapeIndex& output : buffers->outputs) {
      info.writes.push_back(context.SliceOf(loop, output));
      const auto same = std::find(info.reads.begin(), info.reads.end(), info.writes.back());
      in_place.push_back(same == info.reads.end() ? -1 : static_cast<int>(same - info.reads.begin()));
    }
    absl::StatusOr<LoweredKernel> lowered = LowerPointwiseLoop(loop, *buffers, kernels_.lowering_target(), in_place);
    if (absl::IsUnimplemented(lowered.status())) return SequenceThunk();
    RETURN_IF_ERROR(lowered.status());
    for (const KernelPhase& phase : lowered->kernel.phases) {
      if (CostByLevel(lowered->kernel, phase, 0)[0] > kMostWorkOfTile) return SequenceThunk();
    }
    const PointwiseLoop found = *FindPointwiseLoop(loop);
    int64_t count = 1;
    for (const HloComputation* callee : loop.called_computations()) count += callee->instruction_count();
    info.instruction_count = count;
    SequenceThunk made;
    ASSIGN_OR_RETURN(made.thunk, kernels_.Add(std::move(info), std::move(lowered), context));
    if (made.thunk == nullptr) return made;
    made.count = 1;
    made.thunk = std::make_unique<CountedThunk>(std::move(made.thunk), found.turns);
    return made;
  }

  // Of as many small instructions as there are one after the other, if they are two or more.
  absl::StatusOr<SequenceThunk> MakeOfRun(absl::Span<const HloInstruction* const> instructions, PlanContext& context) {
    const BufferAssignment& assignment = context.assignment();
    if (assignment.IsIdle(*instructions[0]) || refused_.contains(instructions[0])) return SequenceThunk();
    size_t end = 0;
    int64_t count = 0;
    for (size_t i = 0; i < instructions.size() && count < kMostSmallInstructions; ++i) {
      const bool is_idle = assignment.IsIdle(*instructions[i]);
      if (!is_idle && !IsSmall(*instructions[i])) break;
      if (is_idle) continue;
      ++count;
      end = i + 1;
    }
    // Buffers share memory later on, or are too much code together: fewer may do.
    const auto keep = [&](int64_t fewer) {
      for (; count > fewer; --end) {
        if (!assignment.IsIdle(*instructions[end - 1])) --count;
      }
    };
    while (count >= 2) {
      if (MustOverlap(instructions.subspan(0, end), context)) {
        keep(count - 1);
        continue;
      }
      ASSIGN_OR_RETURN(SequenceThunk made,
                       MakeOf(instructions.subspan(0, end), static_cast<int64_t>(end), run_options_, context));
      if (made.thunk != nullptr) return made;
      keep(count / 2);
    }
    refused_.insert(instructions[0]);
    return SequenceThunk();
  }

  // What can be told without lowering.
  bool MustOverlap(absl::Span<const HloInstruction* const> instructions, PlanContext& context) {
    const auto buffers = Lowerer(context).SharedBuffers(instructions);
    if (!buffers.ok()) return true;
    std::vector<BufferSlice> slices;
    for (const LoweredSequence::Buffer& buffer : *buffers) slices.push_back(SliceOf(buffer, context));
    return HaveOverlaps(*buffers, slices);
  }

  SequenceLowerer& Lowerer(PlanContext& context) {
    if (lowerer_ == nullptr) lowerer_ = std::make_unique<SequenceLowerer>(context.assignment());
    return *lowerer_;
  }

  // Several instructions as one kernel, which saves a thunk for each. If the kernel has a loop, it may be resumed: it
  // returns from time to time so that the run can be cancelled.
  absl::StatusOr<SequenceThunk> MakeOf(absl::Span<const HloInstruction* const> instructions, int64_t count,
                                       const SequenceOptions& options, PlanContext& context) {
    absl::StatusOr<LoweredSequence> lowered = Lowerer(context).Lower(instructions, options);
    if (absl::IsUnimplemented(lowered.status())) return SequenceThunk();
    RETURN_IF_ERROR(lowered.status());
    ThunkInfo info;
    info.kind = "kernel";
    info.instruction = instructions.back();
    info.instruction_count = count;
    std::vector<BufferSlice> slices;
    for (const LoweredSequence::Buffer& buffer : lowered->buffers) {
      slices.push_back(SliceOf(buffer, context));
      (buffer.is_written ? info.writes : info.reads).push_back(slices.back());
    }
    if (HaveOverlaps(lowered->buffers, slices)) return SequenceThunk();
    const BufferSlice turns = lowered->is_resumed ? slices.back() : BufferSlice();
    SequenceThunk made;
    made.count = static_cast<int64_t>(instructions.size());
    ASSIGN_OR_RETURN(made.thunk,
                     kernels_.AddKernel(std::move(info), std::move(slices), std::move(lowered->kernel), context));
    if (lowered->is_resumed) {
      made.thunk = std::make_unique<ResumedLoopThunk>(std::move(made.thunk), turns, lowered->work, lowered->steps);
    } else {
      made.thunk = std::make_unique<CountedThunk>(std::move(made.thunk), lowered->steps);
    }
    return made;
  }

  static BufferSlice SliceOf(const LoweredSequence::Buffer& buffer, PlanContext& context) {
    if (buffer.value == nullptr) return context.TakeWorkspace(sizeof(int64_t));
    if (!buffer.is_literal) return context.SliceOf(*buffer.value, buffer.leaf);
    return context.PlaceConstant(*buffer.value->attributes<ConstantAttributes>().literal);
  }

  // Buffers that are in use at different times may share memory, but not within one kernel.
  static bool HaveOverlaps(const std::vector<LoweredSequence::Buffer>& buffers,
                           const std::vector<BufferSlice>& slices) {
    for (size_t i = 0; i < slices.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if ((buffers[i].is_written || buffers[j].is_written) && slices[i].Overlaps(slices[j])) return true;
      }
    }
    return false;
  }

  KernelSet& kernels_;
  SequenceOptions options_;
  SequenceOptions run_options_;
  std::unique_ptr<SequenceLowerer> lowerer_;
  absl::flat_hash_set<const HloInstruction*> refused_;  // as the first of a run
};

}  // namespace

SequenceMaker MakeSequenceMaker(KernelSet& kernels, bool contract_recurrences) {
  auto maker = std::make_shared<SequenceThunks>(kernels, contract_recurrences);
  return [maker](absl::Span<const HloInstruction* const> instructions, PlanContext& context) {
    return maker->Make(instructions, context);
  };
}

}  // namespace xla
