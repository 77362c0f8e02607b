#include "backends/kernel_ir/kernel_interpreter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "backends/kernel_ir/scalar_operation.h"
#include "xla_core/ops/elementwise_kernel.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// A value: the first ByteWidth bytes.
struct Slot {
  alignas(16) char bytes[16] = {};
};

// ---- Kernels ready to run.

struct PreparedInstruction;

struct PreparedRegion {
  const KernelRegion* region = nullptr;
  std::vector<PreparedInstruction> instructions;
};

struct PreparedInstruction {
  const KernelInstruction* instruction = nullptr;
  absl::optional<ElementwiseKernel> scalar;  // of kElementwise
  std::vector<PreparedRegion> regions;
};

// Looks up the function of each elementwise operation once, before the kernel runs.
PreparedRegion Prepare(const Kernel& kernel, const KernelRegion& region) {
  PreparedRegion prepared;
  prepared.region = &region;
  prepared.instructions.reserve(region.instructions.size());
  for (const KernelInstruction& instruction : region.instructions) {
    PreparedInstruction& added = prepared.instructions.emplace_back();
    added.instruction = &instruction;
    if (instruction.op == KernelOp::kElementwise) {
      added.scalar = ElementwiseKernel::For(ScalarOperation(kernel, instruction).instruction());
    }
    for (const KernelRegion& nested : instruction.regions) added.regions.push_back(Prepare(kernel, nested));
  }
  return prepared;
}

// ---- Independence.

// Who of the iterations of one loop, as it runs once, has touched what.
class AccessLog {
 public:
  void BeginIteration(int64_t iteration) { iteration_ = iteration; }

  // Of a place in memory. False if the access conflicts with that of another iteration.
  bool Note(int memory, int64_t offset, bool is_write) {
    Entry& entry = entries_[{memory, offset}];
    if (entry.writer != kNobody && entry.writer != iteration_) return false;
    if (!is_write) {
      entry.reader = entry.reader == kNobody || entry.reader == iteration_ ? iteration_ : kSeveral;
      return true;
    }
    entry.writer = iteration_;
    return entry.reader == kNobody || entry.reader == iteration_;
  }

 private:
  static constexpr int64_t kNobody = -1;
  static constexpr int64_t kSeveral = -2;
  struct Entry {
    int64_t reader = kNobody;
    int64_t writer = kNobody;
  };

  int64_t iteration_ = 0;
  absl::flat_hash_map<std::pair<int, int64_t>, Entry> entries_;
};

// Who of a workgroup has touched what since the last barrier. An *actor* is what stores and loads by turns: one shared
// loop or reduce as it runs once, whose iterations an AccessLog tells apart, or all uniform code.
class WorkgroupLog {
 public:
  void WaitForAll() { ++barrier_; }
  void BeginShared() { actor_ = ++shared_count_; }
  void EndShared() { actor_ = kUniform; }

  // Of a place in memory. False if it has to wait for another invocation.
  bool Note(int memory, int64_t offset, bool is_write) {
    Entry& entry = entries_[{memory, offset}];
    if (entry.barrier != barrier_) entry = {barrier_, kNobody, kNobody};
    // Uniform code loads in all invocations and stores in the first, so that it has to wait for itself.
    const auto is_apart = [&](int64_t other) { return other == kNobody || (other == actor_ && actor_ != kUniform); };
    if (!is_write) {
      if (!is_apart(entry.writer)) return false;
      entry.reader = entry.reader == kNobody || entry.reader == actor_ ? actor_ : kSeveral;
      return true;
    }
    if (entry.writer != kNobody && entry.writer != actor_) return false;
    if (!is_apart(entry.reader)) return false;
    entry.writer = actor_;
    return true;
  }

 private:
  static constexpr int64_t kUniform = 0;
  static constexpr int64_t kNobody = -1;
  static constexpr int64_t kSeveral = -2;
  struct Entry {
    int64_t barrier = -1;
    int64_t reader = kNobody;
    int64_t writer = kNobody;
  };

