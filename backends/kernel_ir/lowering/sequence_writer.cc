// Writes a sequence's kernel: its steps' kernels one after the other in one phase, with the loops and branches between
// them, and with values instead of memory for what is a register.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/kernel_ir/lowering/contract_recurrence.h"
#include "backends/kernel_ir/lowering/sequence_plan.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

// Arrays of loops that the caller sees are copied to scratch and back if they are no larger than this: a few registers.
constexpr int64_t kMaxLocalBytes = 256;

class Writer {
 public:
  Writer(const SequencePlan& plan, std::vector<LoweredSequence::Buffer>* buffers) : plan_(plan), callers_(*buffers) {}

  Kernel Write() {
    AddBuffers();
    KernelRegion body;
    region_ = &body;
    body.arguments.push_back(NewValue(S64));
    LoadMemory();
    WriteSteps(plan_.steps);
    StoreMemory();
    kernel_.phases.push_back({1, std::move(body)});
    return std::move(kernel_);
  }

 private:
  struct Place {
    int caller = -1;      // buffer of the caller's
    int work = -1;        // buffer that the steps use; none of a register
    bool copied = false;  // from the one to the other, and back if it is written
  };

  // ---- Buffers: the caller's first, then scratch.

  // Buffers of the caller first, then scratch. What a loop uses again and again is copied to scratch if it is small,
  // and copied back in the end.
  void AddBuffers() {
    places_.resize(plan_.memories.size());
    for (size_t i = 0; i < plan_.memories.size(); ++i) {
      if (!plan_.memories[i].is_private) AddCallerBuffer(plan_.memories[i], places_[i]);
    }
    if (plan_.is_resumed) {
      turns_buffer_ = AddBuffer("turns", S64, 1, KernelBuffer::Use::kReadWrite);
      callers_.push_back({nullptr, {}, false, true});
    }
    for (size_t i = 0; i < plan_.memories.size(); ++i) {
      const SequenceMemory& memory = plan_.memories[i];
      Place& place = places_[i];
      if (memory.is_register || memory.elements == 0) continue;
      place.copied = !memory.is_private && plan_.has_loop && memory.buffer >= 0 && memory.bytes() <= kMaxLocalBytes;
      if (memory.is_private || place.copied) {
        place.work = AddBuffer(NameOf(memory, "scratch"), memory.type, memory.elements, KernelBuffer::Use::kScratch);
      } else {
        place.work = place.caller;
      }
    }
  }

  void AddCallerBuffer(const SequenceMemory& memory, Place& place) {
    if (memory.elements == 0) return;
    place.caller = AddBuffer(NameOf(memory, "buffer"), memory.type, memory.elements,
                             memory.is_written ? KernelBuffer::Use::kReadWrite : KernelBuffer::Use::kRead);
    callers_.push_back({memory.value, memory.leaf, memory.buffer < 0, memory.is_written});
  }

  static std::string NameOf(const SequenceMemory& memory, const char* otherwise) {
    return memory.value == nullptr ? otherwise : std::string(memory.value->name());
  }

  int AddBuffer(std::string name, PrimitiveType type, int64_t elements, KernelBuffer::Use use) {
    kernel_.buffers.push_back({std::move(name), type, elements, use, -1});
    return static_cast<int>(kernel_.buffers.size()) - 1;
  }

  // ---- Instructions.

  KernelValue NewValue(PrimitiveType type) {
    kernel_.value_types.push_back(type);
    return static_cast<KernelValue>(kernel_.value_types.size()) - 1;
  }

  KernelValue Append(KernelInstruction instruction, PrimitiveType type) {
    const KernelValue result = NewValue(type);
    instruction.results = {result};
    region_->instructions.push_back(std::move(instruction));
    return result;
  }

  KernelValue Constant(Literal scalar) {
    KernelInstruction constant;
    constant.op = KernelOp::kConstant;
    const PrimitiveType type = scalar.shape().element_type();
    constant.literal = std::move(scalar);
    return Append(std::move(constant), type);
  }
  KernelValue Index(int64_t number) { return Constant(Literal::Scalar<int64_t>(number)); }

