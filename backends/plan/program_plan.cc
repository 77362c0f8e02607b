#include "backends/plan/program_plan.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "backends/plan/kept_values.h"
#include "backends/runtime/evaluator_thunk.h"
#include "backends/runtime/kept_thunk.h"
#include "backends/runtime/memory_order.h"
#include "backends/runtime/overlap.h"
#include "backends/runtime/poison_thunk.h"
#include "passes/analyses/side_effects.h"
#include "passes/analyses/trip_counts.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/resource_poll.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using Kind = AssignedBuffer::Kind;
using Event = PlanTrace::Event;

absl::Status CannotPlan(const HloInstruction& instruction, absl::string_view why) {
  return absl::UnimplementedError(absl::StrCat(instruction.name(), ": ", why));
}

constexpr int64_t kAlignment = 64;

bool IsPacked(const Shape& array) {
  return array.layout() != nullptr && array.layout()->element_size_in_bits > 0 &&
         array.layout()->element_size_in_bits < 8;
}

// A bitcast is a view of the operand's memory, if that is how its result is stored.
bool IsSameInMemory(const HloInstruction& bitcast) {
  const Shape& from = bitcast.operand(0)->shape();
  const Shape& to = bitcast.shape();
  if (from.IsDynamic() || to.IsDynamic()) return from.Equal(to, Shape::kIgnoreLayout);
  if (IsPacked(from) || IsPacked(to)) return false;
  const bool uses_all_bits = to.element_type() != PRED && !IsSubByte(to.element_type());
  return uses_all_bits || from.element_type() == to.element_type();
}

void SetLeafShapes(const Shape& shape, ProgramPlan::Result*& next) {
  if (!shape.IsTuple()) {
    (next++)->shape = shape;
    return;
  }
  for (const Shape& element : shape.tuple_shapes()) SetLeafShapes(element, next);
}

class Planner : public PlanContext {
 public:
  Planner(std::shared_ptr<const HloModule> module, BufferAssignment assignment, absl::Span<const ThunkMaker> makers,
          const SequenceMaker& make_sequence, const PlanOptions& options, CompileReport* report)
      : PlanContext(module.get()),
        assignment_(std::move(assignment)),
        makers_(makers),
        make_sequence_(make_sequence),
        options_(options),
        report_(report) {
    plan_.module = std::move(module);
    plan_.poisons_memory = options.poisons_memory;
    if (options.keeps_trace) plan_.trace = std::make_unique<PlanTrace>();
  }

  // Decides first which values are kept between runs; whether a program has weights follows from that too.
  absl::StatusOr<ProgramPlan> Run() {
    ASSIGN_OR_RETURN(is_kept_, FindKeptBuffers(module(), assignment_, options_.weights, options_.resources));
    plan_.has_weights =
        !options_.weights.empty() || std::find(is_kept_.begin(), is_kept_.end(), true) != is_kept_.end();
    RETURN_IF_ERROR(PlaceBuffers());
    RETURN_IF_ERROR(AddSteps());
    for (const auto& finish : finishes_) RETURN_IF_ERROR(finish());
    if (has_dynamic_) plan_.dynamic_buffer_count = static_cast<int64_t>(assignment_.buffers().size());
    if (plan_.trace != nullptr) {
      plan_.trace->assignment = std::move(assignment_);
      plan_.trace->slices = std::move(slices_);
    }
    return std::move(plan_);
  }

