// Checks a kernel against what kernel.h promises, region by region from the outside in.
//
// Of element numbers and of independence it tells what is certain, and is silent on the rest. An element number that is
// an affine sum of different loop indices takes every value that its range says if the loops around it always run, so
// it has to stay within the buffer unless there is a predicate. Iterations of an independent loop conflict if a store
// among them has nothing to do with the loop's index: neither its element number nor whether it happens.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "backends/kernel_ir/index_form.h"
#include "backends/kernel_ir/kernel.h"
#include "backends/kernel_ir/scalar_operation.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Which of the loops around that may run in parallel a value depends on: one bit each, the tiles' first. All bits where
// it is not known, and for loops nested beyond what there are bits for.
using LoopSet = uint64_t;
constexpr LoopSet kAnyLoop = ~LoopSet{0};
constexpr int kMaxTrackedLoops = 64;

// How error messages call the instruction.
absl::string_view OpName(const KernelInstruction& instruction) {
  switch (instruction.op) {
    case KernelOp::kConstant:
      return "constant";
    case KernelOp::kElementwise:
      return HloOpcodeName(instruction.opcode);
    case KernelOp::kMultiplyAdd:
      return "multiply-add";
    case KernelOp::kAffine:
      return "affine";
    case KernelOp::kQuotient:
      return "quotient";
    case KernelOp::kRemainder:
      return "remainder";
    case KernelOp::kInRange:
      return "in-range";
    case KernelOp::kLoad:
      return "load";
    case KernelOp::kStore:
      return "store";
    case KernelOp::kBarrier:
      return "barrier";
    case KernelOp::kFor:
      return "for";
    case KernelOp::kReduce:
      return "reduce";
    case KernelOp::kIf:
      return "if";
    case KernelOp::kWhile:
      return "while";
  }
  return "unknown instruction";
}

absl::Status Wrong(absl::string_view what) { return absl::InternalError(what); }

// What is known of a value that is visible.
struct Fact {
  bool is_defined = false;  // somewhere, once
  bool is_visible = false;
  LoopSet loops = 0;
  IndexRange range;
  // An index that takes every value of its range for all values of the other such indices.
  bool is_free_index = false;
  bool is_sum = false;
};

