#include "backends/cpu/codegen/kernel_emitter.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "backends/scalar_code/elementwise_emitter.h"
#include "xla_core/support/check.h"

namespace xla {
namespace codegen {
namespace {

constexpr int64_t kScratchAlignment = 64;
// Scratch arrays of so few bytes are variables, which LLVM keeps in registers if it can.
constexpr int64_t kMostVariableBytes = 256;

// Buffers that share memory have the same number, all others one of their own.
std::vector<int> MemoryGroups(const Kernel& kernel) {
  std::vector<int> groups;
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    const int other = kernel.buffers[i].same_memory_as;
    groups.push_back(other < 0 ? static_cast<int>(i) : groups[other]);
  }
  return groups;
}

bool IsScratch(const KernelBuffer& buffer) { return buffer.use == KernelBuffer::Use::kScratch; }

}  // namespace

void KernelEmitter::Emit(const std::string& symbol) {
  for (size_t i = 0; i < kernel_.phases.size(); ++i) EmitPhase(absl::StrCat(symbol, ".", i), kernel_.phases[i]);
}

void KernelEmitter::EmitPhase(const std::string& name, const KernelPhase& phase) {
  const std::vector<V> arguments = ir_.BeginKernelFunction(name);
  SetBuffers(arguments[0], arguments[1]);
  stop_ = arguments[4];
  EmitWithStreaming(phase, [&] { EmitTiles(phase, arguments[2], arguments[3]); });
  EndPolling();
  ir_.EndFunction();
}

// The caller divides tiles into blocks: their loop does not ask.
void KernelEmitter::EmitTiles(const KernelPhase& phase, V begin, V end) {
  is_fetched_ahead_.assign(kernel_.buffers.size(), false);
  EmitShortLoop({begin, end}, {}, [&](V tile, absl::Span<const Element>) {
    EmitRegion(phase.body, {Index(tile)});
    return Elements();
  });
}

// Pointers of the kernel's buffers: those of the caller come from its table. Scratch is on the stack if it is small,
// else in the thread's scratch memory, aligned for vectors.
void KernelEmitter::SetBuffers(V caller_buffers, V scratch) {
  std::vector<V> pointers;
  int64_t scratch_offset = 0;
  for (const KernelBuffer& buffer : kernel_.buffers) {
    if (!IsScratch(buffer)) {
      const V at = IndexConstant(static_cast<int64_t>(pointers.size()));
      pointers.push_back(ir_.Load(ir_.Offset(caller_buffers, at, sizeof(void*)), Kind::kPointer, 1, sizeof(void*)));
      continue;
    }
    const int64_t bytes = buffer.element_count * ByteWidth(buffer.type);
    pointers.push_back(bytes <= kMostVariableBytes ? ir_.Stack(bytes)
                                                   : ir_.Offset(scratch, IndexConstant(scratch_offset), 1));
    scratch_offset += (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
  }
  buffers_ = ir_.TellApart(pointers, MemoryGroups(kernel_));
}

void KernelEmitter::SetArguments(const KernelRegion& region, absl::Span<const Element> arguments) {
  CHECK(region.arguments.size() == arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) values_[region.arguments[i]] = arguments[i];
}

KernelEmitter::Elements KernelEmitter::ValuesOf(absl::Span<const KernelValue> values) const {
  Elements elements;
  elements.reserve(values.size());
  for (const KernelValue value : values) elements.push_back(Value(value));
  return elements;
}

KernelEmitter::Elements KernelEmitter::InLanes(Elements elements) const {
  for (Element& element : elements) element = InLanes(element);
  return elements;
}

KernelEmitter::Elements KernelEmitter::EmitRegion(const KernelRegion& region, absl::Span<const Element> arguments) {
  SetArguments(region, arguments);
  for (const KernelInstruction& instruction : region.instructions) EmitInstruction(instruction);
  return ValuesOf(region.results);
}

// Emits an instruction. Those with regions, and stores, have functions of their own; all others have one result.
void KernelEmitter::EmitInstruction(const KernelInstruction& instruction) {
  switch (instruction.op) {
    case KernelOp::kStore:
      return EmitStore(instruction);
    case KernelOp::kBarrier:
      return;  // one thread runs all invocations of a tile
    case KernelOp::kFor:
      return EmitFor(instruction);
    case KernelOp::kReduce:
      return EmitReduce(instruction);
    case KernelOp::kIf:
      return EmitIf(instruction);
    case KernelOp::kWhile:
      return EmitWhile(instruction);
    default:
      values_[instruction.results[0]] = EmitValue(instruction);
      NoteMultiple(instruction);
      NoteSource(instruction);
  }
}

// The value of an instruction with one result and no region.
Element KernelEmitter::EmitValue(const KernelInstruction& instruction) {
  switch (instruction.op) {
    case KernelOp::kConstant:
      return ConstantElement(ir_, instruction.literal);
    case KernelOp::kMultiplyAdd:
      return EmitMultiplyAdd(instruction);
    case KernelOp::kAffine:
      return EmitAffine(instruction);
    case KernelOp::kQuotient:
      return EmitQuotient(instruction);
    case KernelOp::kRemainder:
      return EmitRemainder(instruction);
    case KernelOp::kInRange:
      return EmitInRange(instruction);
    case KernelOp::kLoad:
      return EmitLoad(instruction);
    default:
      CHECK(instruction.op == KernelOp::kElementwise);
      return EmitElementwiseValue(instruction, kernel_.TypeOf(instruction.results[0]));
  }
}

Element KernelEmitter::EmitMultiplyAdd(const KernelInstruction& instruction) {
  Elements operands = ValuesOf(instruction.operands);
  const bool is_uniform = std::all_of(operands.begin(), operands.end(), [](const Element& x) { return x.IsUniform(); });
  if (!is_uniform) operands = InLanes(std::move(operands));
  return MakeElement(operands[0].type, Fma(operands[0].value, operands[1].value, operands[2].value));
}

// Elementwise operations on lanes. Operands that are equal in all lanes stay scalar if all of them are; two cases are
// worth code of their own: converts of indices, and divisions by a number that is the same in all lanes.
Element KernelEmitter::EmitElementwiseValue(const KernelInstruction& instruction, PrimitiveType result_type) {
  absl::InlinedVector<Element, 3> operands;
  bool is_uniform = true;
  for (const KernelValue operand : instruction.operands) {
    operands.push_back(Value(operand));
    is_uniform = is_uniform && operands.back().IsUniform();
  }
  const Element& first = operands[0];
  if (instruction.opcode == HloOpcode::kConvert && first.lane_stride != 0 && IsInt(result_type) &&
      !IsSubByte(result_type)) {
    // Low bits of a sum are the sum of low bits: an index becomes a narrow integer before it becomes a vector.
    const Kind kind = ValueKind(result_type);
    return MakeElement(result_type, ir_.ZeroExtend(first.value, kind) + LaneOffsets(first, kind, lanes_));
  }
  if (instruction.opcode == HloOpcode::kDivide && result_type == F32 && !first.IsUniform() && operands[1].IsUniform() &&
      first.value.lanes * 4 >= ir_.vector_bytes() && ir_.HasFma()) {
    return MakeElement(F32, DivideByScalar(first.value, operands[1].value));
  }
  if (!is_uniform) {
    for (Element& operand : operands) operand = InLanes(operand);
  }
  return EmitElementwise(instruction, result_type, operands);
}

}  // namespace codegen
}  // namespace xla
