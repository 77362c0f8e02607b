// See narrow_float.h for how encoding works; here its template has become code that is emitted for a format.
//
// Decoding: the magnitude, shifted to where f32 has exponent and mantissa, and with the difference of the biases added
// to the exponent, is a normal number. A denormal is its magnitude, as an integer, times the smallest denormal: no
// processor is slow with that, as it would be with denormals of f32. Where the processor converts f16, it does.
#include "backends/scalar_code/narrow_float_emitter.h"

namespace xla {
namespace codegen {
namespace {

constexpr int kMantissaBits = 23;
constexpr int kBias = 127;
constexpr int64_t kMagnitudeMask = 0x7FFFFFFF;
constexpr int64_t kInfinityBits = 0x7F800000;
constexpr int64_t kQuietNan = 0x7FC00000;

int StorageBits(const FloatFormat& format) { return format.bit_width > 8 ? 16 : 8; }

V DecodeExponentOnly(V word) {
  const V normal = word << kMantissaBits;
  const V lowest = Select(word == 0, word.LikeInt(1 << (kMantissaBits - 1)), normal);
  return FromBits(Select(word == 255, word.LikeInt(kQuietNan), lowest));
}

// f32 from the bits of a narrower float with a sign, lane by lane: shifts the mantissa into place, adjusts the
// exponent, and replaces denormals, infinities and NaN, which do not follow that rule.
V DecodeSigned(NarrowFormat narrow, V word) {
  const FloatFormat& format = FormatOf(narrow);
  const FloatTraits& traits = TraitsOf(narrow);
  const int shift = kMantissaBits - format.mantissa_bits;
  const V magnitude = word & traits.magnitude_mask;
  V result = (magnitude << shift) + (int64_t{kBias - format.bias} << kMantissaBits);
  const V denormal = word.ir->IntToFloat(magnitude, Kind::kF32, true) * traits.min_denormal;
  result = Select(magnitude < (1 << format.mantissa_bits), ToBits(denormal), result);
  if (format.nan_style == NanStyle::kIeee) {
    result = Select(magnitude >= traits.infinity_bits, (magnitude << shift) | kInfinityBits, result);
  } else if (format.nan_style == NanStyle::kAllOnes) {
    result = Select(magnitude == traits.nan_bits, word.LikeInt(kQuietNan), result);
  }
  result = result | ((word & traits.sign_mask) << (32 - format.bit_width));
  if (format.nan_style == NanStyle::kNegativeZero) {
    result = Select(word == traits.nan_bits, word.LikeInt(kQuietNan), result);
  }
  return FromBits(result);
}

V EncodeExponentOnly(V bits) {
  constexpr int64_t kHalf = int64_t{1} << (kMantissaBits - 1);
  constexpr int64_t kNan = TraitsOf(NarrowFormat::kF8E8M0FNU).nan_bits;
  constexpr int64_t kLowestTie = kHalf + (kHalf >> 1);
  const V rounded = ((bits & kMagnitudeMask) + kHalf) >> kMantissaBits;
  V result = bits.ir->Intrinsic2("smin", rounded, rounded.LikeInt(kNan));
  result = Select(bits < kLowestTie, bits.LikeInt(0), result);
  return Select(bits <= 0, bits.LikeInt(kNan), result);
}

// The upper half of the f32: rounding carries into the exponent, and beyond the largest number to infinity, as it is.
V EncodeBf16(V bits) {
  constexpr int kDropped = 16;
  constexpr int64_t kQuietBit = 1 << (kMantissaBits - 1);
  const V last_kept = (bits >> kDropped) & 1;
  const V rounded = bits + ((1 << (kDropped - 1)) - 1) + last_kept;
  return Select(IsNan(FromBits(bits)), bits | kQuietBit, rounded) >> kDropped;
}

// The bits of a narrower float from those of f32, rounded to nearest, ties to even. Denormals are rounded by adding a
// number whose last mantissa bit has the value of the smallest denormal, which makes the adder round at the right
// place.
V EncodeSigned(NarrowFormat narrow, V bits) {
  const FloatFormat& format = FormatOf(narrow);
  const FloatTraits& traits = TraitsOf(narrow);
  const int dropped = kMantissaBits - format.mantissa_bits;
  const int64_t rebias = int64_t{kBias - format.bias} << format.mantissa_bits;
  const int min_exponent = 1 - format.bias;
  const int64_t overflow = format.has_infinity    ? traits.infinity_bits
                           : traits.nan_bits != 0 ? traits.nan_bits
                                                  : traits.max_bits;

  const V magnitude = bits & kMagnitudeMask;
  const V last_kept = (magnitude >> dropped) & 1;
  V result = ((magnitude + ((int64_t{1} << (dropped - 1)) - 1) + last_kept) >> dropped) - rebias;
  if (rebias != 0) {
    const int64_t magic = int64_t{min_exponent + dropped + kBias} << kMantissaBits;
    const V denormal = ToBits(FromBits(magnitude) + FromBits(bits.LikeInt(magic))) - magic;
    result = Select(magnitude < (int64_t{min_exponent + kBias} << kMantissaBits), denormal, result);
  }
  result = Select(result > traits.max_bits, bits.LikeInt(overflow), result);
  V nan = bits.LikeInt(format.nan_style == NanStyle::kNone ? traits.sign_mask : traits.nan_bits);
  if (format.nan_style == NanStyle::kIeee) {
    nan = nan | ((magnitude >> dropped) & ((int64_t{1} << format.mantissa_bits) - 1));
  }
  result = Select(magnitude > kInfinityBits, nan, result);
  V sign = (bits >> (32 - format.bit_width)) & traits.sign_mask;
  if (format.nan_style == NanStyle::kNegativeZero) sign = Select(result == 0, result, sign);
  return result | sign;
}

// f64 to f32, "to odd": towards zero, and what is lost makes the last bit one. Rounding that to any narrower format
// gives what rounding the f64 would: it handles ties, and what is just beside them.
V RoundToOdd(V x) {
  const V nearest = x.ir->FloatToFloat(x, Kind::kF32);
  const V back = x.ir->FloatToFloat(nearest, Kind::kF64);
  const V bits = ToBits(nearest);
  const V is_too_large = Abs(back) > Abs(x);
  const V odd = Select(is_too_large, bits - 1, bits) | 1;
  const V is_inexact = (back < x) | (back > x);
  return FromBits(Select(is_inexact, odd, bits));
}

}  // namespace

V DecodeNarrowBits(NarrowFormat format, V bits) {
  Ir& ir = *bits.ir;
  if (format == NarrowFormat::kF16 && ir.has_half()) return ir.HalfBitsToFloat(bits);
  const V word = ir.ZeroExtend(bits, Kind::kI32);
  if (format == NarrowFormat::kBF16) return FromBits(word << 16);
  return format == NarrowFormat::kF8E8M0FNU ? DecodeExponentOnly(word) : DecodeSigned(format, word);
}

V EncodeNarrowBits(NarrowFormat format, V wide) {
  Ir& ir = *wide.ir;
  const V x = wide.kind == Kind::kF64 ? RoundToOdd(wide) : wide;
  if (format == NarrowFormat::kF16 && ir.has_half()) return ir.FloatToHalfBits(x);
  const V bits = ToBits(x);
  const V encoded = format == NarrowFormat::kBF16        ? EncodeBf16(bits)
                    : format == NarrowFormat::kF8E8M0FNU ? EncodeExponentOnly(bits)
                                                         : EncodeSigned(format, bits);
  return ir.ZeroExtend(encoded, IntKind(StorageBits(FormatOf(format))));
}

}  // namespace codegen
}  // namespace xla