  KernelValue Elementwise(HloOpcode opcode, std::vector<KernelValue> operands, PrimitiveType type) {
    KernelInstruction instruction;
    instruction.op = KernelOp::kElementwise;
    instruction.opcode = opcode;
    instruction.operands.assign(operands.begin(), operands.end());
    return Append(std::move(instruction), type);
  }
  KernelValue Select(KernelValue predicate, KernelValue on_true, KernelValue on_false) {
    return Elementwise(HloOpcode::kSelect, {predicate, on_true, on_false}, kernel_.TypeOf(on_true));
  }

  KernelValue Load(int buffer, KernelValue element) {
    KernelInstruction load;
    load.op = KernelOp::kLoad;
    load.buffer = buffer;
    load.operands = {element};
    return Append(std::move(load), kernel_.buffers[buffer].type);
  }

  void Store(int buffer, KernelValue element, KernelValue value) {
    KernelInstruction store;
    store.op = KernelOp::kStore;
    store.buffer = buffer;
    store.operands = {element, value};
    region_->instructions.push_back(std::move(store));
  }

  template <typename Body>
  KernelRegion Region(std::vector<KernelValue> arguments, Body body) {
    KernelRegion region;
    region.arguments = std::move(arguments);
    KernelRegion* const outer = region_;
    region_ = &region;
    region.results = body();
    region_ = outer;
    return region;
  }

  void CopyArray(int from, int to) {
    KernelInstruction loop;
    loop.op = KernelOp::kFor;
    loop.operands = {Index(kernel_.buffers[from].element_count)};
    loop.independent = true;
    loop.schedule = LoopSchedule::kVector;
    const KernelValue i = NewValue(S64);
    loop.regions.push_back(Region({i}, [&] {
      Store(to, i, Load(from, i));
      return std::vector<KernelValue>();
    }));
    region_->instructions.push_back(std::move(loop));
  }

  // ---- Registers.

  void LoadMemory() {
    registers_.assign(plan_.memories.size(), kNoValue);
    const KernelValue zero = Index(0);
    for (size_t i = 0; i < plan_.memories.size(); ++i) {
      const SequenceMemory& memory = plan_.memories[i];
      if (memory.is_register) {
        registers_[i] = memory.is_private ? Constant(*LiteralUtil::Zero(memory.type)) : Load(places_[i].caller, zero);
      } else if (places_[i].copied) {
        CopyArray(places_[i].caller, places_[i].work);
      }
    }
    if (turns_buffer_ >= 0) turns_left_ = Load(turns_buffer_, zero);
  }

  void StoreMemory() {
    const KernelValue zero = Index(0);
    for (size_t i = 0; i < plan_.memories.size(); ++i) {
      const SequenceMemory& memory = plan_.memories[i];
      if (memory.is_private || !memory.is_written) continue;
      if (memory.is_register) {
        Store(places_[i].caller, zero, registers_[i]);
      } else if (places_[i].copied) {
        CopyArray(places_[i].work, places_[i].caller);
      }
    }
    if (turns_buffer_ >= 0) Store(turns_buffer_, zero, turns_left_);
  }

  KernelValue ValueOf(int memory) {
    return registers_[memory] != kNoValue ? registers_[memory] : Load(places_[memory].work, Index(0));
  }

  // The registers that a step may change.
  std::vector<int> StateOf(const SequenceStep& step) const {
    std::vector<int> state;
    for (const int memory : step.written) {
      if (plan_.memories[memory].is_register) state.push_back(memory);
    }
    return state;
  }

  std::vector<KernelValue> Registers(const std::vector<int>& state) const {
    std::vector<KernelValue> values;
    for (const int memory : state) values.push_back(registers_[memory]);
    return values;
  }
  void SetRegisters(const std::vector<int>& state, absl::Span<const KernelValue> values) {
    for (size_t i = 0; i < state.size(); ++i) registers_[state[i]] = values[i];
  }
  std::vector<KernelValue> NewValuesLike(absl::Span<const KernelValue> values) {
    std::vector<KernelValue> made;
    for (const KernelValue value : values) made.push_back(NewValue(kernel_.TypeOf(value)));
    return made;
  }

  // ---- Steps.

  // Writes the steps of the sequence, one after the other.
  void WriteSteps(const std::vector<SequenceStep>& steps) {
    for (const SequenceStep& step : steps) {
      switch (step.kind) {
        case SequenceStep::Kind::kKernel:
          WriteKernel(step);
          break;
        case SequenceStep::Kind::kLoop:
          if (step.turns.has_value()) {
            WriteCountedLoop(step);
          } else {
            WriteLoop(step);
          }
          break;
        case SequenceStep::Kind::kBranch:
          WriteBranches(step, 0);
          break;
      }
    }
  }