  int64_t barrier_ = 0;
  int64_t shared_count_ = 0;
  int64_t actor_ = kUniform;
  absl::flat_hash_map<std::pair<int, int64_t>, Entry> entries_;
};

// ---- One run.

class KernelRun {
 public:
  // Memory that the kernel is to write, or that is scratch, is tracked: reading an element before it was written is
  // an error. Buffers that share memory are tracked as one, and not at all if one of them comes with contents.
  KernelRun(const Kernel& kernel, absl::Span<void* const> buffers, const KernelRunOptions& options)
      : kernel_(kernel), options_(options), slots_(kernel.value_types.size()), scratch_(kernel.buffers.size()) {
    for (const PrimitiveType type : kernel.value_types) width_.push_back(ByteWidth(type));
    const int caller_buffers = static_cast<int>(buffers.size());
    for (int i = 0; i < static_cast<int>(kernel.buffers.size()); ++i) {
      const KernelBuffer& buffer = kernel.buffers[i];
      // Two buffers that share memory are one, which holds something if either does.
      const int memory = buffer.same_memory_as < 0 ? i : memory_[buffer.same_memory_as];
      memory_.push_back(memory);
      element_width_.push_back(ByteWidth(buffer.type));
      data_.push_back(i < caller_buffers ? static_cast<char*>(buffers[i]) : nullptr);
      const bool is_unknown = buffer.use == KernelBuffer::Use::kWrite || buffer.use == KernelBuffer::Use::kScratch;
      is_tracked_.push_back(is_unknown);
      if (!is_unknown || memory != i) is_tracked_[memory] = false;
    }
    for (int i = 0; i < static_cast<int>(kernel.buffers.size()); ++i) {
      is_written_.emplace_back(is_tracked_[i] && memory_[i] == i ? kernel.buffers[i].element_count : 0);
    }
  }

  absl::Status RunPhases(absl::Span<const PreparedRegion> phases) {
    for (size_t i = 0; i < phases.size(); ++i) {
      if (RunPhase(static_cast<int>(i), phases[i])) continue;
      const std::string where =
          absl::StrCat("kernel ", kernel_.name, ", phase ", i, ", tile ", tile_, ": ", status_.message());
      return absl::Status(status_.code(), where);
    }
    return absl::OkStatus();
  }

 private:
  // Functions that return a bool return false after an error.
  bool Fail(std::string message) {
    status_ = absl::InternalError(message);
    return false;
  }

  // Counts an instruction, or an iteration, which may have none.
  bool Step() {
    if (++steps_ <= options_.step_limit) return true;
    status_ = absl::ResourceExhaustedError(absl::StrCat("more than ", options_.step_limit, " steps"));
    return false;
  }

  bool RunPhase(int number, const PreparedRegion& phase) {
    const bool checks = BeginIndependent(true);
    for (tile_ = 0; tile_ < kernel_.phases[number].tile_count; ++tile_) {
      if (checks) logs_.back().BeginIteration(tile_);
      workgroup_.reset();
      if (options_.check_independence && kernel_.phases[number].invocations > 1) workgroup_.emplace();
      ClearScratch();
      SetIndex(phase.region->arguments[0], tile_);
      if (!Step() || !RunRegion(phase)) return false;
    }
    if (checks) logs_.pop_back();
    return true;
  }

