#ifndef XLA_CORE_TYPES_NARROW_FLOAT_H_
#define XLA_CORE_TYPES_NARROW_FLOAT_H_

// The floating-point types narrower than f32: storage, and conversion from and
// to float and double.
//
// They have no arithmetic. A kernel decodes to float in chunks, computes, and
// encodes again (`DecodeNarrow`, `EncodeNarrow`), which rounds once per
// instruction as HLO requires it.
//
// Encoding rounds to nearest, ties to even, in one step from float or double: a
// detour of a double through float would round twice (1 + 2^-11 + 2^-40 is
// above the tie in f16, but its float is the tie). One template does both
// sources, and both give the same bits for the same value:
//  * Normal results: add half a unit less one, plus the bit that becomes the
//    last one, and shift; a carry out of the mantissa lands in the exponent,
//    where it belongs. Then rebias the exponent.
//  * Denormal results: add the power of two whose last mantissa bit weighs as
//    much as the format's smallest denormal. The addition rounds as needed, and
//    the low bits of the sum are the result. This needs the default rounding
//    mode.
//  * Results beyond the largest value are replaced by infinity, by NaN where
//    the format has only that, or by the largest value where it has neither
//    (f4, f6).
// There are no branches, only selections, so that loops over it vectorize.
//
// NaN: IEEE-like formats keep the sign and the top of the payload and set the
// quiet bit; `fn` keeps the sign. f4 and f6 have no NaN and yield -0 whatever
// the sign, as XLA does for f4; the sign of a NaN depends on the processor, so
// a result should not. (ml_dtypes gives +0 for a NaN with the sign set.)
// f8e8m0fnu: see `EncodeExponentOnly`.

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "absl/base/attributes.h"
#include "xla_core/types/float_format.h"

