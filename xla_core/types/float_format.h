#ifndef XLA_CORE_TYPES_FLOAT_FORMAT_H_
#define XLA_CORE_TYPES_FLOAT_FORMAT_H_

// Describes the floating-point formats narrower than f32, as data.
//
// A value is sign * 2^(exponent - bias) * 1.mantissa, or, where the exponent
// field is zero, the denormal sign * 2^(1 - bias) * 0.mantissa. f8e8m0fnu is
// the exception: it has an exponent field only, hence no sign, no zero and no
// denormals; pattern b is 2^(b - 127).
//
// The letters of a name: e/m number of bits; fn finite (no infinities); uz
// unsigned zero (the pattern of -0 is the only NaN); b11 a bias that differs
// from the usual one; u no sign.
//
// Everything that the parser, the printer and comparisons need to know about a
// format (limits, digits) follows from the description and is computed by
// `TraitsOf`. Conversions are in narrow_float.h.
//
// Source: HLO text format, sections 7 and 8; OCP 8-bit and microscaling (MX)
// format specifications.

#include <cstdint>

#include "absl/strings/string_view.h"

namespace xla {

// In the order of `kFloatFormats`.
enum class NarrowFormat : uint8_t {
  kF16,
  kBF16,
  kF8E5M2,
  kF8E4M3,
  kF8E4M3FN,
  kF8E4M3B11FNUZ,
  kF8E3M4,
  kF8E5M2FNUZ,
  kF8E4M3FNUZ,
  kF4E2M1FN,
  kF6E2M3FN,
  kF6E3M2FN,
  kF8E8M0FNU,
};

// Which bit patterns of a format are NaN.
enum class NanStyle : uint8_t {
  kIeee,          // exponent all ones, mantissa (quiet bit, payload) not zero
  kAllOnes,       // exponent and mantissa all ones
  kNegativeZero,  // the pattern that would be -0
  kNone,
};

// A format in the terms above. bit_width is 1 (if it has a sign) + exponent_bits + mantissa_bits.
struct FloatFormat {
  absl::string_view name;  // as in HLO text
  int bit_width;           // the low bits of the storage unit; the others are zero
  int exponent_bits;
  int mantissa_bits;  // without the hidden one
  int bias;
  bool has_sign;
  bool has_infinity;
  NanStyle nan_style;
};

inline constexpr FloatFormat kFloatFormats[] = {
    {"f16", 16, 5, 10, 15, true, true, NanStyle::kIeee},
    {"bf16", 16, 8, 7, 127, true, true, NanStyle::kIeee},
    {"f8e5m2", 8, 5, 2, 15, true, true, NanStyle::kIeee},
    {"f8e4m3", 8, 4, 3, 7, true, true, NanStyle::kIeee},
    {"f8e4m3fn", 8, 4, 3, 7, true, false, NanStyle::kAllOnes},
    {"f8e4m3b11fnuz", 8, 4, 3, 11, true, false, NanStyle::kNegativeZero},
    {"f8e3m4", 8, 3, 4, 3, true, true, NanStyle::kIeee},
    {"f8e5m2fnuz", 8, 5, 2, 16, true, false, NanStyle::kNegativeZero},
    {"f8e4m3fnuz", 8, 4, 3, 8, true, false, NanStyle::kNegativeZero},
    {"f4e2m1fn", 4, 2, 1, 1, true, false, NanStyle::kNone},
    {"f6e2m3fn", 6, 2, 3, 1, true, false, NanStyle::kNone},
    {"f6e3m2fn", 6, 3, 2, 3, true, false, NanStyle::kNone},
    {"f8e8m0fnu", 8, 8, 0, 127, false, false, NanStyle::kAllOnes},
};

inline constexpr int kNumNarrowFormats = sizeof(kFloatFormats) / sizeof(kFloatFormats[0]);

constexpr const FloatFormat& FormatOf(NarrowFormat format) { return kFloatFormats[static_cast<int>(format)]; }

// Limits of a format. Values are doubles, which represent all of them exactly.
struct FloatTraits {
  uint32_t magnitude_mask;  // all bits but the sign
  uint32_t sign_mask;       // 0 without a sign
  uint32_t max_bits;        // the largest finite value
  uint32_t infinity_bits;   // 0 if there is none
  uint32_t nan_bits;        // the default NaN; 0 if there is none
  int nan_payload_bits;     // 0 if NaN carries no payload (fn, fnuz); else the
                            // mantissa, quiet bit included
  double lowest;            // the most negative value; of f8e8m0fnu the smallest
  double max;
  double min_normal;
  double min_denormal;  // the smallest positive value; of f8e8m0fnu the
                        // smallest one
  double epsilon;       // distance from 1 to the next value
  int max_digits10;     // decimal digits that identify a value
};

// 2^exponent for exponents of normal doubles, in constant expressions too.
constexpr double PowerOfTwo(int exponent) {
  double result = 1;
  for (; exponent > 0; --exponent) result *= 2;
  for (; exponent < 0; ++exponent) result /= 2;
  return result;
}

constexpr uint32_t MaxBitsOf(const FloatFormat& format) {
  const uint32_t exponent_field = ((1u << format.exponent_bits) - 1) << format.mantissa_bits;
  const uint32_t all_ones = exponent_field | ((1u << format.mantissa_bits) - 1);
  switch (format.nan_style) {
    case NanStyle::kIeee:
      return exponent_field - 1;
    case NanStyle::kAllOnes:
      return all_ones - 1;
    case NanStyle::kNegativeZero:
    case NanStyle::kNone:
      break;
  }
  return all_ones;
}

constexpr uint32_t NanBitsOf(const FloatFormat& format) {
  const uint32_t all_ones = (1u << (format.exponent_bits + format.mantissa_bits)) - 1;
  const uint32_t below_quiet_bit = (1u << (format.mantissa_bits == 0 ? 0 : format.mantissa_bits - 1)) - 1;
  switch (format.nan_style) {
    case NanStyle::kIeee:
      return all_ones & ~below_quiet_bit;
    case NanStyle::kAllOnes:
      return all_ones;
    case NanStyle::kNegativeZero:
      return 1u << (format.bit_width - 1);
    case NanStyle::kNone:
      break;
  }
  return 0;
}

// ceil(1 + precision * log10(2)), the rule of
// std::numeric_limits<T>::max_digits10; 30103 / 100000 is log10(2) to more
// digits than eleven bits of precision can tell apart.
constexpr int MaxDigits10Of(int precision) { return 1 + (precision * 30103 + 99999) / 100000; }

// Derives limits and bit patterns from the format's description. Without a sign bit (f8e8m0fnu) there is no zero: the
// lowest value is the smallest normal.
constexpr FloatTraits ComputeTraits(const FloatFormat& format) {
  FloatTraits traits{};
  traits.magnitude_mask = (1u << (format.exponent_bits + format.mantissa_bits)) - 1;
  traits.sign_mask = format.has_sign ? traits.magnitude_mask + 1 : 0;
  traits.max_bits = MaxBitsOf(format);
  traits.infinity_bits = format.has_infinity ? traits.max_bits + 1 : 0;
  traits.nan_bits = NanBitsOf(format);
  traits.nan_payload_bits = format.nan_style == NanStyle::kIeee ? format.mantissa_bits : 0;

  const int max_exponent = static_cast<int>(traits.max_bits >> format.mantissa_bits) - format.bias;
  const uint32_t max_mantissa = traits.max_bits & ((1u << format.mantissa_bits) - 1);
  traits.epsilon = PowerOfTwo(-format.mantissa_bits);
  traits.max = PowerOfTwo(max_exponent) * (1 + max_mantissa * traits.epsilon);
  const int min_exponent = format.has_sign ? 1 - format.bias : -format.bias;
  traits.min_normal = PowerOfTwo(min_exponent);
  traits.min_denormal = PowerOfTwo(min_exponent - format.mantissa_bits);
  traits.lowest = format.has_sign ? -traits.max : traits.min_normal;
  traits.max_digits10 = MaxDigits10Of(format.mantissa_bits + 1);
  return traits;
}

// A struct, because constexpr functions cannot return arrays. Rows are in the order of kFloatFormats.
struct FloatTraitsTable {
  FloatTraits rows[kNumNarrowFormats];
};

constexpr FloatTraitsTable MakeFloatTraitsTable() {
  FloatTraitsTable table{};
  for (int i = 0; i < kNumNarrowFormats; ++i) {
    table.rows[i] = ComputeTraits(kFloatFormats[i]);
  }
  return table;
}

inline constexpr FloatTraitsTable kFloatTraits = MakeFloatTraitsTable();

constexpr const FloatTraits& TraitsOf(NarrowFormat format) { return kFloatTraits.rows[static_cast<int>(format)]; }

// Whether `bits` (of the format's width) is a NaN.
constexpr bool IsNan(NarrowFormat narrow, uint32_t bits) {
  const FloatTraits& traits = TraitsOf(narrow);
  switch (FormatOf(narrow).nan_style) {
    case NanStyle::kIeee:
      return (bits & traits.magnitude_mask) > traits.infinity_bits;
    case NanStyle::kAllOnes:
      return (bits & traits.magnitude_mask) == traits.nan_bits;
    case NanStyle::kNegativeZero:
      return (bits & (traits.magnitude_mask | traits.sign_mask)) == traits.nan_bits;
    case NanStyle::kNone:
      break;
  }
  return false;
}

}  // namespace xla

#endif  // XLA_CORE_TYPES_FLOAT_FORMAT_H_