  void ClearScratch() {
    for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
      const KernelBuffer& buffer = kernel_.buffers[i];
      if (buffer.use != KernelBuffer::Use::kScratch) continue;
      scratch_[i].resize(buffer.element_count * element_width_[i]);
      data_[i] = scratch_[i].data();
      std::fill(is_written_[i].begin(), is_written_[i].end(), false);
    }
  }

  bool RunRegion(const PreparedRegion& region) {
    for (const PreparedInstruction& instruction : region.instructions) {
      if (!Step() || !RunInstruction(instruction) || !AreNarrow(instruction.instruction->results)) return false;
    }
    return true;
  }

  // As far as they are said to be.
  template <typename Values>
  bool AreNarrow(const Values& values) {
    if (kernel_.narrow.empty()) return true;
    for (const KernelValue value : values) {
      if (!kernel_.IsNarrow(value) || Index(value) == static_cast<int32_t>(Index(value))) continue;
      return Fail(absl::StrCat("a value that is said to be narrow is ", Index(value)));
    }
    return true;
  }

  // Runs one instruction; false after an error, with its message kept.
  bool RunInstruction(const PreparedInstruction& prepared) {
    const KernelInstruction& instruction = *prepared.instruction;
    switch (instruction.op) {
      case KernelOp::kConstant:
        std::memcpy(slots_[instruction.results[0]].bytes, instruction.literal.untyped_data(),
                    width_[instruction.results[0]]);
        return true;
      case KernelOp::kElementwise:
        return RunElementwise(prepared);
      case KernelOp::kMultiplyAdd:
        if (kernel_.TypeOf(instruction.results[0]) == F32) {
          RunMultiplyAdd<float>(instruction);
        } else {
          RunMultiplyAdd<double>(instruction);
        }
        return true;
      case KernelOp::kAffine:
        return RunAffine(instruction);
      case KernelOp::kQuotient:
      case KernelOp::kRemainder:
        return RunDivision(instruction);
      case KernelOp::kInRange: {
        const int64_t index = Index(instruction.operands[0]);
        SetPredicate(instruction.results[0], instruction.constant <= index && index <= instruction.constant2);
        return true;
      }
      case KernelOp::kLoad:
        return RunLoad(instruction);
      case KernelOp::kStore:
        return RunStore(instruction);
      case KernelOp::kBarrier:
        if (workgroup_.has_value()) workgroup_->WaitForAll();
        return true;
      case KernelOp::kFor:
        return RunShared(prepared, &KernelRun::RunFor);
      case KernelOp::kReduce:
        return RunShared(prepared, &KernelRun::RunReduce);
      case KernelOp::kIf:
        return RunIf(prepared);
      case KernelOp::kWhile:
        return RunWhile(prepared);
    }
    return Fail("there is no such instruction");
  }

  // ---- Values.

  int64_t Index(KernelValue value) const {
    int64_t index;
    std::memcpy(&index, slots_[value].bytes, sizeof(index));
    return index;
  }
  void SetIndex(KernelValue value, int64_t index) { std::memcpy(slots_[value].bytes, &index, sizeof(index)); }
  bool Predicate(KernelValue value) const { return slots_[value].bytes[0] != 0; }
  void SetPredicate(KernelValue value, bool predicate) { slots_[value].bytes[0] = predicate ? 1 : 0; }

  template <typename Values>
  std::vector<Slot> Get(const Values& values) const {
    std::vector<Slot> slots;
    for (const KernelValue value : values) slots.push_back(slots_[value]);
    return slots;
  }
  template <typename Values>
  void Set(const Values& values, absl::Span<const Slot> slots) {
    size_t i = 0;
    for (const KernelValue value : values) slots_[value] = slots[i++];
  }
  // Sets `to` to the values of `from`, of which some may be the same.
  template <typename To, typename From>
  void Move(const To& to, const From& from) {
    moved_.clear();
    for (const KernelValue value : from) moved_.push_back(slots_[value]);
    Set(to, moved_);
  }

  bool RunElementwise(const PreparedInstruction& prepared) {
    LaneInput inputs[ElementwiseKernel::kMaxArity];
    int i = 0;
    for (const KernelValue operand : prepared.instruction->operands) inputs[i++] = {slots_[operand].bytes, 0};
    prepared.scalar->Run(1, inputs, slots_[prepared.instruction->results[0]].bytes);
    return true;
  }

  template <typename T>
  void RunMultiplyAdd(const KernelInstruction& instruction) {
    T x[3];
    for (int i = 0; i < 3; ++i) std::memcpy(&x[i], slots_[instruction.operands[i]].bytes, sizeof(T));
    const T result = std::fma(x[0], x[1], x[2]);
    std::memcpy(slots_[instruction.results[0]].bytes, &result, sizeof(T));
  }

  // ---- Indices.

  bool RunAffine(const KernelInstruction& instruction) {
    int64_t sum = instruction.constant;
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      int64_t product;
      if (!CheckedMul(instruction.coefficients[i], Index(instruction.operands[i]), &product) ||
          !CheckedAdd(sum, product, &sum)) {
        return Fail("an index overflows");
      }
    }
    SetIndex(instruction.results[0], sum);
    return true;
  }

  bool RunDivision(const KernelInstruction& instruction) {
    const int64_t dividend = Index(instruction.operands[0]);
    if (dividend < 0) {
      return Fail(
          absl::StrCat("expected a dividend that is not negative, got ", dividend, " (by ", instruction.constant, ")"));
    }
    const bool is_quotient = instruction.op == KernelOp::kQuotient;
    SetIndex(instruction.results[0], is_quotient ? dividend / instruction.constant : dividend % instruction.constant);
    return true;
  }

  // ---- Memory.

  // The element that a load or store is about; nullptr after an error.
  char* Element(const KernelInstruction& instruction, bool is_write) {
    const KernelBuffer& buffer = kernel_.buffers[instruction.buffer];
    const int64_t element = Index(instruction.operands[0]);
    const int memory = memory_[instruction.buffer];
    const char* const what = is_write ? "store to" : "load of";
    if (element < 0 || element >= buffer.element_count) {
      Fail(absl::StrCat(what, " element ", element, " of ", buffer.name, ", which has ", buffer.element_count));
      return nullptr;
    }
    if (is_tracked_[memory]) {
      std::vector<bool>& is_written = is_written_[memory];
      if (is_write) is_written[element] = true;
      if (!is_written[element]) {
        Fail(absl::StrCat(what, " element ", element, " of ", buffer.name, ", which nothing was stored to"));
        return nullptr;
      }
    }
    const int64_t offset = element * element_width_[instruction.buffer];
    const bool is_scratch = buffer.use == KernelBuffer::Use::kScratch;
    for (size_t i = is_scratch && logs_are_of_tiles_ ? 1 : 0; i < logs_.size(); ++i) {
      if (logs_[i].Note(memory, offset, is_write)) continue;
      Fail(absl::StrCat(what, " element ", element, " of ", buffer.name, ", which another ",
                        i == 0 && logs_are_of_tiles_ ? "tile" : "iteration of an independent loop", " has touched"));
      return nullptr;
    }
    if (workgroup_.has_value() && !workgroup_->Note(memory, offset, is_write)) {
      Fail(absl::StrCat(what, " element ", element, " of ", buffer.name,
                        ", which another invocation may touch before or after it: there is no barrier between them"));
      return nullptr;
    }
    return data_[instruction.buffer] + offset;
  }

  bool RunLoad(const KernelInstruction& instruction) {
    Slot& result = slots_[instruction.results[0]];
    if (instruction.operands.size() == 3 && !Predicate(instruction.operands[1])) {
      result = slots_[instruction.operands[2]];
      return true;
    }
    const char* const element = Element(instruction, /*is_write=*/false);
    if (element == nullptr) return false;
    std::memcpy(result.bytes, element, element_width_[instruction.buffer]);
    return true;
  }

  bool RunStore(const KernelInstruction& instruction) {
    if (instruction.operands.size() == 3 && !Predicate(instruction.operands[2])) return true;
    char* const element = Element(instruction, /*is_write=*/true);
    if (element == nullptr) return false;
    std::memcpy(element, slots_[instruction.operands[1]].bytes, element_width_[instruction.buffer]);
    return true;
  }

  // ---- Control.

  bool BeginIndependent(bool is_of_tiles) {
    if (!options_.check_independence) return false;
    logs_.emplace_back();
    if (is_of_tiles) logs_are_of_tiles_ = true;
    return true;
  }

  // A loop or reduce, whose iterations or lanes may be shared out.
  bool RunShared(const PreparedInstruction& prepared, bool (KernelRun::*run)(const PreparedInstruction&)) {
    const bool is_shared = workgroup_.has_value() && prepared.instruction->schedule == LoopSchedule::kInvocations;
    if (is_shared) workgroup_->BeginShared();
    const bool ok = (this->*run)(prepared);
    if (is_shared) workgroup_->EndShared();
    return ok;
  }

  // Runs a loop; for one that is said to be independent, it logs what iterations read and write and finds those that
  // depend on each other.
  bool RunFor(const PreparedInstruction& prepared) {
    const KernelInstruction& instruction = *prepared.instruction;
    const KernelRegion& region = *prepared.regions[0].region;
    const auto state = absl::MakeConstSpan(region.arguments).subspan(1);
    const bool checks = instruction.independent && BeginIndependent(false);
    const int64_t extent = Index(instruction.operands[0]);
    Move(state, absl::MakeConstSpan(instruction.operands).subspan(1));
    for (int64_t i = 0; i < extent; ++i) {
      if (checks) logs_.back().BeginIteration(i);
      SetIndex(region.arguments[0], i);
      if (!Step() || !RunRegion(prepared.regions[0])) return false;
      Move(state, region.results);
    }
    if (checks) logs_.pop_back();
    Move(instruction.results, state);
    return true;
  }

  // left = combine(left, right)
  bool Combine(const PreparedRegion& combine, absl::Span<Slot> left, absl::Span<const Slot> right) {
    const auto arguments = absl::MakeConstSpan(combine.region->arguments);
    Set(arguments.subspan(0, left.size()), left);
    Set(arguments.subspan(left.size()), right);
    if (!RunRegion(combine)) return false;
    for (size_t i = 0; i < left.size(); ++i) left[i] = slots_[combine.region->results[i]];
    return true;
  }

  // Runs a reduction with as many accumulators as it has lanes, combined by halves: the order in which compiled code
  // combines them, so that floats agree bit for bit.
  bool RunReduce(const PreparedInstruction& prepared) {
    const KernelInstruction& instruction = *prepared.instruction;
    const PreparedRegion& combine = prepared.regions[1];
    const size_t n = instruction.results.size();
    std::vector<Slot> result = Get(absl::MakeConstSpan(instruction.operands).subspan(0, n));
    if (instruction.lanes == 1) {
      if (!CombineElements(prepared, absl::MakeSpan(result))) return false;
    } else {
      const std::vector<Slot> neutral = Get(absl::MakeConstSpan(instruction.operands).subspan(n));
      std::vector<Slot> lanes;
      for (int64_t lane = 0; lane < instruction.lanes; ++lane) {
        lanes.insert(lanes.end(), neutral.begin(), neutral.end());
      }
      if (!CombineElements(prepared, absl::MakeSpan(lanes))) return false;
      for (int64_t half = instruction.lanes / 2; half > 0; half /= 2) {
        for (int64_t lane = 0; lane < half; ++lane) {
          const absl::Span<Slot> left(&lanes[lane * n], n);
          if (!Combine(combine, left, absl::MakeConstSpan(&lanes[(lane + half) * n], n))) return false;
        }
      }
      if (!Combine(combine, absl::MakeSpan(result), absl::MakeConstSpan(lanes.data(), n))) return false;
    }
    Set(instruction.results, result);
    return true;
  }

  // Combines each element into its lane.
  bool CombineElements(const PreparedInstruction& prepared, absl::Span<Slot> lanes) {
    const KernelInstruction& instruction = *prepared.instruction;
    const PreparedRegion& element = prepared.regions[0];
    const size_t n = instruction.results.size();
    std::vector<int64_t> index(instruction.extents.size());
    int64_t count = 1;
    for (const int64_t extent : instruction.extents) count *= extent;
    for (int64_t e = 0; e < count; ++e) {
      for (size_t d = 0; d < index.size(); ++d) SetIndex(element.region->arguments[d], index[d]);
      if (!Step() || !RunRegion(element)) return false;
      const absl::Span<Slot> lane = lanes.subspan(index.back() % instruction.lanes * n, n);
      if (!Combine(prepared.regions[1], lane, Get(element.region->results))) return false;
      for (size_t d = index.size(); d-- > 0 && ++index[d] == instruction.extents[d];) index[d] = 0;
    }
    return true;
  }

  bool RunIf(const PreparedInstruction& prepared) {
    const KernelInstruction& instruction = *prepared.instruction;
    const PreparedRegion& region = prepared.regions[Predicate(instruction.operands[0]) ? 0 : 1];
    if (!RunRegion(region)) return false;
    Move(instruction.results, region.region->results);
    return true;
  }

  // Runs a loop whose state moves from the condition's arguments to the body's and back.
  bool RunWhile(const PreparedInstruction& prepared) {
    const KernelInstruction& instruction = *prepared.instruction;
    const PreparedRegion& condition = prepared.regions[0];
    const PreparedRegion& body = prepared.regions[1];
    Move(condition.region->arguments, instruction.operands);
    for (;;) {
      if (!Step() || !RunRegion(condition)) return false;
      if (!Predicate(condition.region->results[0])) break;
      Move(body.region->arguments, condition.region->arguments);
      if (!RunRegion(body)) return false;
      Move(condition.region->arguments, body.region->results);
    }
    Move(instruction.results, condition.region->arguments);
    return true;
  }

  const Kernel& kernel_;
  const KernelRunOptions options_;
  std::vector<Slot> slots_;  // by value
  std::vector<int> width_;   // by value
  // By buffer.
  std::vector<char*> data_;
  std::vector<int> element_width_;
  std::vector<int> memory_;  // the first buffer that shares its memory
  std::vector<bool> is_tracked_;
  std::vector<std::vector<bool>> is_written_;
  std::vector<std::vector<char>> scratch_;

  std::vector<AccessLog> logs_;  // of the loops around, from the outside in
  bool logs_are_of_tiles_ = false;
  absl::optional<WorkgroupLog> workgroup_;  // of the tile
  std::vector<Slot> moved_;
  int64_t tile_ = 0;
  int64_t steps_ = 0;
  absl::Status status_;
};