// What is around an instruction.
struct Context {
  LoopSet parallel = 0;     // loops around whose iterations must not conflict
  LoopSet conditions = 0;   // what decides whether it runs
  int parallel_depth = 0;   // loops that have a bit
  bool always_runs = true;  // for all values of the indices around it
  bool may_store = true;
  int64_t invocations = 1;  // of the phase
  bool is_uniform = true;   // all invocations run it, not one alone
};

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel) : kernel_(kernel), facts_(kernel.value_types.size()) {}

  absl::Status Verify() {
    absl::Status status = VerifyAll();
    if (status.ok()) return status;
    return absl::InternalError(
        absl::StrCat("kernel ", kernel_.name, ": ", where_, where_.empty() ? "" : ": ", status.message()));
  }

 private:
  // ---- The whole.

  absl::Status VerifyAll() {
    for (size_t v = 0; v < kernel_.value_types.size(); ++v) {
      if (!IsArrayType(kernel_.value_types[v]))
        return Wrong(absl::StrCat("value ", v, " is of a type without elements"));
    }
    RETURN_IF_ERROR(VerifyNarrow());
    RETURN_IF_ERROR(VerifyBuffers());
    for (size_t i = 0; i < kernel_.phases.size(); ++i) {
      where_ = absl::StrCat("phase ", i);
      RETURN_IF_ERROR(VerifyPhase(kernel_.phases[i]));
    }
    where_.clear();
    return absl::OkStatus();
  }

  absl::Status VerifyNarrow() const {
    if (kernel_.narrow.size() > kernel_.value_types.size()) {
      return Wrong(absl::StrCat("expected at most ", kernel_.value_types.size(), " values that may be narrow, got ",
                                kernel_.narrow.size()));
    }
    for (size_t v = 0; v < kernel_.narrow.size(); ++v) {
      if (kernel_.narrow[v] && kernel_.value_types[v] != S64) {
        return Wrong(absl::StrCat("value ", v, " is said to be narrow, but it is not an s64"));
      }
    }
    return absl::OkStatus();
  }

  // Of a value that takes all numbers of its range, or the least and the greatest of them.
  absl::Status ExpectNarrow(KernelValue value) const {
    const IndexRange& range = facts_[value].range;
    if (!kernel_.IsNarrow(value) || range.IsWithin(IndexRange::OfType(S32))) return absl::OkStatus();
    return Wrong(
        absl::StrCat("value ", value, " is said to be narrow, but is any number from ", range.low, " to ", range.high));
  }

  // Scratch comes last, since callers give buffers by position and know nothing of it. Shared memory refers
  // backwards, so that there are no cycles.
  absl::Status VerifyBuffers() {
    bool is_scratch = false;
    for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
      const KernelBuffer& buffer = kernel_.buffers[i];
      where_ = absl::StrCat("buffer ", i, " (", buffer.name, ")");
      if (!IsArrayType(buffer.type)) return Wrong("its type has no elements");
      if (buffer.element_count < 0) return Wrong(absl::StrCat("it has ", buffer.element_count, " elements"));
      int64_t bytes;
      if (!CheckedMul(buffer.element_count, ByteWidth(buffer.type), &bytes)) return Wrong("it is too large");
      const bool was_scratch = is_scratch;
      is_scratch = buffer.use == KernelBuffer::Use::kScratch;
      if (was_scratch && !is_scratch) return Wrong("the caller's buffers must come before scratch");
      const int32_t other = buffer.same_memory_as;
      if (other == -1) continue;
      if (other < 0 || other >= static_cast<int32_t>(i)) return Wrong("it must share memory with an earlier buffer");
      if (is_scratch || kernel_.buffers[other].use == KernelBuffer::Use::kScratch) {
        return Wrong("scratch shares no memory");
      }
    }
    where_.clear();
    if (kernel_.ScratchBytes() == IndexRange::kUnknownHigh) return Wrong("its scratch is too large");
    return absl::OkStatus();
  }

  // The tile's number is a parallel index from 0 to tile_count - 1, unless there is only one tile.
  absl::Status VerifyPhase(const KernelPhase& phase) {
    if (phase.tile_count < 1) return Wrong(absl::StrCat("expected one tile or more, got ", phase.tile_count));
    if (phase.invocations < 1) {
      return Wrong(absl::StrCat("expected one invocation or more, got ", phase.invocations));
    }
    Context context;
    context.invocations = phase.invocations;
    const bool is_parallel = phase.tile_count > 1;
    if (is_parallel) context.parallel = 1;
    context.parallel_depth = 1;
    RETURN_IF_ERROR(DefineArguments(phase.body, {S64}));
    Fact& tile = facts_[phase.body.arguments[0]];
    tile.loops = is_parallel ? 1 : 0;
    tile.range = {0, phase.tile_count - 1};
    tile.is_free_index = true;
    RETURN_IF_ERROR(ExpectNarrow(phase.body.arguments[0]));
    return VerifyRegion(phase.body, {}, context);
  }

  // ---- Values.

  std::string TypeNames(absl::Span<const PrimitiveType> types) const {
    std::string names;
    for (const PrimitiveType type : types) absl::StrAppend(&names, names.empty() ? "" : ", ", PrimitiveTypeName(type));
    return absl::StrCat("(", names, ")");
  }

  template <typename Values>
  std::vector<PrimitiveType> TypesOf(const Values& values) const {
    std::vector<PrimitiveType> types;
    for (const KernelValue value : values) types.push_back(kernel_.TypeOf(value));
    return types;
  }

  bool IsValue(KernelValue value) const { return value >= 0 && value < static_cast<KernelValue>(facts_.size()); }

  absl::Status Define(KernelValue value) {
    if (!IsValue(value)) return Wrong(absl::StrCat("there is no value ", value));
    if (facts_[value].is_defined) return Wrong(absl::StrCat("value ", value, " is defined twice"));
    facts_[value].is_defined = true;
    facts_[value].is_visible = true;
    facts_[value].range = IndexRange::OfType(kernel_.TypeOf(value));
    visible_.push_back(value);
    return absl::OkStatus();
  }

  // Defines what comes from an unknown source.
  absl::Status DefineArguments(const KernelRegion& region, const std::vector<PrimitiveType>& types) {
    for (const KernelValue argument : region.arguments) {
      RETURN_IF_ERROR(Define(argument));
      facts_[argument].loops = kAnyLoop;
    }
    if (TypesOf(region.arguments) == types) return absl::OkStatus();
    return Wrong(absl::StrCat("expected a region with arguments ", TypeNames(types), ", got ",
                              TypeNames(TypesOf(region.arguments))));
  }

  void DefineIndex(KernelValue index, int64_t extent) {
    facts_[index].loops = 0;
    facts_[index].range = {0, extent - 1};
    facts_[index].is_free_index = true;
  }

  template <typename Values>
  absl::Status CheckVisible(const Values& values) const {
    for (const KernelValue value : values) {
      if (!IsValue(value)) return Wrong(absl::StrCat("there is no value ", value));
      if (!facts_[value].is_visible) {
        return Wrong(absl::StrCat("value ", value, " cannot be seen from here: it is defined ",
                                  facts_[value].is_defined ? "in a region that has ended" : "later or nowhere"));
      }
    }
    return absl::OkStatus();
  }

  template <typename Values>
  LoopSet LoopsOf(const Values& values) const {
    LoopSet loops = 0;
    for (const KernelValue value : values) loops |= facts_[value].loops;
    return loops;
  }

  absl::Status ExpectType(KernelValue value, PrimitiveType type, absl::string_view what) const {
    if (kernel_.TypeOf(value) == type) return absl::OkStatus();
    return Wrong(absl::StrCat("expected ", what, " of type ", PrimitiveTypeName(type), ", got ",
                              PrimitiveTypeName(kernel_.TypeOf(value))));
  }

  absl::Status ExpectCounts(const KernelInstruction& instruction, size_t operands, size_t results) const {
    if (instruction.operands.size() != operands) {
      return Wrong(absl::StrCat("expected ", operands, " operands, got ", instruction.operands.size()));
    }
    if (instruction.results.size() != results) {
      return Wrong(absl::StrCat("expected ", results, " results, got ", instruction.results.size()));
    }
    return absl::OkStatus();
  }

  // ---- Regions.

  // The arguments are defined already; they and what the region defines cannot be seen any more afterwards.
  absl::Status VerifyRegion(const KernelRegion& region, const std::vector<PrimitiveType>& result_types,
                            const Context& context) {
    const size_t first = visible_.size() - region.arguments.size();
    const std::string around = where_;
    for (size_t i = 0; i < region.instructions.size(); ++i) {
      where_ = absl::StrCat(around, ", instruction ", i, " (", OpName(region.instructions[i]), ")");
      RETURN_IF_ERROR(VerifyInstruction(region.instructions[i], context));
    }
    where_ = around;
    RETURN_IF_ERROR(CheckVisible(region.results));
    if (TypesOf(region.results) != result_types) {
      return Wrong(absl::StrCat("expected a region with results ", TypeNames(result_types), ", got ",
                                TypeNames(TypesOf(region.results))));
    }
    for (size_t i = first; i < visible_.size(); ++i) facts_[visible_[i]].is_visible = false;
    visible_.resize(first);
    return absl::OkStatus();
  }

  // Checks that operands are visible and regions as many as the instruction has, then the instruction by its kind,
  // and defines its results.
  absl::Status VerifyInstruction(const KernelInstruction& instruction, const Context& context) {
    RETURN_IF_ERROR(CheckVisible(instruction.operands));
    for (const KernelValue result : instruction.results) {
      if (!IsValue(result)) return Wrong(absl::StrCat("there is no value ", result));
    }
    const size_t region_count = RegionCount(instruction.op);
    if (instruction.regions.size() != region_count) {
      return Wrong(absl::StrCat("expected ", region_count, " regions, got ", instruction.regions.size()));
    }
    RETURN_IF_ERROR(VerifyOp(instruction, context));
    for (const KernelValue result : instruction.results) RETURN_IF_ERROR(Define(result));
    NoteResults(instruction);
    return instruction.op == KernelOp::kConstant ? ExpectNarrow(instruction.results[0]) : absl::OkStatus();
  }

  static size_t RegionCount(KernelOp op) {
    if (op == KernelOp::kFor) return 1;
    return op == KernelOp::kReduce || op == KernelOp::kIf || op == KernelOp::kWhile ? 2 : 0;
  }

  // Checks operands, results and regions of one instruction by its kind.
  absl::Status VerifyOp(const KernelInstruction& instruction, const Context& context) {
    switch (instruction.op) {
      case KernelOp::kConstant:
        return VerifyConstant(instruction);
      case KernelOp::kElementwise:
        return VerifyElementwise(instruction);
      case KernelOp::kMultiplyAdd:
        return VerifyMultiplyAdd(instruction);
      case KernelOp::kAffine:
      case KernelOp::kQuotient:
      case KernelOp::kRemainder:
      case KernelOp::kInRange:
        return VerifyIndexOp(instruction);
      case KernelOp::kLoad:
        return VerifyLoad(instruction, context);
      case KernelOp::kStore:
        return VerifyStore(instruction, context);
      case KernelOp::kBarrier:
        return VerifyBarrier(instruction, context);
      case KernelOp::kFor:
        return VerifyFor(instruction, context);
      case KernelOp::kReduce:
        return VerifyReduce(instruction, context);
      case KernelOp::kIf:
        return VerifyIf(instruction, context);
      case KernelOp::kWhile:
        return VerifyWhile(instruction, context);
    }
    return Wrong("there is no such instruction");
  }

  // ---- Instructions without regions.

  absl::Status VerifyConstant(const KernelInstruction& instruction) const {
    RETURN_IF_ERROR(ExpectCounts(instruction, 0, 1));
    const Shape& shape = instruction.literal.shape();
    if (!shape.IsArray() || !shape.IsScalar()) return Wrong(absl::StrCat("expected a scalar, got ", shape.ToString()));
    return ExpectType(instruction.results[0], shape.element_type(), "a result");
  }

  absl::Status VerifyElementwise(const KernelInstruction& instruction) const {
    RETURN_IF_ERROR(ExpectCounts(instruction, instruction.operands.size(), 1));
    return ScalarOperation(kernel_, instruction).Verify();
  }

  absl::Status VerifyMultiplyAdd(const KernelInstruction& instruction) const {
    RETURN_IF_ERROR(ExpectCounts(instruction, 3, 1));
    const PrimitiveType type = kernel_.TypeOf(instruction.results[0]);
    if (type != F32 && type != F64) {
      return Wrong(absl::StrCat("expected a result of type f32 or f64, got ", PrimitiveTypeName(type)));
    }
    for (const KernelValue operand : instruction.operands) RETURN_IF_ERROR(ExpectType(operand, type, "an operand"));
    return absl::OkStatus();
  }

  // Index operations have operands of s64. Divisors are positive, and a dividend that is always negative is a
  // mistake.
  absl::Status VerifyIndexOp(const KernelInstruction& instruction) const {
    const bool is_affine = instruction.op == KernelOp::kAffine;
    RETURN_IF_ERROR(ExpectCounts(instruction, is_affine ? instruction.coefficients.size() : 1, 1));
    for (const KernelValue operand : instruction.operands) RETURN_IF_ERROR(ExpectType(operand, S64, "an operand"));
    const bool is_in_range = instruction.op == KernelOp::kInRange;
    RETURN_IF_ERROR(ExpectType(instruction.results[0], is_in_range ? PRED : S64, "a result"));
    if (is_affine || is_in_range) return absl::OkStatus();
    if (instruction.constant < 1) {
      return Wrong(absl::StrCat("expected a positive divisor, got ", instruction.constant));
    }
    if (facts_[instruction.operands[0]].range.high < 0) return Wrong("the dividend is always negative");
    return absl::OkStatus();
  }

  absl::Status VerifyBuffer(const KernelInstruction& instruction, KernelValue element) const {
    if (instruction.buffer < 0 || instruction.buffer >= static_cast<int32_t>(kernel_.buffers.size())) {
      return Wrong(absl::StrCat("there is no buffer ", instruction.buffer));
    }
    return ExpectType(element, S64, "an element number");
  }

  absl::Status VerifyLoad(const KernelInstruction& instruction, const Context& context) const {
    const auto& operands = instruction.operands;
    const bool is_conditional = operands.size() != 1;
    RETURN_IF_ERROR(ExpectCounts(instruction, is_conditional ? 3 : 1, 1));
    RETURN_IF_ERROR(VerifyBuffer(instruction, operands[0]));
    const PrimitiveType type = kernel_.buffers[instruction.buffer].type;
    RETURN_IF_ERROR(ExpectType(instruction.results[0], type, "a result"));
    if (!is_conditional) return VerifyElement(instruction, context);
    RETURN_IF_ERROR(ExpectType(operands[1], PRED, "a predicate"));
    return ExpectType(operands[2], type, "another value");
  }

  // Checks a store, with the rule that makes kernels safe to run in parallel: iterations that may run at the same
  // time must not write one element. Its index, or a condition of the store, must therefore depend on every parallel
  // loop around it.
  absl::Status VerifyStore(const KernelInstruction& instruction, const Context& context) const {
    const auto& operands = instruction.operands;
    const bool is_conditional = operands.size() == 3;
    RETURN_IF_ERROR(ExpectCounts(instruction, is_conditional ? 3 : 2, 0));
    RETURN_IF_ERROR(VerifyBuffer(instruction, operands[0]));
    const KernelBuffer& buffer = kernel_.buffers[instruction.buffer];
    RETURN_IF_ERROR(ExpectType(operands[1], buffer.type, "a value"));
    if (is_conditional) RETURN_IF_ERROR(ExpectType(operands[2], PRED, "a predicate"));
    if (!context.may_store) return Wrong("the regions of a reduce must not store");
    if (buffer.use == KernelBuffer::Use::kRead) return Wrong(absl::StrCat("buffer ", buffer.name, " is only read"));
    if (!is_conditional) RETURN_IF_ERROR(VerifyElement(instruction, context));
    LoopSet told_apart = facts_[operands[0]].loops | context.conditions;
    if (is_conditional) told_apart |= facts_[operands[2]].loops;
    // Each tile has scratch of its own.
    LoopSet parallel = context.parallel;
    if (buffer.use == KernelBuffer::Use::kScratch) parallel &= ~LoopSet{1};
    if ((parallel & ~told_apart) == 0) return absl::OkStatus();
    const bool by_tiles = (parallel & ~told_apart & 1) != 0;
    return Wrong(absl::StrCat(by_tiles ? "all tiles" : "all iterations of an independent loop",
                              " write the same element of ", buffer.name));
  }

  // A reduce runs its regions as often as it likes, and several lanes at once, which may not wait for each other.
  absl::Status VerifyBarrier(const KernelInstruction& instruction, const Context& context) const {
    RETURN_IF_ERROR(ExpectCounts(instruction, 0, 0));
    if (!context.may_store) return Wrong("the regions of a reduce must not wait");
    return ExpectUniform(context);
  }

  // For what concerns all invocations of a tile.
  absl::Status ExpectUniform(const Context& context) const {
    if (context.invocations == 1) return Wrong("a tile of the phase has one invocation only");
    if (!context.is_uniform) return Wrong("it is run by one invocation alone");
    return absl::OkStatus();
  }

  // The operand of a load or store without a predicate.
  absl::Status VerifyElement(const KernelInstruction& instruction, const Context& context) const {
    const Fact& element = facts_[instruction.operands[0]];
    const KernelBuffer& buffer = kernel_.buffers[instruction.buffer];
    const auto outside = [&](const char* verb, int64_t number) {
      return Wrong(absl::StrCat("the element number ", verb, " ", number, ", but ", buffer.name, " has ",
                                buffer.element_count, " elements"));
    };
    if (!context.always_runs || !element.is_free_index) return absl::OkStatus();
    if (element.range.high >= buffer.element_count) return outside("reaches", element.range.high);
    if (element.range.low < 0) return outside("begins at", element.range.low);
    return absl::OkStatus();
  }

  // ---- Instructions with regions.

  // Checks a loop and tracks it as a parallel one if its iterations are independent and more than one. A loop that
  // may have no iteration makes no promise for what is in it (`always_runs`).
  absl::Status VerifyFor(const KernelInstruction& instruction, const Context& context) {
    const auto& operands = instruction.operands;
    if (operands.empty()) return Wrong("expected an extent");
    RETURN_IF_ERROR(ExpectCounts(instruction, operands.size(), operands.size() - 1));
    RETURN_IF_ERROR(ExpectType(operands[0], S64, "an extent"));
    const bool has_state = operands.size() > 1;
    if (instruction.independent && has_state) return Wrong("an independent loop has no state");
    if (instruction.schedule == LoopSchedule::kVector && !instruction.independent) {
      return Wrong("only an independent loop can run in vectors");
    }
    const bool is_shared = instruction.schedule == LoopSchedule::kInvocations;
    if (is_shared && !instruction.independent) return Wrong("only an independent loop can be shared by invocations");
    if (is_shared) RETURN_IF_ERROR(ExpectUniform(context));
    const Fact extent = facts_[operands[0]];
    RETURN_IF_ERROR(DefineArguments(instruction.regions[0], TypesOf(operands)));
    const KernelValue index = instruction.regions[0].arguments[0];
    Context inner = context;
    inner.is_uniform = context.is_uniform && !is_shared;
    inner.conditions |= extent.loops;
    if (!extent.range.IsPoint() || extent.range.low < 1) inner.always_runs = false;
    DefineIndex(index, extent.range.high);
    if (extent.range.IsPoint()) RETURN_IF_ERROR(ExpectNarrow(index));
    const bool is_one = extent.range.IsPoint() && extent.range.low == 1;
    if (instruction.independent && !is_one && inner.parallel_depth < kMaxTrackedLoops) {
      facts_[index].loops = LoopSet{1} << inner.parallel_depth++;
      inner.parallel |= facts_[index].loops;
    }
    std::vector<PrimitiveType> state = TypesOf(operands);
    state.erase(state.begin());
    RETURN_IF_ERROR(VerifyRegion(instruction.regions[0], state, inner));
    return ExpectResults(instruction, state);
  }

  // Checks a reduction: lanes are a power of two, several of them need neutral values, and neither region stores.
  absl::Status VerifyReduce(const KernelInstruction& instruction, const Context& context) {
    const size_t n = instruction.results.size();
    const int64_t lanes = instruction.lanes;
    if (lanes < 1 || (lanes & (lanes - 1)) != 0)
      return Wrong(absl::StrCat("expected a power of two, got ", lanes, " lanes"));
    if (n == 0) return Wrong("expected results");
    RETURN_IF_ERROR(ExpectCounts(instruction, lanes == 1 ? n : 2 * n, n));
    if (instruction.extents.empty()) return Wrong("expected extents");
    std::vector<PrimitiveType> types = TypesOf(instruction.operands);
    types.resize(n);
    for (size_t i = n; i < instruction.operands.size(); ++i) {
      RETURN_IF_ERROR(ExpectType(instruction.operands[i], types[i - n], "a neutral value"));
    }
    const bool is_shared = instruction.schedule == LoopSchedule::kInvocations;
    if (!is_shared && instruction.schedule != LoopSchedule::kPlain) return Wrong("it is neither plain nor shared");
    if (is_shared) RETURN_IF_ERROR(ExpectUniform(context));
    if (is_shared && lanes == 1) return Wrong("expected lanes for the invocations");
    Context inner = context;
    inner.may_store = false;
    inner.is_uniform = context.is_uniform && !is_shared;
    const KernelRegion& element = instruction.regions[0];
    RETURN_IF_ERROR(DefineArguments(element, std::vector<PrimitiveType>(instruction.extents.size(), S64)));
    int64_t count = 1;
    for (size_t i = 0; i < instruction.extents.size(); ++i) {
      const int64_t extent = instruction.extents[i];
      if (extent < 0) return Wrong(absl::StrCat("expected extents from 0 on, got ", extent));
      if (!CheckedMul(count, extent, &count)) return Wrong("its extents are too large");
      if (extent == 0) inner.always_runs = false;
      DefineIndex(element.arguments[i], extent);
      RETURN_IF_ERROR(ExpectNarrow(element.arguments[i]));
    }
    RETURN_IF_ERROR(VerifyRegion(element, types, inner));
    std::vector<PrimitiveType> pairs = types;
    pairs.insert(pairs.end(), types.begin(), types.end());
    RETURN_IF_ERROR(DefineArguments(instruction.regions[1], pairs));
    RETURN_IF_ERROR(VerifyRegion(instruction.regions[1], types, inner));
    return ExpectResults(instruction, types);
  }

  absl::Status VerifyIf(const KernelInstruction& instruction, const Context& context) {
    RETURN_IF_ERROR(ExpectCounts(instruction, 1, instruction.results.size()));
    RETURN_IF_ERROR(ExpectType(instruction.operands[0], PRED, "a predicate"));
    Context inner = context;
    inner.conditions |= facts_[instruction.operands[0]].loops;
    inner.always_runs = false;
    for (const KernelRegion& region : instruction.regions) {
      RETURN_IF_ERROR(DefineArguments(region, {}));
      RETURN_IF_ERROR(VerifyRegion(region, TypesOf(instruction.results), inner));
    }
    return absl::OkStatus();
  }

  absl::Status VerifyWhile(const KernelInstruction& instruction, const Context& context) {
    const std::vector<PrimitiveType> state = TypesOf(instruction.operands);
    RETURN_IF_ERROR(ExpectCounts(instruction, state.size(), state.size()));
    Context inner = context;
    inner.conditions = kAnyLoop;
    inner.always_runs = false;
    RETURN_IF_ERROR(DefineArguments(instruction.regions[0], state));
    RETURN_IF_ERROR(VerifyRegion(instruction.regions[0], {PRED}, inner));
    RETURN_IF_ERROR(DefineArguments(instruction.regions[1], state));
    RETURN_IF_ERROR(VerifyRegion(instruction.regions[1], state, inner));
    return ExpectResults(instruction, state);
  }

  absl::Status ExpectResults(const KernelInstruction& instruction, const std::vector<PrimitiveType>& types) const {
    if (TypesOf(instruction.results) == types) return absl::OkStatus();
    return Wrong(
        absl::StrCat("expected results ", TypeNames(types), ", got ", TypeNames(TypesOf(instruction.results))));
  }

  // ---- What is known of results.

  void NoteResults(const KernelInstruction& instruction) {
    for (const KernelValue result : instruction.results) {
      facts_[result].loops = instruction.regions.empty() ? LoopsOf(instruction.operands) : kAnyLoop;
    }
    if (instruction.op == KernelOp::kConstant && kernel_.TypeOf(instruction.results[0]) == S64) {
      facts_[instruction.results[0]].range = IndexRange::Point(*instruction.literal.data<int64_t>());
      facts_[instruction.results[0]].is_free_index = true;
    }
    if (instruction.op == KernelOp::kAffine) NoteAffine(instruction);
  }

  // Range of a sum. It is free, that is, it takes all values of its range independently of other indices, if its
  // terms are and share no index.
  void NoteAffine(const KernelInstruction& instruction) {
    IndexRange range = IndexRange::Point(instruction.constant);
    bool is_free = true;
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      const KernelValue operand = instruction.operands[i];
      range = range + instruction.coefficients[i] * facts_[operand].range;
      is_free = is_free && facts_[operand].is_free_index;
      // Not of a sum that shares an index with another term.
      for (size_t j = 0; j < i; ++j) is_free = is_free && instruction.operands[j] != operand;
      is_free = is_free && (instruction.operands.size() == 1 || !facts_[operand].is_sum);
    }
    Fact& fact = facts_[instruction.results[0]];
    fact.range = range;
    fact.is_free_index = is_free && range.has_low() && range.has_high();
    fact.is_sum = true;
  }

  const Kernel& kernel_;
  std::vector<Fact> facts_;           // by value
  std::vector<KernelValue> visible_;  // in order of their definition
  std::string where_;
};

}  // namespace

absl::Status VerifyKernel(const Kernel& kernel) { return Verifier(kernel).Verify(); }

}  // namespace xla
