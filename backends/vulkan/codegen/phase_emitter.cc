#include "backends/vulkan/codegen/phase_emitter.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "backends/scalar_code/elementwise_emitter.h"
#include "xla_core/support/check.h"

namespace xla {
namespace vulkan {

using codegen::Element;
using codegen::MakeElement;

namespace {

bool IsWord(const IndexRange& range) { return range.low >= INT32_MIN && range.high <= INT32_MAX; }

}  // namespace

void PhaseEmitter::EmitTile(const KernelPhase& phase, V tile) {
  ranges_[phase.body.arguments[0]] = {0, phase.tile_count - 1};
  EmitRegion(phase.body, {IndexOf(tile)});
}

PhaseEmitter::Elements PhaseEmitter::ValuesOf(absl::Span<const KernelValue> values) const {
  Elements elements;
  for (const KernelValue value : values) elements.push_back(Value(value));
  return elements;
}

bool PhaseEmitter::IsInWords(KernelValue index) const { return kernel_.IsNarrow(index) || IsWord(ranges_[index]); }

V PhaseEmitter::Word(KernelValue index) { return ir_.ZeroExtend(Value(index).value, Kind::kI32); }

Element PhaseEmitter::IndexOf(V word) { return MakeElement(S64, ir_.SignExtend(word, Kind::kI64)); }

PhaseEmitter::Elements PhaseEmitter::EmitRegion(const KernelRegion& region, absl::Span<const Element> arguments) {
  CHECK(region.arguments.size() == arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) values_[region.arguments[i]] = arguments[i];
  for (const KernelInstruction& instruction : region.instructions) EmitInstruction(instruction);
  return ValuesOf(region.results);
}

void PhaseEmitter::EmitInstruction(const KernelInstruction& instruction) {
  switch (instruction.op) {
    case KernelOp::kStore:
      return EmitStore(instruction);
    case KernelOp::kBarrier:
      return Barrier();
    case KernelOp::kFor:
      return EmitFor(instruction);
    case KernelOp::kReduce:
      return EmitReduce(instruction);
    case KernelOp::kIf:
      return EmitIf(instruction);
    case KernelOp::kWhile:
      return EmitWhile(instruction);
    case KernelOp::kConstant:
    case KernelOp::kElementwise:
    case KernelOp::kMultiplyAdd:
    case KernelOp::kAffine:
    case KernelOp::kQuotient:
    case KernelOp::kRemainder:
    case KernelOp::kInRange:
    case KernelOp::kLoad:
      values_[instruction.results[0]] = EmitValue(instruction);
  }
}

Element PhaseEmitter::EmitValue(const KernelInstruction& instruction) {
  const KernelValue result = instruction.results[0];
  switch (instruction.op) {
    case KernelOp::kConstant:
      if (kernel_.TypeOf(result) == S64) ranges_[result] = IndexRange::Point(*instruction.literal.data<int64_t>());
      return EmitConstant(instruction);
    case KernelOp::kMultiplyAdd: {
      const Elements x = ValuesOf(instruction.operands);
      return MakeElement(x[0].type, codegen::Fma(x[0].value, x[1].value, x[2].value));
    }
    case KernelOp::kAffine:
      return EmitAffine(instruction);
    case KernelOp::kQuotient:
    case KernelOp::kRemainder:
      return EmitDivision(instruction);
    case KernelOp::kInRange: {
      const V index = Value(instruction.operands[0]).value;
      return MakeElement(PRED, (index >= instruction.constant) & (index <= instruction.constant2));
    }
    case KernelOp::kLoad:
      return EmitLoad(instruction);
    default:
      if (instruction.opcode == HloOpcode::kMinimum || instruction.opcode == HloOpcode::kMaximum) {
        NoteBoundedRange(instruction);
      }
      return codegen::EmitElementwise(instruction, kernel_.TypeOf(result), ValuesOf(instruction.operands));
  }
}

// Narrow floats are made from their bits, which hide a zero.
Element PhaseEmitter::EmitConstant(const KernelInstruction& instruction) {
  const Element constant = codegen::ConstantElement(ir_, instruction.literal);
  return constant.bits.exists() ? codegen::ElementOfBits(constant.type, ir_.HideZero(constant.bits)) : constant;
}

// ---- Indices

// That of a minimum or a maximum. loop_bound.cc relies on it.
void PhaseEmitter::NoteBoundedRange(const KernelInstruction& instruction) {
  if (kernel_.TypeOf(instruction.results[0]) != S64) return;
  const IndexRange& x = ranges_[instruction.operands[0]];
  const IndexRange& y = ranges_[instruction.operands[1]];
  ranges_[instruction.results[0]] = instruction.opcode == HloOpcode::kMinimum
                                        ? IndexRange{std::min(x.low, y.low), std::min(x.high, y.high)}
                                        : IndexRange{std::max(x.low, y.low), std::max(x.high, y.high)};
}

// A sum that a word holds is right in words, whatever overflows on the way.
Element PhaseEmitter::EmitAffine(const KernelInstruction& instruction) {
  IndexRange range = IndexRange::Point(instruction.constant);
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    range = range + instruction.coefficients[i] * ranges_[instruction.operands[i]];
  }
  ranges_[instruction.results[0]] = range;
  const bool in_words = IsInWords(instruction.results[0]);
  V sum = ir_.Int(in_words ? Kind::kI32 : Kind::kI64, instruction.constant);
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const V term = in_words ? Word(instruction.operands[i]) : Value(instruction.operands[i]).value;
    const int64_t coefficient = instruction.coefficients[i];
    const V product = coefficient == 1 ? term : term * coefficient;
    sum = i == 0 && instruction.constant == 0 ? product : sum + product;
  }
  return in_words ? IndexOf(sum) : MakeElement(S64, sum);
}