  // ---- PlanContext.
  BufferSlice SliceOf(const HloInstruction& instruction, const ShapeIndex& leaf) const override {
    const AssignedBuffer* const buffer = assignment_.BufferAt(instruction, leaf);
    if (buffer == nullptr) return BufferSlice();
    BufferSlice slice = slices_[buffer->id];
    slice.bytes = SubshapeAt(instruction.shape(), leaf)->ByteSize();
    return slice;
  }
  bool IsConstant(const HloInstruction& instruction) const override {
    const AssignedBuffer* const buffer = assignment_.BufferAt(instruction, {});
    return buffer != nullptr && buffer->kind == Kind::kConstant;
  }
  bool IsWeight(const HloInstruction& instruction) const override {
    const AssignedBuffer* const buffer = assignment_.BufferAt(instruction, {});
    return buffer != nullptr && (is_kept_[buffer->id] || IsWeightBuffer(*buffer, options_.weights));
  }
  BufferSlice PlaceConstant(const Literal& array) override {
    return AddConstant(array.untyped_data(), array.size_bytes());
  }
  BufferSlice TakeWorkspace(int64_t bytes) override {
    const int64_t begin = workspace_begin_ + workspace_taken_;
    workspace_taken_ += RoundUp(bytes, kAlignment);
    plan_.arena_bytes = std::max(plan_.arena_bytes, workspace_begin_ + workspace_taken_);
    return {BufferSlice::kArena, begin, bytes};
  }
  const BufferAssignment& assignment() const override { return assignment_; }
  DeviceCounts device_counts() const override { return options_.device_counts; }
  int32_t SlotOf(const HloInstruction& instruction) const override {
    const auto found = slots_.find(&instruction);
    return found == slots_.end() ? -1 : found->second;
  }
  void UseEvaluator() override { plan_.uses_evaluator = true; }
  void Refuse(std::string reason) override { refusal_ = std::move(reason); }
  void BeforeFirstRun(std::function<absl::Status()> finish) override { finishes_.push_back(std::move(finish)); }

 private:
  // Steps that are still to be added, the next at the end: bodies nest as deeply as they like.
  struct Task {
    enum class Kind { kInstructions, kLabel, kStep, kPoison };
    Kind kind;
    const HloComputation* computation = nullptr;  // kInstructions: from number `next` on
    int64_t next = 0;
    int32_t label = 0;  // kLabel; also the target of a jump
    ProgramStep step;
    // What happens there, for the trace; of kPoison the loop.
    Event::Kind event = Event::Kind::kThunk;
    const HloInstruction* instruction = nullptr;
    int64_t number = 0;
  };

  // A step that poisons what is dead between the iterations of a loop, once all places are known.
  struct Poisoning {
    const HloInstruction* loop;
    size_t step;
    size_t thunk;
  };

  struct Stretches {
    std::vector<const HloInstruction*> instructions;  // of a computation
    std::vector<int64_t> ends;                        // for each, where a sequence that begins there ends at the latest
  };

  // ---- Memory.

  absl::Status PlaceBuffers() {
    ResourcePoll poll(options_.resources);
    plan_.arena_bytes = assignment_.arena_bytes();
    workspace_begin_ = RoundUp(plan_.arena_bytes, kAlignment);
    FindResultShapes();
    for (const AssignedBuffer& buffer : assignment_.buffers()) {
      RETURN_IF_ERROR(poll.Check(1 + static_cast<int64_t>(buffer.values.size())));
      slices_.push_back(PlaceBuffer(buffer));
    }
    return absl::OkStatus();
  }

  void FindResultShapes() {
    plan_.result_shape = module().entry()->root()->shape();
    const Dataflow& dataflow = assignment_.dataflow();
    const HloInstruction& root = *module().entry()->root();
    const Dataflow::Position first = dataflow.FirstPosition(root);
    for (int64_t i = 0; i < dataflow.PositionCount(root); ++i) {
      ProgramPlan::Result result;
      result.shape = dataflow.ShapeAt(first + i);
      plan_.results.push_back(std::move(result));
    }
  }

  // Where a buffer lies: kept values in their block, temporaries in the arena, constants, arguments and results at a
  // base of their own. Dynamic arrays also have a place for their run-time sizes.
  BufferSlice PlaceBuffer(const AssignedBuffer& buffer) {
    if (buffer.kind == Kind::kConstant) return PlaceConstantBuffer(buffer);
    if (is_kept_[buffer.id]) return PlaceKept(buffer.bytes);
    if (buffer.kind == Kind::kTemporary) return {BufferSlice::kArena, buffer.offset, buffer.bytes};
    const BufferSlice slice = {plan_.base_count++, 0, buffer.bytes};
    int32_t argument_place = -1;
    const bool is_dynamic = IsDynamic(buffer);
    if (is_dynamic) has_dynamic_ = true;
    const int32_t dynamic_buffer = is_dynamic ? static_cast<int32_t>(buffer.id) : -1;
    if (buffer.kind == Kind::kArgument) {
      argument_place = static_cast<int32_t>(plan_.arguments.size());
      const bool is_written = buffer.values.size() > 1;
      plan_.arguments.push_back(
          {slice.base, buffer.parameter_number, buffer.parameter_index, is_written, dynamic_buffer});
      if (IsWeightBuffer(buffer, options_.weights)) plan_.weight_bases.push_back(slice.base);
    }
    if (buffer.result_leaf >= 0) {
      ProgramPlan::Result& result = plan_.results[buffer.result_leaf];
      result.base = slice.base;
      result.argument = argument_place;
      result.dynamic_buffer = dynamic_buffer;
    }
    return slice;
  }

