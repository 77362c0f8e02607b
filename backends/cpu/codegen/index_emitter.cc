// Index arithmetic: scalar as long as lanes differ by a constant stride.
#include <algorithm>

#include "backends/cpu/codegen/kernel_emitter.h"

namespace xla {
namespace codegen {
namespace {

// x / divisor for a vector of 0 <= x < 2^52, for which f64 division, rounded down, is exact. Integers are converted to
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

// A sum of indices. As long as terms differ from lane to lane by constant strides, the sum stays a scalar with a
// stride, whose loads are contiguous; only other sums become vectors.
Element KernelEmitter::EmitAffine(const KernelInstruction& instruction) {
  V sum = IndexConstant(instruction.constant);
  bool is_vector = false;
  int64_t stride = 0;
  // Strides of several kinds make a vector.
  int repeats = 0;
  for (const KernelValue term : instruction.operands) {
    const Element& operand = Value(term);
    if (operand.lane_stride == 0) continue;
    is_vector = is_vector || (repeats != 0 && repeats != operand.lane_repeats);
    repeats = operand.lane_repeats;
  }
  const bool mixed = is_vector;
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
    if (!mixed) stride += operand.lane_stride * instruction.coefficients[i];
  }
  if (stride == 0) repeats = 1;
  if (!is_vector) return Index(sum, stride, repeats);
  sum = Spread(Index(sum, stride, std::max(repeats, 1)), lanes_).value;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const Element& operand = Value(instruction.operands[i]);
    if (operand.value.lanes > 1) {
      add(operand.value, instruction.coefficients[i]);
    } else if (mixed && operand.lane_stride != 0) {
      add(LaneOffsets(operand, Kind::kI64, lanes_), instruction.coefficients[i]);
    }
  }
  return Index(sum);
}

// Divides a value that may be negative, rounding down. Powers of two take shifts; other divisors are unsigned
// divisions of a value that was lifted above zero by a multiple of the divisor.
KernelEmitter::Division KernelEmitter::DivideFirstLane(V x, int64_t divisor) {
  if ((divisor & (divisor - 1)) == 0) {
    int bits = 0;
    while (int64_t{1} << bits < divisor) ++bits;
    return {ir_.Binary(Ir::Op::kShiftRightArithmetic, x, IndexConstant(bits)), x & (divisor - 1)};
  }
  // Lifted above zero, so that an unsigned division rounds down.
  constexpr int64_t kLift = int64_t{1} << 52;
  const int64_t lifted_by = kLift / divisor;
  const V lifted = x + lifted_by * divisor;
  return {ir_.Binary(Ir::Op::kUnsignedDivide, lifted, IndexConstant(divisor)) - lifted_by,
          ir_.Binary(Ir::Op::kUnsignedRemainder, lifted, IndexConstant(divisor))};
}

// What a lane is ahead of lane 0 is a known number. The remainders of both add up to less than twice the divisor.
KernelEmitter::Division KernelEmitter::DivideLanes(const Element& x, int64_t divisor) {
  const Division first = DivideFirstLane(x.value, divisor);
  const Division ahead = DivideFirstLane(LaneOffsets(x, Kind::kI64, lanes_), divisor);
  const V sum = ir_.Splat(first.remainder, lanes_) + ahead.remainder;
  const V carries = sum >= divisor;
  return {ir_.Splat(first.quotient, lanes_) + ahead.quotient + ir_.ZeroExtend(carries, Kind::kI64),
          Select(carries, sum - divisor, sum)};
}

// Where a run of lanes begins at a multiple of their number, and of what there is of the divisor in it, it meets no end
// of a quotient but at ends of groups of lanes.
KernelEmitter::LanesOfDivision KernelEmitter::LanesOf(const KernelInstruction& division) const {
  const Element& x = Value(division.operands[0]);
  const int64_t divisor = division.constant;
  const int64_t begin = multiples_[division.operands[0]];
  if (x.value.lanes > 1) return LanesOfDivision::kAny;
  if (x.lane_stride % divisor == 0) return LanesOfDivision::kSameRemainder;
  if (x.lane_repeats > 1 || x.lane_stride != 1) return LanesOfDivision::kAny;
  if (divisor % lanes_ == 0 && begin % lanes_ == 0) return LanesOfDivision::kSameQuotient;
  if (lanes_ % divisor == 0 && begin % divisor == 0) return LanesOfDivision::kGroups;
  return LanesOfDivision::kAny;
}

// x divided by a constant, rounding down, by what is known of its lanes, as in EmitRemainder.
Element KernelEmitter::EmitQuotient(const KernelInstruction& instruction) {
  const Element& x = Value(instruction.operands[0]);
  const int64_t divisor = instruction.constant;
  const auto first = [&] { return ir_.Binary(Ir::Op::kUnsignedDivide, x.value, IndexConstant(divisor)); };
  switch (LanesOf(instruction)) {
    case LanesOfDivision::kSameRemainder:
      return Index(first(), x.lane_stride / divisor, x.lane_repeats);
    case LanesOfDivision::kSameQuotient:
      return Index(first());
    case LanesOfDivision::kGroups:
      return Index(first(), 1, static_cast<int>(divisor));
    case LanesOfDivision::kAny:
      break;
  }
  return Index(x.value.lanes == 1 ? DivideLanes(x, divisor).quotient : VectorQuotient(x.value, divisor));
}

// x modulo a constant. What is known of the lanes decides: all equal, none crossing a multiple, or groups of a power
// of two need no division per lane.
Element KernelEmitter::EmitRemainder(const KernelInstruction& instruction) {
  const Element& x = Value(instruction.operands[0]);
  const int64_t divisor = instruction.constant;
  const auto first = [&] { return ir_.Binary(Ir::Op::kUnsignedRemainder, x.value, IndexConstant(divisor)); };
  switch (LanesOf(instruction)) {
    case LanesOfDivision::kSameRemainder:
      return Index(first());
    case LanesOfDivision::kSameQuotient:
      return Index(first(), 1);
    case LanesOfDivision::kGroups:
      return Index(ir_.LaneNumbers(Kind::kI64, lanes_) & (divisor - 1));
    case LanesOfDivision::kAny:
      break;
  }
  if ((divisor & (divisor - 1)) == 0) return Index(InLanes(x).value & (divisor - 1));
  return Index(x.value.lanes == 1 ? DivideLanes(x, divisor).remainder
                                  : x.value - VectorQuotient(x.value, divisor) * divisor);
}

Element KernelEmitter::EmitInRange(const KernelInstruction& instruction) {
  const Element& x = Value(instruction.operands[0]);
  const V value = x.IsUniform() ? x.value : InLanes(x).value;
  return MakeElement(PRED, (value >= instruction.constant) & (value <= instruction.constant2));
}

}  // namespace codegen
}  // namespace xla