  void FinishLoop(KernelInstruction loop, const std::vector<int>& state) {
    const size_t inputs = loop.op == KernelOp::kFor ? 1 : 0;
    std::vector<KernelValue> initial(loop.operands.begin() + inputs, loop.operands.end());
    const std::vector<KernelValue> results = NewValuesLike(initial);
    loop.results.assign(results.begin(), results.end());
    if (plan_.contracts_recurrences) ContractRecurrence(kernel_, loop);
    region_->instructions.push_back(std::move(loop));
    SetRegisters(state, results);
    if (results.size() > state.size()) turns_left_ = results.back();
  }

  void WriteCountedLoop(const SequenceStep& step) {
    const std::vector<int> state = StateOf(step);
    KernelInstruction loop;
    loop.op = KernelOp::kFor;
    loop.operands = {Index(*step.turns)};
    const std::vector<KernelValue> initial = Registers(state);
    loop.operands.insert(loop.operands.end(), initial.begin(), initial.end());
    std::vector<KernelValue> arguments = {NewValue(S64)};
    const std::vector<KernelValue> current = NewValuesLike(initial);
    arguments.insert(arguments.end(), current.begin(), current.end());
    loop.regions.push_back(Region(arguments, [&] {
      SetRegisters(state, current);
      WriteSteps(step.regions[1]);
      return Registers(state);
    }));
    FinishLoop(std::move(loop), state);
  }

  // The state, and how many iterations are left at most.
  void WriteLoop(const SequenceStep& step) {
    const std::vector<int> state = StateOf(step);
    KernelInstruction loop;
    loop.op = KernelOp::kWhile;
    std::vector<KernelValue> initial = Registers(state);
    initial.push_back(turns_left_);
    loop.operands.assign(initial.begin(), initial.end());
    const std::vector<KernelValue> tested = NewValuesLike(initial);
    loop.regions.push_back(Region(tested, [&] {
      SetRegisters(state, tested);
      WriteSteps(step.regions[0]);
      const KernelValue goes_on = ValueOf(step.selector);
      KernelInstruction has_turns;
      has_turns.op = KernelOp::kInRange;
      has_turns.operands = {tested.back()};
      has_turns.constant = 1;
      has_turns.constant2 = INT64_MAX;
      return std::vector<KernelValue>{
          Elementwise(HloOpcode::kAnd, {goes_on, Append(std::move(has_turns), PRED)}, PRED)};
    }));
    const std::vector<KernelValue> current = NewValuesLike(initial);
    loop.regions.push_back(Region(current, [&] {
      SetRegisters(state, current);
      WriteSteps(step.regions[1]);
      std::vector<KernelValue> next = Registers(state);
      KernelInstruction less;
      less.op = KernelOp::kAffine;
      less.operands = {current.back()};
      less.coefficients = {1};
      less.constant = -1;
      next.push_back(Append(std::move(less), S64));
      return next;
    }));
    FinishLoop(std::move(loop), state);
  }

  // The branches from number `first` on: the last one is for every index that has none of its own.
  void WriteBranches(const SequenceStep& step, size_t first) {
    if (first + 1 == step.regions.size()) return WriteSteps(step.regions[first]);
    const KernelValue selector = ValueOf(step.selector);
    KernelValue predicate = selector;
    if (kernel_.TypeOf(selector) != PRED) {
      KernelInstruction compare;
      compare.op = KernelOp::kElementwise;
      compare.opcode = HloOpcode::kCompare;
      compare.operands = {selector, Constant(Literal::Scalar<int32_t>(static_cast<int32_t>(first)))};
      predicate = Append(std::move(compare), PRED);
    }
    const std::vector<int> state = StateOf(step);
    const std::vector<KernelValue> before = Registers(state);
    KernelInstruction branch;
    branch.op = KernelOp::kIf;
    branch.operands = {predicate};
    for (const bool is_this : {true, false}) {
      branch.regions.push_back(Region({}, [&] {
        SetRegisters(state, before);
        if (is_this) {
          WriteSteps(step.regions[first]);
        } else {
          WriteBranches(step, first + 1);
        }
        return Registers(state);
      }));
    }
    const std::vector<KernelValue> results = NewValuesLike(before);
    branch.results.assign(results.begin(), results.end());
    region_->instructions.push_back(std::move(branch));
    SetRegisters(state, results);
  }

