// convert and reduce-precision: see convert_elements.h and reduce_precision.cc for what they mean, bit by bit.
// Everything here gives the same bits as these, in all lanes at once; where an instruction of the processor rounds or
// saturates in another way, operands are prepared so that it cannot.
#include <cmath>

#include "backends/scalar_code/elementwise_emitter.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace codegen {
namespace {

bool IsPredOrInt(PrimitiveType type) { return type == PRED || IsInt(type); }

V ToKind(const Element& x, Kind kind) {
  Ir& ir = *x.value.ir;
  return IsSignedInt(x.type) ? ir.SignExtend(x.value, kind) : ir.ZeroExtend(x.value, kind);
}

// 64 bits as an f64 that any narrower float rounds to like the integer itself: what f64 cannot hold makes a bit that it
// can one.
V ToRoundedLikeInteger(V x, bool is_signed) {
  Ir& ir = *x.ir;
  constexpr int64_t kExact = int64_t{1} << 53;
  constexpr int64_t kLow = 0x7FF;
  const V odd = (x & ~kLow) | (((x & kLow) + kLow) & (kLow + 1));
  const V is_large = is_signed ? ir.Compare(Ir::Relation::kUnsignedGe, x + kExact, x.LikeInt(2 * kExact))
                               : ir.Compare(Ir::Relation::kUnsignedGe, x, x.LikeInt(kExact));
  return ir.IntToFloat(Select(is_large, odd, x), Kind::kF64, is_signed);
}

// The same in f32, of 32 or 64 bits: the leading 24 of them, the last of which is one if any that are cut off are.
V ToRoundedLikeIntegerInSingles(V x, bool is_signed) {
  Ir& ir = *x.ir;
  constexpr int kKept = 24;
  const int bits = BitsOf(x.kind);
  const V is_negative = is_signed ? x < 0 : ir.Int(Kind::kI1, 0, x.lanes);
  const V magnitude = Select(is_negative, -x, x);
  const V leading = ir.Intrinsic1("ctlz", magnitude);
  const V shift = Select(leading == bits, leading.LikeInt(0), leading);
  const V shifted = magnitude << shift;
  const V is_inexact = (shifted & ((int64_t{1} << (bits - kKept)) - 1)) != 0;
  const V kept = ir.ZeroExtend(shifted >> (bits - kKept), Kind::kI32) | ir.ZeroExtend(is_inexact, Kind::kI32);
  // 2^(bits - 24 - shift)
  const V scale = FromBits((bits - kKept + 127 - ir.ZeroExtend(shift, Kind::kI32)) << 23);
  const V number = ir.IntToFloat(kept, Kind::kF32, /*is_signed=*/false) * scale;
  return Select(is_negative, -number, number);
}

Element FromInteger(PrimitiveType to, const Element& x) {
  Ir& ir = *x.value.ir;
  if (to == PRED) return MakeElement(PRED, x.value != 0);
  if (IsInt(to)) return MakeElement(to, WrapInteger(to, ToKind(x, ValueKind(to))));
  const bool is_signed = IsSignedInt(x.type);
  if (to == F32 || to == F64) return MakeElement(to, ir.IntToFloat(x.value, ValueKind(to), is_signed));
  // f32 holds 24 bits exactly, f64 53.
  if (BitWidth(x.type) > 16 && !ir.has_fast_double()) {
    return RoundToElement(to, ToRoundedLikeIntegerInSingles(x.value, is_signed));
  }
  if (BitWidth(x.type) == 64) return RoundToElement(to, ToRoundedLikeInteger(x.value, is_signed));
  const Kind wide = BitWidth(x.type) <= 16 ? Kind::kF32 : Kind::kF64;
  return RoundToElement(to, ir.IntToFloat(x.value, wide, is_signed));
}

// Numbers are brought within limits while they are floats, NaN being 0: LLVM's own conversion that saturates is taken
// apart into one for each lane. Where the float type does not hold the greatest integer, the greatest float below it
// is the limit, and what is above becomes that integer afterwards.
V ToInteger(PrimitiveType to, V x) {
  Ir& ir = *x.ir;
  const Kind kind = ValueKind(to);
  const bool is_signed = IsSignedInt(to);
  const int value_bits = BitWidth(to) - (is_signed ? 1 : 0);
  const int mantissa_bits = x.kind == Kind::kF32 ? 24 : 53;
  const double low = is_signed ? -std::ldexp(1.0, value_bits) : 0;
  const bool holds_limit = value_bits <= mantissa_bits;
  const double high = std::ldexp(1.0, value_bits) - (holds_limit ? 1.0 : std::ldexp(1.0, value_bits - mantissa_bits));
  const V number = Select(x == x, x, 0.0);
  const V above = Select(number > low, number, low);
  const V inside = Select(above < high, above, high);
  if (BitWidth(to) <= 16) return ir.SignExtend(ir.FloatToIntInRange(inside, Kind::kI32, /*is_signed=*/true), kind);
  const V integer = ir.FloatToIntInRange(inside, kind, is_signed);
  if (holds_limit) return integer;
  const int64_t limit = is_signed ? static_cast<int64_t>((uint64_t{1} << value_bits) - 1) : -1;
  return Select(x > high, integer.LikeInt(limit), integer);
}

Element FromFloat(PrimitiveType to, V x) {
  if (to == PRED) return MakeElement(PRED, x != 0.0);
  if (IsInt(to)) return MakeElement(to, ToInteger(to, x));
  if (IsNarrowFloatType(to)) return RoundToElement(to, x);
  return MakeElement(to, x.kind == ValueKind(to) ? x : x.ir->FloatToFloat(x, ValueKind(to)));
}

// The bits of a float type, as reduce-precision needs them.
struct BitFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  int64_t sign_mask;
  int64_t magnitude_mask;
  int64_t max_bits;
  bool has_infinity;
  NanStyle nan_style;
};

