#include "backends/vulkan/codegen/phase_emitter.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "backends/scalar_code/elementwise_emitter.h"
#include "xla_core/support/check.h"

namespace xla {
namespace vulkan {

using codegen::Element;
using codegen::MakeElement;

void PhaseEmitter::EmitTile(const KernelPhase& phase, V tile) {
  ranges_.NoteTile(phase);
  EmitRegion(phase.body, {IndexOf(tile)});
}

PhaseEmitter::Elements PhaseEmitter::ValuesOf(absl::Span<const KernelValue> values) const {
  Elements elements;
  for (const KernelValue value : values) elements.push_back(Value(value));
  return elements;
}

V PhaseEmitter::Word(KernelValue index) { return ir_.ZeroExtend(Value(index).value, Kind::kI32); }

Element PhaseEmitter::IndexOf(V word) { return MakeElement(S64, ir_.SignExtend(word, Kind::kI64)); }

PhaseEmitter::Elements PhaseEmitter::EmitRegion(const KernelRegion& region, absl::Span<const Element> arguments) {
  CHECK(region.arguments.size() == arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) values_[region.arguments[i]] = arguments[i];
  for (const KernelInstruction& instruction : region.instructions) EmitInstruction(instruction);
  return ValuesOf(region.results);
}

void PhaseEmitter::EmitInstruction(const KernelInstruction& instruction) {
  ranges_.NoteResult(instruction);
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
  switch (instruction.op) {
    case KernelOp::kConstant:
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
      return codegen::EmitElementwise(instruction, kernel_.TypeOf(instruction.results[0]),
                                      ValuesOf(instruction.operands));
  }
}

// Narrow floats are made from their bits, which hide a zero.
Element PhaseEmitter::EmitConstant(const KernelInstruction& instruction) {
  const Element constant = codegen::ConstantElement(ir_, instruction.literal);
  return constant.bits.exists() ? codegen::ElementOfBits(constant.type, ir_.HideZero(constant.bits)) : constant;
}

// ---- Indices

// A sum that a word holds is right in words, whatever overflows on the way.
Element PhaseEmitter::EmitAffine(const KernelInstruction& instruction) {
  const bool in_words = ranges_.IsInWords(instruction.results[0]);
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
  const int64_t divisor = instruction.constant;
  const auto op = is_quotient ? codegen::Ir::Op::kUnsignedDivide : codegen::Ir::Op::kUnsignedRemainder;
  const bool in_words = ranges_.IsInWords(instruction.operands[0]) && divisor <= INT32_MAX;
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