  // ---- The kernel of one instruction.

  void WriteKernel(const SequenceStep& step) {
    buffer_of_.clear();
    memory_of_ = step.memories;
    for (const int memory : step.memories) buffer_of_.push_back(places_[memory].work);
    for (size_t i = buffer_of_.size(); i < step.kernel.buffers.size(); ++i) {
      const KernelBuffer& scratch = step.kernel.buffers[i];
      buffer_of_.push_back(AddBuffer(scratch.name, scratch.type, scratch.element_count, scratch.use));
      memory_of_.push_back(-1);
    }
    for (const KernelPhase& phase : step.kernel.phases) {
      values_.assign(step.kernel.value_types.size(), kNoValue);
      values_[phase.body.arguments[0]] = Index(0);
      for (const KernelInstruction& instruction : phase.body.instructions) CopyInstruction(step.kernel, instruction);
    }
  }

  KernelValue CopyOf(const Kernel& kernel, KernelValue value) {
    if (values_[value] == kNoValue) values_[value] = NewValue(kernel.TypeOf(value));
    return values_[value];
  }

  // -1 if that is in memory.
  int RegisterOf(const KernelInstruction& instruction) const {
    if (instruction.op != KernelOp::kLoad && instruction.op != KernelOp::kStore) return -1;
    const int memory = memory_of_[instruction.buffer];
    return memory >= 0 && plan_.memories[memory].is_register ? memory : -1;
  }

  // Copies an instruction of a step's kernel into the sequence's kernel with values and buffers renamed. Loads and
  // stores of memory that became a register become plain values, by a select where they are conditional.
  void CopyInstruction(const Kernel& kernel, const KernelInstruction& instruction) {
    const int memory = RegisterOf(instruction);
    if (memory >= 0) {
      const bool is_load = instruction.op == KernelOp::kLoad;
      const KernelValue value = is_load ? registers_[memory] : CopyOf(kernel, instruction.operands[1]);
      const size_t predicate = is_load ? 1 : 2;
      KernelValue result = value;
      if (instruction.operands.size() > predicate) {
        const KernelValue otherwise = is_load ? CopyOf(kernel, instruction.operands[2]) : registers_[memory];
        result = Select(CopyOf(kernel, instruction.operands[predicate]), value, otherwise);
      }
      (is_load ? values_[instruction.results[0]] : registers_[memory]) = result;
      return;
    }
    KernelInstruction copy = instruction;
    for (KernelValue& result : copy.results) result = CopyOf(kernel, result);
    for (KernelValue& operand : copy.operands) operand = CopyOf(kernel, operand);
    if (copy.buffer >= 0) copy.buffer = buffer_of_[copy.buffer];
    for (size_t i = 0; i < copy.regions.size(); ++i) {
      const KernelRegion& original = instruction.regions[i];
      std::vector<KernelValue> arguments;
      for (const KernelValue argument : original.arguments) arguments.push_back(CopyOf(kernel, argument));
      copy.regions[i] = Region(std::move(arguments), [&] {
        for (const KernelInstruction& nested : original.instructions) CopyInstruction(kernel, nested);
        std::vector<KernelValue> results;
        for (const KernelValue result : original.results) results.push_back(CopyOf(kernel, result));
        return results;
      });
    }
    region_->instructions.push_back(std::move(copy));
  }

  const SequencePlan& plan_;
  std::vector<LoweredSequence::Buffer>& callers_;
  Kernel kernel_;
  std::vector<Place> places_;           // by memory
  std::vector<KernelValue> registers_;  // by memory: what it holds now
  KernelRegion* region_ = nullptr;
  int turns_buffer_ = -1;
  KernelValue turns_left_ = kNoValue;
  // Of the kernel that is being copied.
  std::vector<KernelValue> values_;
  std::vector<int> buffer_of_, memory_of_;
};

}  // namespace

Kernel WriteSequence(const SequencePlan& plan, std::vector<LoweredSequence::Buffer>* buffers) {
  return Writer(plan, buffers).Write();
}

}  // namespace xla