  BufferSlice PlaceKept(int64_t bytes) {
    if (plan_.kept_base == BufferSlice::kNowhere) plan_.kept_base = plan_.base_count++;
    const int64_t offset = plan_.kept_bytes;
    plan_.kept_bytes += RoundUp(bytes, kAlignment);
    return {plan_.kept_base, offset, bytes};
  }

  bool IsDynamic(const AssignedBuffer& buffer) const {
    const Dataflow& dataflow = assignment_.dataflow();
    return std::any_of(buffer.values.begin(), buffer.values.end(),
                       [&](Dataflow::Value value) { return dataflow.ShapeAt(value).IsDynamic(); });
  }

  // Which element of a constant that is a tuple it is; {} of an array.
  ShapeIndex IndexOfConstant(const AssignedBuffer& buffer) const {
    const Dataflow& dataflow = assignment_.dataflow();
    for (const Dataflow::Value value : buffer.values) {
      if (&dataflow.InstructionAt(value) == buffer.first_definer) return dataflow.IndexAt(value);
    }
    return {};
  }

  // Instructions may share a literal, and what shares elements is one constant.
  BufferSlice AddConstant(const void* data, int64_t bytes) {
    const auto [place, is_new] = constants_.emplace(data, static_cast<int32_t>(plan_.constants.size()));
    if (is_new) plan_.constants.push_back({data, bytes});
    plan_.constants[place->second].bytes = std::max(plan_.constants[place->second].bytes, bytes);
    return BufferSlice::OfConstant(place->second, bytes);
  }

  // Literals are row-major, so that a constant of another layout is copied once, into memory that the plan owns. A
  // constant without a value makes a program that compiles but does not run.
  BufferSlice PlaceConstantBuffer(const AssignedBuffer& buffer) {
    const HloInstruction& constant = *buffer.first_definer;
    const Literal* literal = constant.attributes<ConstantAttributes>().literal.get();
    const ShapeIndex index = IndexOfConstant(buffer);
    const Shape& shape = *SubshapeAt(constant.shape(), index);
    if (literal == nullptr) {
      if (plan_.can_run.ok()) {
        plan_.can_run = absl::FailedPreconditionError(
            absl::StrCat(constant.name(),
                         ": the value of this constant was left out when the module was printed ({...}), so it can be "
                         "read and printed but not run; print the module with large constants"));
      }
      return BufferSlice();
    }
    for (const int64_t element : index) literal = &literal->element(static_cast<int>(element));
    if (!shape.IsRowMajor()) {
      absl::StatusOr<Literal> allocated = Literal::Allocate(shape);
      if (!allocated.ok()) {
        plan_.can_run = allocated.status();
        return BufferSlice();
      }
      auto reordered = std::make_unique<Literal>(*std::move(allocated));
      CopyFromRowMajor(shape, literal->untyped_data(), reordered->untyped_mutable_data());
      literal = reordered.get();
      plan_.reordered_constants.push_back(std::move(reordered));
    }
    return PlaceConstant(*literal);
  }

  // ---- Steps.

  // Works through a stack of tasks instead of recursion, for loops and branches may nest deeply. Jump targets are
  // labels until all steps are known.
  absl::Status AddSteps() {
    plan_.program.entry_instructions = static_cast<int32_t>(module().entry()->instruction_count());
    tasks_.push_back(Instructions(module().entry(), 0));
    while (!tasks_.empty()) {
      Task task = std::move(tasks_.back());
      tasks_.pop_back();
      switch (task.kind) {
        case Task::Kind::kInstructions:
          RETURN_IF_ERROR(AddInstructions(*task.computation, task.next));
          break;
        case Task::Kind::kLabel:
          Note(task.event, *task.instruction, task.number);
          labels_[task.label] = last_label_at_ = static_cast<int32_t>(plan_.program.steps.size());
          break;
        case Task::Kind::kStep:
          Note(task.event, *task.instruction, task.number);
          LinkLoop(task);
          plan_.program.steps.push_back(task.step);
          break;
        case Task::Kind::kPoison:
          AddPoison(*task.instruction);
          break;
      }
    }
    for (const Poisoning& poisoning : poisonings_) MakePoison(poisoning);
    ResolveLabels();
    OverlapThunks(&plan_.program);
    return absl::OkStatus();
  }