class PreparedKernel : public KernelInterpreter {
 public:
  explicit PreparedKernel(const Kernel& kernel) : kernel_(kernel) {
    for (const KernelPhase& phase : kernel.phases) phases_.push_back(Prepare(kernel, phase.body));
  }

  absl::Status Run(absl::Span<void* const> buffers, const KernelRunOptions& options) const override {
    if (static_cast<int>(buffers.size()) != kernel_.CallerBufferCount()) {
      return absl::InvalidArgumentError(absl::StrCat("kernel ", kernel_.name, ": expected ",
                                                     kernel_.CallerBufferCount(), " buffers, got ", buffers.size()));
    }
    return KernelRun(kernel_, buffers, options).RunPhases(phases_);
  }

 private:
  const Kernel& kernel_;
  std::vector<PreparedRegion> phases_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<KernelInterpreter>> KernelInterpreter::Create(const Kernel& kernel) {
  RETURN_IF_ERROR(VerifyKernel(kernel));
  return std::make_unique<PreparedKernel>(kernel);
}

// Checks that each array has the type and the number of elements of its buffer, and runs the kernel on them in place.
// Buffers that share memory with an earlier one take that one's array.
absl::Status RunKernelOnArrays(const Kernel& kernel, absl::Span<Literal> arrays, const KernelRunOptions& options) {
  ASSIGN_OR_RETURN(const std::unique_ptr<KernelInterpreter> interpreter, KernelInterpreter::Create(kernel));
  std::vector<void*> buffers;
  for (size_t i = 0; i < arrays.size() && i < kernel.buffers.size(); ++i) {
    const KernelBuffer& buffer = kernel.buffers[i];
    if (buffer.same_memory_as >= 0) {
      buffers.push_back(buffers[buffer.same_memory_as]);
      continue;
    }
    const Shape& shape = arrays[i].shape();
    if (!shape.IsArray() || shape.element_type() != buffer.type || shape.ElementCount() != buffer.element_count) {
      return absl::InvalidArgumentError(absl::StrCat("kernel ", kernel.name, ": expected ", buffer.element_count, " ",
                                                     PrimitiveTypeName(buffer.type), " for ", buffer.name, ", got ",
                                                     shape.ToString()));
    }
    buffers.push_back(arrays[i].untyped_mutable_data());
  }
  return interpreter->Run(buffers, options);
}

}  // namespace xla