namespace xla {

namespace narrow_float_internal {

template <typename To, typename From>
To BitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

// `condition ? yes : no` without a branch. Written with a mask, because GCC
// otherwise moves what computes `yes` after a branch when it may trap, as a
// float addition may, and then does not vectorize.
template <typename Word>
Word Select(bool condition, Word yes, Word no) {
  const Word mask = -static_cast<Word>(condition);
  return (yes & mask) | (no & ~mask);
}

// The wide formats, as far as conversion needs them. Words are signed:
// comparing signed integers is what SSE2 can do, and sign bits are cleared
// before any comparison.
template <typename Wide>
struct WideFormat;
template <>
struct WideFormat<float> {
  using Word = int32_t;
  static constexpr int kMantissaBits = 23;
  static constexpr int kBias = 127;
};
template <>
struct WideFormat<double> {
  using Word = int64_t;
  static constexpr int kMantissaBits = 52;
  static constexpr int kBias = 1023;
};

template <typename Wide>
constexpr typename WideFormat<Wide>::Word WidePowerOfTwoBits(int exponent) {
  using W = WideFormat<Wide>;
  return static_cast<typename W::Word>(exponent + W::kBias) << W::kMantissaBits;
}

// Encodes to f8e8m0fnu: the nearest power of two, 1.5 * 2^k going up (the
// significand 1 counts as odd). Whatever is not positive is NaN, as are
// infinity and what rounds beyond 2^127; positive values below 2^-127 become
// 2^-127.
//
// XLA and ml_dtypes send everything between 2^-127 and 2^-126 to the latter, as
// an artefact of how f32 denormals look. We do not: 2^-127 prints as 5.9e-39,
// which is slightly more, and must read back as itself.
template <typename Wide>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline uint32_t EncodeExponentOnly(Wide value) {
  using W = WideFormat<Wide>;
  using Word = typename W::Word;
  using Unsigned = std::make_unsigned_t<Word>;
  constexpr NarrowFormat kFormat = NarrowFormat::kF8E8M0FNU;
  constexpr Word kNan = TraitsOf(kFormat).nan_bits;
  constexpr Word kRebias = W::kBias - FormatOf(kFormat).bias;
  constexpr Word kHalf = Word{1} << (W::kMantissaBits - 1);
  // 1.5 * 2^-127, which is a denormal of f32 and a normal number of f64.
  constexpr Word kLowestTie = kRebias == 0 ? kHalf + (kHalf >> 1) : (kRebias << W::kMantissaBits) + kHalf;
  const Word bits = BitCast<Word>(value);
  // Without the sign the sum cannot overflow; the carry out of the largest NaN
  // reaches the sign bit, so the words are unsigned.
  const auto magnitude = static_cast<Unsigned>(bits & std::numeric_limits<Word>::max());
  Word result = static_cast<Word>((magnitude + kHalf) >> W::kMantissaBits) - kRebias;
  result = Select(result > kNan, kNan, result);
  result = Select(bits < kLowestTie, Word{0}, result);
  return static_cast<uint32_t>(Select(bits <= 0, kNan, result));
}

// Encodes to a format with a sign; see the head of this file.
template <NarrowFormat kFormat, typename Wide>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline uint32_t EncodeSigned(Wide value) {
  using W = WideFormat<Wide>;
  using Word = typename W::Word;
  constexpr const FloatFormat& kNarrow = kFloatFormats[static_cast<int>(kFormat)];
  constexpr FloatTraits kTraits = TraitsOf(kFormat);
  constexpr bool kIeee = kNarrow.nan_style == NanStyle::kIeee;

  constexpr int kDroppedBits = W::kMantissaBits - kNarrow.mantissa_bits;
  constexpr Word kHalfLessOne = (Word{1} << (kDroppedBits - 1)) - 1;
  constexpr Word kRebias = static_cast<Word>(W::kBias - kNarrow.bias) << kNarrow.mantissa_bits;
  constexpr int kMinExponent = 1 - kNarrow.bias;
  constexpr Word kMinNormal = WidePowerOfTwoBits<Wide>(kMinExponent);
  constexpr Word kMagic = WidePowerOfTwoBits<Wide>(kMinExponent + kDroppedBits);
  constexpr Word kInfinity = WidePowerOfTwoBits<Wide>(W::kBias + 1);
  constexpr Word kMax = kTraits.max_bits;
  constexpr Word kOverflow = kNarrow.has_infinity    ? kTraits.infinity_bits
                             : kTraits.nan_bits != 0 ? kTraits.nan_bits
                                                     : kTraits.max_bits;

  const Word bits = BitCast<Word>(value);
  const Word magnitude = bits & std::numeric_limits<Word>::max();
  const Word last_kept = (magnitude >> kDroppedBits) & 1;
  // The bits of the largest NaN overflow a signed word here; that result is not
  // used.
  using Unsigned = std::make_unsigned_t<Word>;
  const Word rounded = static_cast<Word>(
      (static_cast<Unsigned>(magnitude) + static_cast<Unsigned>(kHalfLessOne + last_kept)) >> kDroppedBits);
  Word result = rounded - kRebias;
  // With equal exponent ranges (bf16 from float) the denormals are the same,
  // and the shift did it all.
  if constexpr (kRebias != 0) {
    const Word denormal = BitCast<Word>(BitCast<Wide>(magnitude) + BitCast<Wide>(kMagic)) - kMagic;
    result = Select(magnitude < kMinNormal, denormal, result);
  }
  result = Select(result > kMax, kOverflow, result);
  Word nan = kNarrow.nan_style == NanStyle::kNone ? kTraits.sign_mask : kTraits.nan_bits;
  if constexpr (kIeee) {
    nan |= (magnitude >> kDroppedBits) & ((Word{1} << kNarrow.mantissa_bits) - 1);
  }
  result = Select(magnitude > kInfinity, nan, result);
  Word sign = (bits >> (8 * sizeof(Word) - kNarrow.bit_width)) & kTraits.sign_mask;
  // The pattern of -0 is NaN, so zero has no sign.
  if constexpr (kNarrow.nan_style == NanStyle::kNegativeZero) sign = Select(result == 0, Word{0}, sign);
  return static_cast<uint32_t>(result | sign);
}

template <NarrowFormat kFormat, typename Wide>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline uint32_t Encode(Wide value) {
  if constexpr (kFormat == NarrowFormat::kF8E8M0FNU) {
    return EncodeExponentOnly(value);
  } else {
    return EncodeSigned<kFormat>(value);
  }
}

// f16 to f32. Denormals become normal: m * 2^-24 is computed as 2^-14 * 1.m
// less 2^-14, both exact, which avoids the slow multiplication of a denormal.
inline uint32_t DecodeF16(uint32_t bits) {
  constexpr int32_t kMinNormal = 1 << 10;
  constexpr int32_t kInfinity = 31 << 10;
  constexpr int32_t kRebias = (127 - 15) << 23;
  constexpr int32_t kDenormalBase = (127 - 14) << 23;
  const int32_t magnitude = static_cast<int32_t>(bits & 0x7FFF);
  const int32_t shifted = magnitude << 13;
  int32_t result = shifted + kRebias;
  result += Select(magnitude >= kInfinity, kRebias, 0);
  const int32_t denormal = BitCast<int32_t>(BitCast<float>(shifted + kDenormalBase) - BitCast<float>(kDenormalBase));
  result = Select(magnitude < kMinNormal, denormal, result);
  return static_cast<uint32_t>(result) | (bits & 0x8000) << 16;
}

// The floats, as bits, of all patterns of the formats that fit a byte, in the
// order of NarrowFormat. Bits above a format's width are ignored.
inline constexpr NarrowFormat kFirstByteFormat = NarrowFormat::kF8E5M2;
inline constexpr int kNumByteFormats = kNumNarrowFormats - static_cast<int>(kFirstByteFormat);
using ByteFormatDecoding = std::array<std::array<uint32_t, 256>, kNumByteFormats>;
extern const ByteFormatDecoding kByteFormatDecoding;

template <NarrowFormat kFormat>
uint32_t DecodeToFloatBits(uint32_t bits) {
  if constexpr (kFormat == NarrowFormat::kF16) {
    return DecodeF16(bits);
  } else if constexpr (kFormat == NarrowFormat::kBF16) {
    return bits << 16;
  } else {
    return kByteFormatDecoding[static_cast<int>(kFormat) - static_cast<int>(kFirstByteFormat)][bits];
  }
}

}  // namespace narrow_float_internal

// Converts an integer to double such that encoding the double to any narrow
// format gives the integer rounded once: bits that a double cannot hold are
// replaced by a sticky one ("round to odd").
double ToDoubleForEncoding(int64_t value);
double ToDoubleForEncoding(uint64_t value);

// One element of a narrow format: one byte, or two for f16 and bf16; f4 and f6
// in the low bits of a byte.
template <NarrowFormat format>
class NarrowFloat {
 public:
  static constexpr NarrowFormat kFormat = format;
  using Storage = std::conditional_t<(FormatOf(format).bit_width > 8), uint16_t, uint8_t>;