  // The jump that repeats a loop to the step that ends it.
  void LinkLoop(Task& task) {
    if (task.event == Event::Kind::kLoopTest) {
      loop_tests_[task.instruction] = static_cast<int32_t>(plan_.program.steps.size());
    } else if (task.event == Event::Kind::kLoopRepeat) {
      task.step.first_target = loop_tests_[task.instruction];
    }
  }

  void ResolveLabels() {
    for (ProgramStep& step : plan_.program.steps) {
      if (step.kind == ProgramStep::Kind::kJump || step.kind == ProgramStep::Kind::kJumpUnless) {
        step.target = labels_[step.target];
      }
    }
    for (int32_t& target : plan_.program.targets) target = labels_[target];
  }

  // Until one calls other computations; then what follows becomes a task.
  absl::Status AddInstructions(const HloComputation& computation, int64_t next) {
    const auto instructions = computation.instructions();
    const bool is_entry = &computation == module().entry();
    for (int64_t i = next; i < static_cast<int64_t>(instructions.size()); ++i) {
      RETURN_IF_ERROR(CheckResources(options_.resources));
      if (is_entry && i > 0) AddEntryDone(i);
      ASSIGN_OR_RETURN(const int64_t taken, AddSequence(computation, i));
      if (taken > 0) {
        i += taken - 1;
        continue;
      }
      ASSIGN_OR_RETURN(const bool meets, AddAsyncCollective(*instructions[i], i));
      if (meets) continue;
      ASSIGN_OR_RETURN(const bool calls, AddCalls(*instructions[i], Instructions(&computation, i + 1)));
      if (calls) return absl::OkStatus();
      RETURN_IF_ERROR(AddInstruction(*instructions[i], i));
    }
    if (is_entry) AddEntryDone(static_cast<int64_t>(instructions.size()));
    return absl::OkStatus();
  }

  // How many instructions from number `next` on one thunk runs that is made of several; 0: there is none.
  absl::StatusOr<int64_t> AddSequence(const HloComputation& computation, int64_t next) {
    if (make_sequence_ == nullptr) return 0;
    Stretches& stretches = stretches_[&computation];
    if (stretches.instructions.empty()) FindStretches(computation, stretches);
    const int64_t length = stretches.ends[next] - next;
    if (length == 0) return 0;
    workspace_taken_ = 0;
    const auto stretch = absl::MakeConstSpan(stretches.instructions).subspan(next, length);
    ASSIGN_OR_RETURN(SequenceThunk made, make_sequence_(stretch, *this));
    if (made.count == 0) return 0;
    report_->native_instructions += made.thunk->info().instruction_count;
    Note(Event::Kind::kThunk, *stretch[0], next, made.count);
    AddThunk(std::move(made.thunk));
    return made.count;
  }

  // A sequence may have what stands between two instructions whose results are kept from run to run, or which may end
  // meetings with other devices.
  void FindStretches(const HloComputation& computation, Stretches& stretches) const {
    for (const auto& instruction : computation.instructions()) stretches.instructions.push_back(instruction.get());
    const auto count = static_cast<int64_t>(stretches.instructions.size());
    stretches.ends.assign(count, count);
    for (int64_t i = count - 1; i >= 0; --i) {
      const HloInstruction& instruction = *stretches.instructions[i];
      if ((!assignment_.IsIdle(instruction) && IsKept(instruction)) || EndsWhatMeets(instruction)) {
        stretches.ends[i] = i;
      } else if (i + 1 < count) {
        stretches.ends[i] = stretches.ends[i + 1];
      }
    }
  }

  // Instead of one that says less.
  void AddEntryDone(int64_t count) {
    auto& steps = plan_.program.steps;
    const bool is_target = last_label_at_ == static_cast<int32_t>(steps.size());
    if (steps.empty() || steps.back().kind != ProgramStep::Kind::kEntryDone || is_target) {
      ProgramStep done;
      done.kind = ProgramStep::Kind::kEntryDone;
      steps.push_back(done);
    }
    steps.back().target = static_cast<int32_t>(count);
  }

