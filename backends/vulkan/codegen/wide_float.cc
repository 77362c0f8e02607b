#include "backends/vulkan/codegen/wide_float.h"

#include <cstdint>

namespace xla {
namespace vulkan {
namespace {

using codegen::FromBits;
using codegen::Not;
using codegen::Select;
using codegen::ToBits;
using Relation = codegen::Ir::Relation;

// Of zero: far below those of all other numbers, and of their products.
constexpr int64_t kExponentOfZero = -(int64_t{1} << 20);
constexpr int64_t kTopBit = INT64_MIN;

struct Layout {
  int mantissa_bits;  // without the hidden one
  int bias;
  int64_t infinity;
};
Layout LayoutOf(Kind kind) {
  return kind == Kind::kF32 ? Layout{23, 127, 0x7F800000} : Layout{52, 1023, 0x7FF0000000000000};
}

V IsBelow(V x, V y) { return x.ir->Compare(Relation::kUnsignedLt, x, y); }
V Wide(V x) { return x.ir->ZeroExtend(x, Kind::kI64); }
// 1 where the condition holds.
V OneIf(V condition) { return condition.ir->ZeroExtend(condition, Kind::kI64); }
V LeadingZeros(V x) { return x.ir->ZeroExtend(x.ir->Intrinsic1("ctlz", x), Kind::kI32); }

// By an i32 from 0 to 63.
V ShiftLeft(V x, V amount) { return x << Wide(amount); }
V ShiftRight(V x, V amount) { return x >> Wide(amount); }
// By 64 less an i32 from 0 to 63: by one, and by what is left of it. Of 64 bits nothing remains.
V ShiftRightBy64Less(V x, V amount) { return ShiftRight(x >> 1, 63 - amount); }
V ShiftLeftBy64Less(V x, V amount) { return ShiftLeft(x << 1, 63 - amount); }

WideFloat SelectFloat(V condition, const WideFloat& on_true, const WideFloat& on_false) {
  return {Select(condition, on_true.is_negative, on_false.is_negative),
          Select(condition, on_true.exponent, on_false.exponent), Select(condition, on_true.high, on_false.high),
          Select(condition, on_true.low, on_false.low)};
}

// With the first bit set, unless it is zero.
WideFloat Normalized(const WideFloat& x) {
  const V is_short = x.high == 0;
  const V high = Select(is_short, x.low, x.high);
  const V low = Select(is_short, x.low.LikeInt(0), x.low);
  const V is_zero = high == 0;
  const V zeros = LeadingZeros(high);
  const V shift = Select(is_zero, zeros.LikeInt(0), zeros);
  const V exponent = x.exponent - shift - Select(is_short, shift.LikeInt(64), shift.LikeInt(0));
  return {x.is_negative, Select(is_zero, exponent.LikeInt(kExponentOfZero), exponent),
          ShiftLeft(high, shift) | ShiftRightBy64Less(low, shift), ShiftLeft(low, shift)};
}

// The mantissa shifted right by an i32 that is not negative; bits that are lost set the last one.
WideFloat ShiftedRight(const WideFloat& x, V amount) {
  const V most = amount.LikeInt(127);
  const V shift = Select(amount < 127, amount, most);
  const V is_far = shift >= 64;
  const V within = shift & 63;
  const V high = Select(is_far, x.high.LikeInt(0), x.high);
  const V low = Select(is_far, x.high, x.low);
  const V lost = ShiftLeftBy64Less(low, within) | Select(is_far, x.low, x.low.LikeInt(0));
  return {x.is_negative, x.exponent, ShiftRight(high, within),
          ShiftRight(low, within) | ShiftLeftBy64Less(high, within) | OneIf(lost != 0)};
}

}  // namespace

WideFloat WideFloatOf(V x) {
  const Layout layout = LayoutOf(x.kind);
  const V bits = ToBits(x);
  const int64_t hidden = int64_t{1} << layout.mantissa_bits;
  const V magnitude = bits & (layout.infinity | (hidden - 1));
  const V field = x.ir->ZeroExtend(magnitude >> layout.mantissa_bits, Kind::kI32);
  const V fraction = magnitude & (hidden - 1);
  const V is_normal = field > 0;
  const V mantissa = Wide(Select(is_normal, fraction | hidden, fraction));
  const V exponent = Select(is_normal, field, field.LikeInt(1)) - layout.bias + (63 - layout.mantissa_bits);
  return Normalized({bits < 0, exponent, mantissa, mantissa.LikeInt(0)});
}

// The mantissa is shifted to where the format has it, further for what is denormal there: then the field of its
// exponent is zero, and the mantissa's carry makes it one. In all other numbers the mantissa's first bit adds one to
// it.
V FloatOf(const WideFloat& x, Kind kind) {
  const Layout layout = LayoutOf(kind);
  const V field = x.exponent + (layout.bias - 1);
  const V denormal_shift = Select(field < 0, -field, field.LikeInt(0));
  const V shift = Select(denormal_shift < 64, denormal_shift, field.LikeInt(64)) + (63 - layout.mantissa_bits);
  // One bit first, so that the rest is less than 64. Of a smaller number than half the least denormal, nothing remains.
  const V is_nothing = shift > 64;
  const V rest = Select(is_nothing, shift.LikeInt(63), shift - 1);
  const V halved = (x.high >> 1) | (x.high & 1);
  const V mantissa = Select(is_nothing, OneIf(x.high != 0), halved);
  const V kept = ShiftRight(mantissa, rest);
  const V dropped = mantissa - ShiftLeft(kept, rest);
  const V half = ShiftLeft(kept.LikeInt(1), rest - 1);
  const V is_up = IsBelow(half, dropped) | ((dropped == half) & ((kept & 1) != 0));
  const V bits = kept + OneIf(is_up) + (Wide(Select(field < 0, field.LikeInt(0), field)) << layout.mantissa_bits);
  const V bounded = Select(field > 2 * layout.bias + 1, bits.LikeInt(layout.infinity),
                           Select(IsBelow(bits, bits.LikeInt(layout.infinity)), bits, bits.LikeInt(layout.infinity)));
  const V magnitude = Select(x.high == 0, bits.LikeInt(0), bounded);
  const Kind integer = codegen::IntKind(codegen::BitsOf(kind));
  const V sign = x.high.ir->ZeroExtend(x.is_negative, integer) << (codegen::BitsOf(kind) - 1);
  return FromBits(x.high.ir->ZeroExtend(magnitude, integer) | sign);
}

WideFloat Negate(const WideFloat& x) { return {Not(x.is_negative), x.exponent, x.high, x.low}; }

WideFloat Multiply(const WideFloat& x, const WideFloat& y) {
  const V high = x.high.ir->MultiplyHigh(x.high, y.high, 64, /*is_signed=*/false);
  return Normalized({x.is_negative ^ y.is_negative, x.exponent + y.exponent + 1, high, x.high * y.high});
}

// The smaller number is shifted to the exponent of the larger one.
WideFloat Add(const WideFloat& x, const WideFloat& y) {
  const V is_less_mantissa = IsBelow(x.high, y.high) | ((x.high == y.high) & IsBelow(x.low, y.low));
  const V is_less = (x.exponent < y.exponent) | ((x.exponent == y.exponent) & is_less_mantissa);
  const WideFloat large = SelectFloat(is_less, y, x);
  const WideFloat small = SelectFloat(is_less, x, y);
  const WideFloat moved = ShiftedRight(small, large.exponent - small.exponent);

  const V low_sum = large.low + moved.low;
  const V high_part = large.high + moved.high;
  const V high_sum = high_part + OneIf(IsBelow(low_sum, moved.low));
  const V is_carried = IsBelow(high_part, moved.high) | IsBelow(high_sum, high_part);
  const WideFloat halved = {large.is_negative, large.exponent + 1, (high_sum >> 1) | kTopBit,
                            (low_sum >> 1) | (low_sum & 1) | (high_sum << 63)};
  const WideFloat sum = SelectFloat(is_carried, halved, {large.is_negative, large.exponent, high_sum, low_sum});

  const V borrow = OneIf(IsBelow(large.low, moved.low));
  WideFloat difference = {large.is_negative, large.exponent, large.high - moved.high - borrow, large.low - moved.low};
  const V is_zero = (difference.high | difference.low) == 0;
  difference.is_negative = large.is_negative & Not(is_zero);
  return Normalized(SelectFloat(x.is_negative ^ y.is_negative, difference, sum));
}

// Bit by bit. The first bit is one: of the dividend, or twice that if it is less than the divisor. Twice the rest may
// have 65 bits.
WideFloat Divide(const WideFloat& x, const WideFloat& y) {
  SpirvIr& ir = SpirvOf(x.high);
  const V divisor = y.high;
  const V is_less = IsBelow(x.high, divisor);
  const V first_rest = Select(is_less, x.high << 1, x.high) - divisor;
  const SpirvIr::State divided = ir.While(
      {ir.Int(Kind::kI32, kIterationsOfDivide - 1), ir.Int(Kind::kI64, 1), first_rest},
      [](const SpirvIr::State& state) { return state[0] != 0; },
      [&](const SpirvIr::State& state) {
        const V doubled = state[2] << 1;
        const V goes_in = (state[2] < 0) | ir.Compare(Relation::kUnsignedGe, doubled, divisor);
        return SpirvIr::State{state[0] - 1, (state[1] << 1) | OneIf(goes_in),
                              Select(goes_in, doubled - divisor, doubled)};
      });
  const V rest = divided[2];
  const V doubled = rest << 1;
  const V is_half = (rest < 0) | ir.Compare(Relation::kUnsignedGe, doubled, divisor);
  const V is_more = Not((rest == 0) | (is_half & (doubled == divisor)));
  const V zero = rest.LikeInt(0);
  const V low = Select(is_half, rest.LikeInt(kTopBit), zero) | OneIf(is_more);
  const V is_zero = x.high == 0;
  const V exponent = x.exponent - y.exponent - ir.ZeroExtend(is_less, Kind::kI32);
  return {x.is_negative ^ y.is_negative, Select(is_zero, exponent.LikeInt(kExponentOfZero), exponent),
          Select(is_zero, zero, divided[1]), Select(is_zero, zero, low)};
}

// P. Zimmermann, Karatsuba Square Root (1999): of the upper 64 bits the root of 32 bits and what is left, bit by bit;
// from that, by a division, the lower half of the root or the number above. Its square tells which.
WideFloat Root(const WideFloat& x) {
  SpirvIr& ir = SpirvOf(x.high);
  // Half the exponent of a number from 2^126 to 2^128.
  const V is_even = (x.exponent & 1) == 0;
  const V high = Select(is_even, x.high >> 1, x.high);
  const V low = Select(is_even, (x.low >> 1) | (x.low & 1) | (x.high << 63), x.low);
  const V exponent = ir.Binary(codegen::Ir::Op::kShiftRightArithmetic, x.exponent, x.exponent.LikeInt(1));
  const SpirvIr::State upper = ir.While(
      {ir.Int(Kind::kI64, int64_t{1} << 62), ir.Int(Kind::kI64, 0), high},
      [](const SpirvIr::State& state) { return state[0] != 0; },
      [&](const SpirvIr::State& state) {
        const V trial = state[1] + state[0];
        const V goes_in = ir.Compare(Relation::kUnsignedGe, state[2], trial);
        const V root = state[1] >> 1;
        return SpirvIr::State{state[0] >> 2, Select(goes_in, root + state[0], root),
                              Select(goes_in, state[2] - trial, state[2])};
      });
  // Of zero, the root is not used.
  const V is_zero = x.high == 0;
  const V divisor = upper[1] | OneIf(is_zero);
  const V quotient = ir.Binary(codegen::Ir::Op::kUnsignedDivide, (upper[2] << 31) | (low >> 33), divisor);
  const V most = quotient.LikeInt(0xFFFFFFFF);
  const V estimate = (upper[1] << 32) | Select(IsBelow(most, quotient), most, quotient);
  const auto square_is_above = [&](V root) {
    const V square_high = ir.MultiplyHigh(root, root, 64, /*is_signed=*/false);
    return IsBelow(high, square_high) | ((high == square_high) & IsBelow(low, root * root));
  };
  const V root = estimate - OneIf(square_is_above(estimate));
  // It is rounded up if what is left is more than the root: (root + 1/2)^2 = root^2 + root + 1/4.
  const V square_low = root * root;
  const V square_high = ir.MultiplyHigh(root, root, 64, /*is_signed=*/false);
  const V left_high = high - square_high - OneIf(IsBelow(low, square_low));
  const V left = low - square_low;
  const V is_half = (left_high != 0) | IsBelow(root, left);
  const V is_inexact = (left | left_high) != 0;
  const V zero = root.LikeInt(0);
  return {x.is_negative, Select(is_zero, exponent.LikeInt(kExponentOfZero), exponent), Select(is_zero, zero, root),
          Select(is_zero, zero, Select(is_half, root.LikeInt(kTopBit), zero) | OneIf(is_inexact))};
}

WideFloat Rounded(const WideFloat& x, int precision) {
  const bool is_whole = precision == 64;
  const int64_t step = is_whole ? 1 : int64_t{1} << (64 - precision);
  const V kept = is_whole ? x.high : x.high & -step;
  const V dropped = is_whole ? x.low : (x.high << precision) | OneIf(x.low != 0);
  const V half = dropped.LikeInt(kTopBit);
  const V is_up = IsBelow(half, dropped) | ((dropped == half) & ((kept & step) != 0));
  const V rounded = kept + Select(is_up, kept.LikeInt(step), kept.LikeInt(0));
  const V is_carried = is_up & (rounded == 0);
  return {x.is_negative, x.exponent + x.high.ir->ZeroExtend(is_carried, Kind::kI32), Select(is_carried, half, rounded),
          half.LikeInt(0)};
}

}  // namespace vulkan
}  // namespace xla