  // Pattern 0: zero, but 2^-127 in f8e8m0fnu.
  constexpr NarrowFloat() = default;
  explicit NarrowFloat(float value) : bits_(static_cast<Storage>(narrow_float_internal::Encode<format>(value))) {}
  explicit NarrowFloat(double value) : bits_(static_cast<Storage>(narrow_float_internal::Encode<format>(value))) {}
  template <typename Integer, typename = std::enable_if_t<std::is_integral_v<Integer>>>
  explicit NarrowFloat(Integer value) : NarrowFloat(ToDoubleForEncoding(Widest<Integer>(value))) {}

  // Takes a bit pattern; bits above the format's width are dropped.
  static constexpr NarrowFloat FromBits(uint32_t bits) {
    constexpr FloatTraits kTraits = TraitsOf(format);
    NarrowFloat result;
    result.bits_ = static_cast<Storage>(bits & (kTraits.magnitude_mask | kTraits.sign_mask));
    return result;
  }
  constexpr Storage bits() const { return bits_; }

  // Exact. NaN keeps sign and payload; as a double it is quiet.
  explicit operator float() const {
    return narrow_float_internal::BitCast<float>(narrow_float_internal::DecodeToFloatBits<format>(bits_));
  }
  explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }

  constexpr bool is_nan() const { return IsNan(format, bits_); }

 private:
  template <typename Integer>
  using Widest = std::conditional_t<std::is_signed_v<Integer>, int64_t, uint64_t>;

  Storage bits_ = 0;
};

using half = NarrowFloat<NarrowFormat::kF16>;
using bfloat16 = NarrowFloat<NarrowFormat::kBF16>;
using f8e5m2 = NarrowFloat<NarrowFormat::kF8E5M2>;
using f8e4m3 = NarrowFloat<NarrowFormat::kF8E4M3>;
using f8e4m3fn = NarrowFloat<NarrowFormat::kF8E4M3FN>;
using f8e4m3b11fnuz = NarrowFloat<NarrowFormat::kF8E4M3B11FNUZ>;
using f8e3m4 = NarrowFloat<NarrowFormat::kF8E3M4>;
using f8e5m2fnuz = NarrowFloat<NarrowFormat::kF8E5M2FNUZ>;
using f8e4m3fnuz = NarrowFloat<NarrowFormat::kF8E4M3FNUZ>;
using f4e2m1fn = NarrowFloat<NarrowFormat::kF4E2M1FN>;
using f6e2m3fn = NarrowFloat<NarrowFormat::kF6E2M3FN>;
using f6e3m2fn = NarrowFloat<NarrowFormat::kF6E3M2FN>;
using f8e8m0fnu = NarrowFloat<NarrowFormat::kF8E8M0FNU>;

// Whether T is one of the types above.
template <typename T>
struct IsNarrowFloat : std::false_type {};
template <NarrowFormat format>
struct IsNarrowFloat<NarrowFloat<format>> : std::true_type {};

// The same conversions for one value of a format known at run time only.
double DecodeNarrow(NarrowFormat format, uint32_t bits);
uint32_t EncodeNarrow(NarrowFormat format, double value);

// Convert `n` consecutive elements. The narrow side is an array of the format's
// storage (2 bytes for f16 and bf16, else 1) of any alignment; the arrays must
// not overlap.
void DecodeNarrow(NarrowFormat format, const void* src, float* dst, int64_t n);
void DecodeNarrow(NarrowFormat format, const void* src, double* dst, int64_t n);
void EncodeNarrow(NarrowFormat format, const float* src, void* dst, int64_t n);
void EncodeNarrow(NarrowFormat format, const double* src, void* dst, int64_t n);

}  // namespace xla

#endif  // XLA_CORE_TYPES_NARROW_FLOAT_H_