  // Adds tasks in the order in which they are to be done.
  void AddTasks(std::vector<Task> tasks) {
    tasks_.insert(tasks_.end(), std::make_move_iterator(tasks.rbegin()), std::make_move_iterator(tasks.rend()));
  }
  static Task Instructions(const HloComputation* computation, int64_t next) {
    Task task{Task::Kind::kInstructions};
    task.computation = computation;
    task.next = next;
    return task;
  }
  static Task Label(int32_t label, Event::Kind event, const HloInstruction& instruction, int64_t number = 0) {
    Task task{Task::Kind::kLabel};
    task.label = label;
    task.event = event;
    task.instruction = &instruction;
    task.number = number;
    return task;
  }
  static Task Step(ProgramStep step, Event::Kind event, const HloInstruction& instruction, int64_t number = 0) {
    Task task{Task::Kind::kStep};
    task.step = step;
    task.event = event;
    task.instruction = &instruction;
    task.number = number;
    return task;
  }
  static Task Jump(int32_t label, Event::Kind event, const HloInstruction& instruction, int64_t number = 0) {
    ProgramStep step;
    step.kind = ProgramStep::Kind::kJump;
    step.target = label;
    return Step(step, event, instruction, number);
  }
  static Task Poison(const HloInstruction& loop) {
    Task task{Task::Kind::kPoison};
    task.instruction = &loop;
    return task;
  }

  // Before the next step is added.
  void Note(Event::Kind kind, const HloInstruction& instruction, int64_t number, int64_t count = 1) {
    if (plan_.trace == nullptr) return;
    plan_.trace->events.push_back(
        {kind, static_cast<int32_t>(plan_.program.steps.size()), &instruction, number, count});
  }
  int32_t NewLabel() {
    labels_.push_back(-1);
    return static_cast<int32_t>(labels_.size()) - 1;
  }

  // Whether the instruction runs computations; then tasks are added, and `rest` after them.
  absl::StatusOr<bool> AddCalls(const HloInstruction& instruction, Task rest) {
    const HloOpcode opcode = instruction.opcode();
    if (opcode == HloOpcode::kAsyncStart &&
        instruction.operand_count() != instruction.called_computation(0)->parameter_count()) {
      return CannotPlan(instruction, "operands of an asynchronous operation that come after its start");
    }
    if (opcode == HloOpcode::kCall || opcode == HloOpcode::kAsyncStart) {
      AddTasks({Instructions(instruction.called_computation(0), 0), rest});
    } else if (opcode == HloOpcode::kWhile) {
      AddWhile(instruction, rest);
    } else if (opcode == HloOpcode::kConditional) {
      AddConditional(instruction, rest);
    } else {
      return false;
    }
    return true;
  }

  // Condition, jump out if it is false, body, jump back. The state is in the same memory at both ends of an
  // iteration, so that nothing is copied here.
  void AddWhile(const HloInstruction& loop, Task rest) {
    const int32_t again = NewLabel();
    const int32_t end = NewLabel();
    ProgramStep leave;
    leave.kind = ProgramStep::Kind::kJumpUnless;
    leave.target = end;
    leave.slice = SliceOf(*loop.called_computation(0)->root(), {});
    // A loop that is counted computes its condition once.
    if (options_.counts_loops && !side_effects_.Has(*loop.called_computation(0))) {
      leave.trip_count = TripCount(loop).value_or(-1);
    }
    std::vector<Task> tasks = {Label(again, Event::Kind::kLoopBegin, loop), Instructions(loop.called_computation(0), 0),
                               Step(leave, Event::Kind::kLoopTest, loop), Instructions(loop.called_computation(1), 0)};
    if (options_.poisons_memory) tasks.push_back(Poison(loop));
    tasks.push_back(Jump(again, Event::Kind::kLoopRepeat, loop));
    tasks.push_back(Label(end, Event::Kind::kLoopEnd, loop));
    tasks.push_back(rest);
    AddTasks(std::move(tasks));
  }