Element PhaseEmitter::EmitDivision(const KernelInstruction& instruction) {
  const bool is_quotient = instruction.op == KernelOp::kQuotient;
  const IndexRange dividend = ranges_[instruction.operands[0]];
  const int64_t divisor = instruction.constant;
  const auto op = is_quotient ? codegen::Ir::Op::kUnsignedDivide : codegen::Ir::Op::kUnsignedRemainder;
  const bool in_words = IsInWords(instruction.operands[0]) && divisor <= INT32_MAX;
  IndexRange range = {0, divisor - 1};
  if (is_quotient) range.high = dividend.has_high() ? dividend.high / divisor : IndexRange::kUnknownHigh;
  ranges_[instruction.results[0]] = range;
  const V x = in_words ? Word(instruction.operands[0]) : Value(instruction.operands[0]).value;
  const V result = ir_.Binary(op, x, x.LikeInt(divisor));
  return in_words ? IndexOf(result) : MakeElement(S64, result);
}

// ---- Memory

Element PhaseEmitter::EmitLoad(const KernelInstruction& instruction) {
  const auto load = [&] { return memory_.Load(instruction.buffer, Word(instruction.operands[0])); };
  if (instruction.operands.size() == 1) return load();
  const Elements otherwise = {Value(instruction.operands[2])};
  const State loaded = ir_.IfElse(
      Value(instruction.operands[1]).value, [&] { return ToState({load()}); }, [&] { return ToState(otherwise); });
  return FromState(otherwise, loaded)[0];
}

// A uniform store is the first invocation's.
void PhaseEmitter::EmitStore(const KernelInstruction& instruction) {
  const auto store = [&] {
    memory_.Store(instruction.buffer, Word(instruction.operands[0]), Value(instruction.operands[1]));
  };
  const bool has_predicate = instruction.operands.size() == 3;
  if (!IsUniform() && !has_predicate) return store();
  V condition = IsUniform() ? invocation_ == 0 : Value(instruction.operands[2]).value;
  if (IsUniform() && has_predicate) condition = condition & Value(instruction.operands[2]).value;
  ir_.If(condition, store);
}

// ---- States

PhaseEmitter::State PhaseEmitter::ToState(const Elements& elements) const {
  State state;
  for (const Element& element : elements) {
    state.push_back(element.bits.exists() ? element.bits : element.value);
    if (element.imaginary.exists()) state.push_back(element.imaginary);
  }
  return state;
}

PhaseEmitter::Elements PhaseEmitter::FromState(const Elements& like, const State& state) const {
  Elements elements;
  size_t next = 0;
  for (const Element& element : like) {
    const V first = state[next++];
    if (element.bits.exists()) {
      elements.push_back(codegen::ElementOfBits(element.type, first));
    } else if (element.imaginary.exists()) {
      elements.push_back(codegen::MakeComplex(element.type, first, state[next++]));
    } else {
      elements.push_back(MakeElement(element.type, first));
    }
  }
  return elements;
}

}  // namespace vulkan
}  // namespace xla