BitFormat IeeeFormat(int exponent_bits, int mantissa_bits) {
  const uint64_t sign_mask = uint64_t{1} << (exponent_bits + mantissa_bits);
  const int64_t infinity = ((int64_t{1} << exponent_bits) - 1) << mantissa_bits;
  return {exponent_bits,
          mantissa_bits,
          (1 << (exponent_bits - 1)) - 1,
          static_cast<int64_t>(sign_mask),
          static_cast<int64_t>(sign_mask - 1),
          infinity - 1,
          true,
          NanStyle::kIeee};
}

BitFormat BitFormatOf(PrimitiveType type) {
  if (type == F32) return IeeeFormat(8, 23);
  if (type == F64) return IeeeFormat(11, 52);
  const FloatFormat& format = FormatOf(NarrowFormatOf(type));
  const FloatTraits& traits = TraitsOf(NarrowFormatOf(type));
  return {format.exponent_bits,  format.mantissa_bits, format.bias,         traits.sign_mask,
          traits.magnitude_mask, traits.max_bits,      format.has_infinity, format.nan_style};
}

// Infinity of that sign; formats without infinities give their NaN, those without either the largest number.
V Overflowed(const BitFormat& format, V sign) {
  if (format.nan_style == NanStyle::kNegativeZero) return sign.LikeInt(format.sign_mask);
  return sign | (format.nan_style == NanStyle::kNone ? format.max_bits : format.max_bits + 1);
}

// To nearest, ties to even, by adding just under half of the last kept place, and one more if that place is odd. A
// carry into the exponent is right: it is the next power of two.
V RoundMantissa(const BitFormat& format, int mantissa_bits, V magnitude) {
  const int dropped = format.mantissa_bits - mantissa_bits;
  if (dropped <= 0) return magnitude;
  const V last_kept = (magnitude >> dropped) & 1;
  return ((magnitude + ((int64_t{1} << (dropped - 1)) - 1) + last_kept) >> dropped) << dropped;
}

// Rounds the bits of a float to fewer mantissa and exponent bits, as HLO's reduce-precision says: values below the
// smallest normal number become zeros and those above the largest one infinities (or whatever the format has for
// overflow).
V Reduce(const BitFormat& format, int exponent_bits, int mantissa_bits, V bits) {
  const V sign = bits & format.sign_mask;
  const V own = bits & format.magnitude_mask;
  const V magnitude = RoundMantissa(format, mantissa_bits, own);
  const V overflowed = Overflowed(format, sign);
  V result = sign | magnitude;
  if (exponent_bits < format.exponent_bits) {
    const int64_t reduced_bias = (int64_t{1} << (exponent_bits - 1)) - 1;
    const V exponent = (magnitude >> format.mantissa_bits) - format.bias;
    const V zero = format.nan_style == NanStyle::kNegativeZero ? sign.LikeInt(0) : sign;
    result = Select(exponent <= -reduced_bias, zero, result);
    result = Select(exponent > reduced_bias, overflowed, result);
  }
  result = Select(magnitude > format.max_bits, overflowed, result);
  const V nan = mantissa_bits > 0 ? bits : overflowed;
  if (format.nan_style == NanStyle::kNegativeZero) return Select(bits == format.sign_mask, nan, result);
  return Select(own > format.max_bits + (format.has_infinity ? 1 : 0), nan, result);
}

}  // namespace

Element EmitConvert(PrimitiveType to, const Element& x) {
  if (to == x.type) return x;
  if (IsComplex(to)) {
    const PrimitiveType component = ComplexComponentType(to);
    const PrimitiveType from = ComplexComponentType(x.type);
    const V real = EmitConvert(component, {from, x.value, {}, x.bits, 0}).value;
    if (!IsComplex(x.type)) return MakeComplex(to, real, real.Like(0));
    return MakeComplex(to, real, EmitConvert(component, MakeElement(from, x.imaginary)).value);
  }
  return IsPredOrInt(x.type) ? FromInteger(to, x) : FromFloat(to, x.value);
}

Element EmitReducePrecision(const Element& x, int exponent_bits, int mantissa_bits) {
  const BitFormat format = BitFormatOf(x.type);
  if (exponent_bits >= format.exponent_bits && mantissa_bits >= format.mantissa_bits) return x;
  V bits = ToStored(x);
  if (IsFloatKind(bits.kind)) bits = ToBits(bits);
  const Kind stored = bits.kind;
  if (BitsOf(stored) < 32) bits = bits.ir->ZeroExtend(bits, Kind::kI32);
  const V reduced = Reduce(format, exponent_bits, mantissa_bits, bits);
  if (BitsOf(stored) < 32) return FromStored(x.type, bits.ir->ZeroExtend(reduced, stored));
  return MakeElement(x.type, FromBits(reduced));
}

}  // namespace codegen
}  // namespace xla