  // A switch to one of the branches, each of which ends with a jump to the end of all. A predicate selects branch 0
  // if it is true.
  void AddConditional(const HloInstruction& conditional, Task rest) {
    const int32_t end = NewLabel();
    ProgramStep choose;
    choose.kind = ProgramStep::Kind::kSwitch;
    choose.slice = SliceOf(*conditional.operand(0), {});
    choose.is_pred = conditional.operand(0)->shape().element_type() == PRED;
    choose.first_target = static_cast<int32_t>(plan_.program.targets.size());
    choose.target_count = static_cast<int32_t>(conditional.called_computations().size());
    std::vector<Task> tasks = {Step(choose, Event::Kind::kSelect, conditional)};
    for (int64_t i = 0; i < choose.target_count; ++i) {
      const int32_t begin = NewLabel();
      plan_.program.targets.push_back(begin);
      tasks.push_back(Label(begin, Event::Kind::kBranchBegin, conditional, i));
      tasks.push_back(Instructions(conditional.called_computation(static_cast<int>(i)), 0));
      tasks.push_back(Jump(end, Event::Kind::kBranchEnd, conditional, i));
    }
    tasks.push_back(Label(end, Event::Kind::kSelectEnd, conditional));
    tasks.push_back(rest);
    AddTasks(std::move(tasks));
  }

  // ---- Meetings with other devices that end with another instruction than they begin with.

  bool EndsWhatMeets(const HloInstruction& instruction) const {
    return instruction.opcode() == HloOpcode::kAsyncDone && device_counts().AreSeveral();
  }

  // Of a start with an opcode of its own, or of the done of one that has a slot.
  void AssignSlot(const HloInstruction& instruction) {
    const HloOpcode opcode = instruction.opcode();
    if (!HasTrait(opcode, opcode_trait::kCollective) || !device_counts().AreSeveral()) return;
    if (HasTrait(opcode, opcode_trait::kBegins)) slots_[&instruction] = plan_.begun_count++;
    if (HasTrait(opcode, opcode_trait::kEnds)) InheritSlot(instruction);
  }
  void InheritSlot(const HloInstruction& instruction) {
    const int32_t slot = SlotOf(*instruction.operand(0));
    if (slot >= 0) slots_[&instruction] = slot;
  }

  // The collective that an async-start wraps, if that is all it does; nullptr if not.
  const HloInstruction* WrappedCollective(const HloInstruction& start) const {
    if (start.opcode() != HloOpcode::kAsyncStart || !device_counts().AreSeveral()) return nullptr;
    const HloComputation& wrapped = *start.called_computation(0);
    constexpr uint32_t kHalf = opcode_trait::kBegins | opcode_trait::kEnds;
    const HloInstruction& root = *wrapped.root();
    const bool is_alone = start.operand_count() == wrapped.parameter_count() &&
                          wrapped.instruction_count() == static_cast<int64_t>(wrapped.parameter_count()) + 1 &&
                          HasTrait(root.opcode(), opcode_trait::kCollective) && !HasTrait(root.opcode(), kHalf);
    return is_alone ? &root : nullptr;
  }

  // Whether it is the begin or end of what async-start wraps, with a thunk of its own; then that is added.
  absl::StatusOr<bool> AddAsyncCollective(const HloInstruction& instruction, int64_t number) {
    if (instruction.opcode() == HloOpcode::kAsyncUpdate) InheritSlot(instruction);
    const HloInstruction* made = WrappedCollective(instruction);
    if (made != nullptr) {
      slots_[made] = plan_.begun_count++;
      number = made->place();
    } else if (EndsWhatMeets(instruction)) {
      InheritSlot(instruction);
      if (SlotOf(instruction) >= 0) made = &instruction;
    }
    if (made == nullptr) return false;
    ASSIGN_OR_RETURN(std::unique_ptr<Thunk> thunk, AskMakers(*made));
    if (thunk == nullptr) {
      slots_.erase(made);
      return false;
    }
    slots_[&instruction] = SlotOf(*made);
    Note(Event::Kind::kThunk, *made, number);
    AddThunk(std::move(thunk));
    return true;
  }

  // `number`: its place in its computation.
  absl::Status AddInstruction(const HloInstruction& instruction, int64_t number) {
    if (instruction.opcode() == HloOpcode::kBitcast && !IsSameInMemory(instruction)) {
      return CannotPlan(instruction, "a bitcast between elements that are stored in different ways");
    }
    if (assignment_.IsIdle(instruction)) {
      ++report_->native_instructions;
      Note(Event::Kind::kNothing, instruction, number);
      return absl::OkStatus();
    }
    AssignSlot(instruction);
    ASSIGN_OR_RETURN(std::unique_ptr<Thunk> thunk, MakeThunk(instruction));
    if (thunk->info().is_fallback) slots_.erase(&instruction);
    if (IsKept(instruction)) thunk = std::make_unique<KeptThunk>(std::move(thunk));
    Note(Event::Kind::kThunk, instruction, number);
    AddThunk(std::move(thunk));
    return absl::OkStatus();
  }

