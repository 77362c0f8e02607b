// Index arithmetic: scalar as long as lanes differ by a constant stride.
#include "backends/cpu/codegen/kernel_emitter.h"

namespace xla {
namespace codegen {
namespace {

// x / divisor for a vector of 0 <= x < 2^52, for which f64 division, rounded down, is exact. Integers are brought into
// a float by putting them where its mantissa is, which takes no conversion instruction (few processors have one).
V VectorQuotient(V x, int64_t divisor) {
  constexpr int64_t kTwoTo52Bits = int64_t{1075} << 52;
  constexpr double kTwoTo52 = 4503599627370496.0;
  const V dividend = FromBits(x | kTwoTo52Bits) - kTwoTo52;
  const V quotient = dividend / static_cast<double>(divisor);
  const V rounded = (quotient + kTwoTo52) - kTwoTo52;
  const V floor = Select(rounded > quotient, rounded - 1.0, rounded);
  return ToBits(floor + kTwoTo52) ^ kTwoTo52Bits;
}

}  // namespace

Element KernelEmitter::EmitAffine(const KernelInstruction& instruction) {
  V sum = IndexConstant(instruction.constant);
  bool is_vector = false;
  int64_t stride = 0;
  const auto add = [&](V term, int64_t coefficient) {
    if (coefficient != 1) term = ir_.MultiplyIndex(term, ir_.Int(Kind::kI64, coefficient, term.lanes));
    sum = ir_.AddIndex(sum, term);
  };
  // Scalars first, so that most of the sum is one.
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const Element& operand = Value(instruction.operands[i]);
    if (operand.value.lanes > 1) {
      is_vector = true;
      continue;
    }
    add(operand.value, instruction.coefficients[i]);
    stride += operand.lane_stride * instruction.coefficients[i];
  }
  if (!is_vector) return Index(sum, stride);
  sum = Spread(Index(sum, stride), lanes_).value;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const Element& operand = Value(instruction.operands[i]);
    if (operand.value.lanes > 1) add(operand.value, instruction.coefficients[i]);
  }
  return Index(sum);
}

Element KernelEmitter::EmitQuotient(const KernelInstruction& instruction) {
  const Element& x = Value(instruction.operands[0]);
  const int64_t divisor = instruction.constant;
  if (x.value.lanes == 1 && x.lane_stride % divisor == 0) {
    return Index(ir_.Binary(Ir::Op::kUnsignedDivide, x.value, IndexConstant(divisor)), x.lane_stride / divisor);
  }
  return Index(VectorQuotient(InLanes(x).value, divisor));
}

Element KernelEmitter::EmitRemainder(const KernelInstruction& instruction) {
  const Element& x = Value(instruction.operands[0]);
  const int64_t divisor = instruction.constant;
  if (x.value.lanes == 1 && x.lane_stride % divisor == 0) {
    return Index(ir_.Binary(Ir::Op::kUnsignedRemainder, x.value, IndexConstant(divisor)));
  }
  const V dividend = InLanes(x).value;
  if ((divisor & (divisor - 1)) == 0) return Index(dividend & (divisor - 1));
  return Index(dividend - VectorQuotient(dividend, divisor) * divisor);
}

Element KernelEmitter::EmitInRange(const KernelInstruction& instruction) {
  const Element& x = Value(instruction.operands[0]);
  const V value = x.IsUniform() ? x.value : InLanes(x).value;
  return MakeElement(PRED, (value >= instruction.constant) & (value <= instruction.constant2));
}

}  // namespace codegen
}  // namespace xla