  void AddThunk(std::unique_ptr<Thunk> thunk) {
    ProgramStep step;
    step.thunk = thunk.get();
    plan_.program.steps.push_back(step);
    plan_.program.thunks.push_back(std::move(thunk));
  }

  void AddPoison(const HloInstruction& loop) {
    Note(Event::Kind::kScratch, loop, 0);
    poisonings_.push_back({&loop, plan_.program.steps.size(), plan_.program.thunks.size()});
    plan_.program.steps.emplace_back();
    plan_.program.thunks.push_back(nullptr);
  }

  // What is dead when the loop's condition begins once more: that is not live in its first slot.
  void MakePoison(const Poisoning& poisoning) {
    const Liveness& liveness = assignment_.liveness();
    const int64_t slot = liveness.SlotsOf(*poisoning.loop->called_computation(0)).start;
    std::vector<LiveInterval> live_bytes;  // of the arena; [start, end)
    std::vector<BufferSlice> dead;
    for (const AssignedBuffer& buffer : assignment_.buffers()) {
      const BufferSlice& slice = slices_[buffer.id];
      const bool is_live = std::any_of(buffer.live.begin(), buffer.live.end(), [&](const LiveInterval& interval) {
        return interval.start <= slot && slot <= interval.end;
      });
      if (is_live && slice.base == BufferSlice::kArena) {
        live_bytes.push_back({slice.offset, slice.offset + slice.bytes});
      } else if (!is_live && buffer.kind == Kind::kResult) {
        dead.push_back(slice);
      }
    }
    std::sort(live_bytes.begin(), live_bytes.end(),
              [](const LiveInterval& a, const LiveInterval& b) { return a.start < b.start; });
    live_bytes.push_back({plan_.arena_bytes, plan_.arena_bytes});
    int64_t at = 0;
    for (const LiveInterval& bytes : live_bytes) {
      if (bytes.start > at) dead.push_back({BufferSlice::kArena, at, bytes.start - at});
      at = std::max(at, bytes.end);
    }
    plan_.program.thunks[poisoning.thunk] = std::make_unique<PoisonThunk>(*poisoning.loop, std::move(dead));
    plan_.program.steps[poisoning.step].thunk = plan_.program.thunks[poisoning.thunk].get();
  }

  // What an instruction defines is kept altogether or not at all. One that only passes on what is kept, as a send does,
  // runs every time.
  bool IsKept(const HloInstruction& instruction) const {
    const Dataflow& dataflow = assignment_.dataflow();
    const ShapeIndex leaf = instruction.shape().IsTuple() ? ShapeIndex{0} : ShapeIndex();
    const AssignedBuffer* const buffer = assignment_.BufferAt(instruction, leaf);
    return buffer != nullptr && is_kept_[buffer->id] && dataflow.IsDefinition(dataflow.FirstPosition(instruction));
  }

  // Asks the makers in their order. If all refuse, the instruction runs on the interpreter, and the report counts the
  // reason.
  absl::StatusOr<std::unique_ptr<Thunk>> MakeThunk(const HloInstruction& instruction) {
    ASSIGN_OR_RETURN(std::unique_ptr<Thunk> thunk, AskMakers(instruction));
    if (thunk != nullptr) return thunk;
    if (reasons_.empty()) reasons_ = "there is no code for it";
    report_->AddFallback(instruction.opcode_name(), reasons_, instruction.name());
    return MakeEvaluated(instruction);
  }

  // nullptr if all refuse; then `reasons_` says why, if one of them did.
  absl::StatusOr<std::unique_ptr<Thunk>> AskMakers(const HloInstruction& instruction) {
    refusal_.clear();
    reasons_.clear();
    if (HasDynamicShapes(instruction)) {
      reasons_ = "dynamic dimensions";
      return nullptr;
    }
    for (const ThunkMaker& maker : makers_) {
      workspace_taken_ = 0;
      ASSIGN_OR_RETURN(std::unique_ptr<Thunk> thunk, maker.make(instruction, *this));
      if (thunk != nullptr) {
        ++report_->native_instructions;
        return thunk;
      }
      // The last maker with something to say knows best: those for special cases come first.
      if (!refusal_.empty()) reasons_ = std::move(refusal_);
      refusal_.clear();
    }
    return nullptr;
  }

  static bool HasDynamicShapes(const HloInstruction& instruction) {
    const auto operands = instruction.operands();
    return instruction.shape().IsDynamic() || std::any_of(operands.begin(), operands.end(), [](const auto* operand) {
             return operand->shape().IsDynamic();
           });
  }

  absl::StatusOr<std::unique_ptr<Thunk>> MakeEvaluated(const HloInstruction& instruction) {
    plan_.uses_evaluator = true;
    std::vector<PlacedLeaf> operands;
    for (const HloInstruction* operand : instruction.operands()) AppendLeaves(*operand, &operands);
    std::vector<PlacedLeaf> result;
    AppendLeaves(instruction, &result);
    LeavePassedOn(instruction, &result);
    return MakeEvaluatorThunk(instruction, std::move(operands), std::move(result));
  }

  // Starts repeat their operands, and dones give what the start made: that is in memory already, and perhaps not the
  // program's to write. Only what is received comes at the done.
  void LeavePassedOn(const HloInstruction& instruction, std::vector<PlacedLeaf>* result) const {
    if (instruction.opcode() == HloOpcode::kRecvDone) return;
    const Dataflow& dataflow = assignment_.dataflow();
    const Dataflow::Position first = dataflow.FirstPosition(instruction);
    for (size_t i = 0; i < result->size(); ++i) {
      if (!dataflow.IsDefinition(first + static_cast<int64_t>(i))) (*result)[i] = PlacedLeaf::Operand();
    }
  }

  // Appends the place of each leaf of the value, with the place of its run-time sizes if it is dynamic. Leaves
  // without a buffer, such as tokens, have an empty place.
  void AppendLeaves(const HloInstruction& instruction, std::vector<PlacedLeaf>* leaves) {
    const Dataflow& dataflow = assignment_.dataflow();
    const Dataflow::Position first = dataflow.FirstPosition(instruction);
    for (int64_t i = 0; i < dataflow.PositionCount(instruction); ++i) {
      const Shape& shape = dataflow.ShapeAt(first + i);
      PlacedLeaf leaf;
      const AssignedBuffer* const buffer = shape.IsArray() ? assignment_.BufferAt(first + i) : nullptr;
      if (buffer != nullptr) {
        leaf.slice = slices_[buffer->id];
        leaf.slice.bytes = shape.ByteSize();
        if (shape.IsDynamic()) {
          leaf.dynamic_buffer = static_cast<int32_t>(buffer->id);
          has_dynamic_ = true;
        }
      }
      leaves->push_back(leaf);
    }
  }

  BufferAssignment assignment_;
  const absl::Span<const ThunkMaker> makers_;
  const SequenceMaker& make_sequence_;
  const PlanOptions& options_;
  CompileReport* const report_;
  ProgramPlan plan_;
  std::vector<BufferSlice> slices_;  // by buffer
  std::vector<bool> is_kept_;        // likewise
  std::vector<Task> tasks_;
  std::vector<Poisoning> poisonings_;
  absl::flat_hash_map<const HloComputation*, Stretches> stretches_;
  std::vector<int32_t> labels_;  // by label: the step it precedes
  int32_t last_label_at_ = -1;
  // After the values of the program: thunks take their workspaces in turn.
  int64_t workspace_begin_ = 0;
  int64_t workspace_taken_ = 0;
  std::string refusal_;
  std::string reasons_;
  absl::flat_hash_map<const HloInstruction*, int32_t> slots_;
  absl::flat_hash_map<const HloInstruction*, int32_t> loop_tests_;  // steps
  absl::flat_hash_map<const void*, int32_t> constants_;             // numbers, by where the elements are
  SideEffects side_effects_;
  std::vector<std::function<absl::Status()>> finishes_;
  bool has_dynamic_ = false;
};

}  // namespace

void ProgramPlan::SetResultShape(const Shape& shape) {
  result_shape = shape;
  Result* next = results.data();
  SetLeafShapes(shape, next);
}

absl::StatusOr<ProgramPlan> PlanProgram(std::shared_ptr<const HloModule> module, absl::Span<const ThunkMaker> makers,
                                        const SequenceMaker& make_sequence, const PlanOptions& options,
                                        CompileReport* report) {
  ASSIGN_OR_RETURN(BufferAssignment assignment, AssignBuffers(*module, options.resources));
  return Planner(std::move(module), std::move(assignment), makers, make_sequence, options, report).Run();
}

}  // namespace xla
