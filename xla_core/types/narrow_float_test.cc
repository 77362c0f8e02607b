#include "xla_core/types/narrow_float.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "xla_core/types/ordered_index.h"

namespace xla {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// What a pattern means, computed from the format specifications by arithmetic
// on doubles: the second implementation that the product's bit operations and
// tables are compared with.
double ReferenceDecode(absl::string_view name, uint32_t bits) {
  if (name == "f8e8m0fnu") return bits == 0xFF ? kNan : std::ldexp(1.0, static_cast<int>(bits) - 127);
  struct Field {
    absl::string_view name;
    int exponent_bits, mantissa_bits, bias;
    char special;  // i: IEEE, n: all ones is NaN, z: -0 is NaN, f: finite only
  };
  static constexpr Field kFields[] = {
      {"f16", 5, 10, 15, 'i'},    {"bf16", 8, 7, 127, 'i'},      {"f8e5m2", 5, 2, 15, 'i'},
      {"f8e4m3", 4, 3, 7, 'i'},   {"f8e4m3fn", 4, 3, 7, 'n'},    {"f8e4m3b11fnuz", 4, 3, 11, 'z'},
      {"f8e3m4", 3, 4, 3, 'i'},   {"f8e5m2fnuz", 5, 2, 16, 'z'}, {"f8e4m3fnuz", 4, 3, 8, 'z'},
      {"f4e2m1fn", 2, 1, 1, 'f'}, {"f6e2m3fn", 2, 3, 1, 'f'},    {"f6e3m2fn", 3, 2, 3, 'f'}};
  for (const Field& field : kFields) {
    if (field.name != name) continue;
    const int exponents = 1 << field.exponent_bits;
    const int mantissas = 1 << field.mantissa_bits;
    const int mantissa = static_cast<int>(bits) % mantissas;
    const int exponent = static_cast<int>(bits) / mantissas % exponents;
    const bool negative = static_cast<int>(bits) / mantissas / exponents != 0;
    if (field.special == 'i' && exponent == exponents - 1 && mantissa != 0) return kNan;
    if (field.special == 'n' && exponent == exponents - 1 && mantissa == mantissas - 1) return kNan;
    if (field.special == 'z' && negative && exponent == 0 && mantissa == 0) return kNan;
    double value = exponent == 0 ? std::ldexp(mantissa, 1 - field.bias - field.mantissa_bits)
                                 : std::ldexp(mantissas + mantissa, exponent - field.bias - field.mantissa_bits);
    if (field.special == 'i' && exponent == exponents - 1) value = kInf;
    return negative ? -value : value;
  }
  ADD_FAILURE() << "no such format: " << std::string(name);
  return 0;
}

// `value` and `other` are the same number, zeros with the same sign, or both
// NaN.
bool Same(double value, double other) {
  if (std::isnan(value) || std::isnan(other)) return std::isnan(value) && std::isnan(other);
  return value == other && std::signbit(value) == std::signbit(other);
}

// The pattern that the path from float gives.
uint32_t EncodeFloat(NarrowFormat format, float value) {
  uint16_t bits = 0;
  EncodeNarrow(format, &value, &bits, 1);
  return bits;
}

class NarrowFloatTest : public testing::TestWithParam<NarrowFormat> {
 protected:
  NarrowFormat format() const { return GetParam(); }
  absl::string_view name() const { return FormatOf(format()).name; }
  FloatTraits traits() const { return TraitsOf(format()); }
  uint32_t NumPatterns() const { return 1u << FormatOf(format()).bit_width; }
  bool IsIeee() const { return FormatOf(format()).nan_style == NanStyle::kIeee; }
  bool HasNegativeZero() const {
    return traits().sign_mask != 0 && FormatOf(format()).nan_style != NanStyle::kNegativeZero;
  }

  // What a finite number beyond the largest value becomes.
  uint32_t OverflowBits() const {
    if (FormatOf(format()).has_infinity) return traits().infinity_bits;
    return FormatOf(format()).nan_style == NanStyle::kNone ? traits().max_bits : traits().nan_bits;
  }

  // Expects `value` to become `bits`, and -`value` the same with the sign set.
  void ExpectEncodes(double value, uint32_t bits) const {
    EXPECT_EQ(EncodeNarrow(format(), value), bits) << name() << " " << value;
    const auto as_float = static_cast<float>(value);
    if (static_cast<double>(as_float) == value) {
      EXPECT_EQ(EncodeFloat(format(), as_float), bits) << name() << " float " << value;
    }
    if (traits().sign_mask == 0) {
      EXPECT_EQ(EncodeNarrow(format(), -value), traits().nan_bits) << name() << " " << -value;
      return;
    }
    const uint32_t negative = bits == 0 && !HasNegativeZero() ? 0 : bits | traits().sign_mask;
    EXPECT_EQ(EncodeNarrow(format(), -value), negative) << name() << " " << -value;
    if (static_cast<double>(as_float) == value) {
      EXPECT_EQ(EncodeFloat(format(), -as_float), negative) << name() << " float " << -value;
    }
  }

  // Expects numbers around the tie `middle` to go to the right side, and the
  // tie to `tie`.
  void ExpectSplits(double middle, uint32_t below, uint32_t tie, uint32_t above) const {
    ExpectEncodes(middle, tie);
    ExpectEncodes(std::nextafter(middle, 0.0), below);
    ExpectEncodes(std::nextafter(middle, kInf), above);
    const auto as_float = static_cast<float>(middle);
    ASSERT_EQ(static_cast<double>(as_float), middle);
    ExpectEncodes(std::nextafter(as_float, 0.0f), below);
    ExpectEncodes(std::nextafter(as_float, std::numeric_limits<float>::infinity()), above);
  }
};

TEST_P(NarrowFloatTest, DecodesEveryPatternLikeTheReference) {
  for (uint32_t bits = 0; bits < NumPatterns(); ++bits) {
    EXPECT_TRUE(Same(DecodeNarrow(format(), bits), ReferenceDecode(name(), bits)))
        << name() << " " << bits << ": " << DecodeNarrow(format(), bits) << ", expected "
        << ReferenceDecode(name(), bits);
    EXPECT_EQ(IsNan(format(), bits), std::isnan(ReferenceDecode(name(), bits))) << name() << " " << bits;
  }
}

TEST_P(NarrowFloatTest, EveryPatternSurvivesDecodingAndEncoding) {
  const uint32_t quiet_bit = IsIeee() ? traits().nan_bits & (traits().nan_bits - traits().infinity_bits) : 0;
  for (uint32_t bits = 0; bits < NumPatterns(); ++bits) {
    const uint32_t expected = IsNan(format(), bits) ? bits | quiet_bit : bits;
    EXPECT_EQ(EncodeNarrow(format(), DecodeNarrow(format(), bits)), expected) << name() << " " << bits;
    float decoded;
    const auto narrow = static_cast<uint16_t>(bits);
    DecodeNarrow(format(), &narrow, &decoded, 1);
    EXPECT_EQ(EncodeFloat(format(), decoded), expected) << name() << " float " << bits;
  }
}

TEST_P(NarrowFloatTest, RoundsToTheNearestOfEachPairOfNeighbours) {
  const bool exponent_only = traits().sign_mask == 0;
  for (uint32_t low = 0; low < traits().max_bits; ++low) {
    const double middle = (ReferenceDecode(name(), low) + ReferenceDecode(name(), low + 1)) / 2;
    ExpectEncodes(ReferenceDecode(name(), low), low);
    ExpectSplits(middle, low, exponent_only || low % 2 == 1 ? low + 1 : low, low + 1);
    if (HasFailure()) return;
  }
}

TEST_P(NarrowFloatTest, OverflowsFromTheTieWithTheNextStepOn) {
  const uint32_t max = traits().max_bits;
  const double max_value = ReferenceDecode(name(), max);
  ExpectEncodes(max_value, max);
  // The value that would follow, were there one; its distance is that of the
  // last two, or, where each exponent has one value, the value itself.
  const bool exponent_only = traits().sign_mask == 0;
  const double step = exponent_only ? max_value : max_value - ReferenceDecode(name(), max - 1);
  const double middle = max_value + step / 2;
  ExpectSplits(middle, max, exponent_only || max % 2 == 1 ? OverflowBits() : max, OverflowBits());
  ExpectEncodes(1e300, OverflowBits());
  ExpectEncodes(std::numeric_limits<double>::max(), OverflowBits());
  ExpectEncodes(kInf, OverflowBits());
}

TEST_P(NarrowFloatTest, TinyValuesBecomeZeroWithTheirSign) {
  // f8e8m0fnu has no zero; the smallest value is the nearest.
  for (double tiny : {1e-60, 4.9e-324, 2.3e-308}) ExpectEncodes(tiny, 0);
  if (traits().sign_mask != 0) ExpectEncodes(0.0, 0);
}

TEST_P(NarrowFloatTest, NanStaysNanOrBecomesMinusZero) {
  const uint32_t positive = FormatOf(format()).nan_style == NanStyle::kNone ? traits().sign_mask : traits().nan_bits;
  const bool keeps_sign = FormatOf(format()).nan_style == NanStyle::kIeee || name() == "f8e4m3fn";
  const uint32_t negative = keeps_sign ? positive | traits().sign_mask : positive;
  EXPECT_EQ(EncodeNarrow(format(), kNan), positive) << name();
  EXPECT_EQ(EncodeNarrow(format(), -kNan), negative) << name();
  EXPECT_EQ(EncodeFloat(format(), std::numeric_limits<float>::quiet_NaN()), positive) << name();
  EXPECT_EQ(EncodeFloat(format(), -std::numeric_limits<float>::quiet_NaN()), negative) << name();
  // All bits set: rounding would carry through the exponent.
  EXPECT_EQ(IsNan(format(), EncodeNarrow(format(), narrow_float_internal::BitCast<double>(int64_t{-1}))),
            traits().nan_bits != 0)
      << name();
  EXPECT_EQ(IsNan(format(), EncodeFloat(format(), narrow_float_internal::BitCast<float>(int32_t{0x7FFFFFFF}))),
            traits().nan_bits != 0)
      << name();
}

TEST_P(NarrowFloatTest, FloatAndDoubleGiveTheSameBits) {
  std::mt19937 random(17);
  for (int i = 0; i < 300000; ++i) {
    const auto value = narrow_float_internal::BitCast<float>(static_cast<uint32_t>(random()));
    if (std::isnan(value)) continue;
    ASSERT_EQ(EncodeFloat(format(), value), EncodeNarrow(format(), static_cast<double>(value)))
        << name() << " " << value;
  }
}

TEST_P(NarrowFloatTest, BulkConversionEqualsSingleAtAnyLengthAndAlignment) {
  const int width = FormatOf(format()).bit_width > 8 ? 2 : 1;
  for (int n : {0, 1, 63, 64, 65, 200}) {
    std::vector<char> storage(1 + 2 * n * width);
    char* narrow = storage.data() + 1;
    std::vector<float> floats(n);
    std::vector<double> doubles(n);
    for (int i = 0; i < n; ++i) doubles[i] = floats[i] = std::ldexp(1.0f + i / 200.0f, i % 17 - 8) * (i % 3 - 1);
    EncodeNarrow(format(), doubles.data(), narrow, n);
    EncodeNarrow(format(), floats.data(), narrow + n * width, n);
    EXPECT_EQ(std::memcmp(narrow, narrow + n * width, n * width), 0) << name();
    std::vector<float> decoded(n);
    std::vector<double> decoded_doubles(n);
    DecodeNarrow(format(), narrow, decoded.data(), n);
    DecodeNarrow(format(), narrow, decoded_doubles.data(), n);
    for (int i = 0; i < n; ++i) {
      const double expected = DecodeNarrow(format(), EncodeNarrow(format(), doubles[i]));
      EXPECT_TRUE(Same(decoded[i], expected)) << name() << " " << i;
      EXPECT_TRUE(Same(decoded_doubles[i], expected)) << name() << " " << i;
    }
  }
}

TEST_P(NarrowFloatTest, LimitsFollowFromTheValues) {
  const FloatTraits limits = traits();
  double max = -kInf, lowest = kInf, smallest = kInf;
  for (uint32_t bits = 0; bits < NumPatterns(); ++bits) {
    const double value = ReferenceDecode(name(), bits);
    if (!std::isfinite(value)) continue;
    max = std::max(max, value);
    lowest = std::min(lowest, value);
    if (value > 0) smallest = std::min(smallest, value);
  }
  EXPECT_EQ(limits.max, max) << name();
  EXPECT_EQ(limits.lowest, lowest) << name();
  EXPECT_EQ(limits.min_denormal, smallest) << name();
  EXPECT_EQ(limits.epsilon, ReferenceDecode(name(), EncodeNarrow(format(), 1.0) + 1) - 1) << name();
  EXPECT_EQ(EncodeNarrow(format(), limits.min_normal),
            limits.sign_mask == 0 ? 0 : 1u << FormatOf(format()).mantissa_bits);
  EXPECT_EQ(limits.infinity_bits != 0, FormatOf(format()).has_infinity);
  EXPECT_EQ(IsNan(format(), limits.nan_bits), limits.nan_bits != 0);
}

TEST_P(NarrowFloatTest, MaxDigits10IdentifyEveryValue) {
  for (uint32_t bits = 0; bits < NumPatterns(); ++bits) {
    if (IsNan(format(), bits)) continue;
    char text[64];
    std::snprintf(text, sizeof(text), "%.*g", traits().max_digits10, DecodeNarrow(format(), bits));
    EXPECT_EQ(EncodeNarrow(format(), std::strtod(text, nullptr)), bits) << name() << " " << text;
  }
}

TEST_P(NarrowFloatTest, OrderedIndexRisesByOneFromValueToValue) {
  const uint32_t last = FormatOf(format()).has_infinity ? traits().infinity_bits : traits().max_bits;
  for (uint32_t bits = 0; bits < last; ++bits) {
    EXPECT_EQ(OrderedIndex(format(), bits + 1) - OrderedIndex(format(), bits), 1);
    if (traits().sign_mask == 0) continue;
    EXPECT_EQ(OrderedIndex(format(), bits | traits().sign_mask), -OrderedIndex(format(), bits));
  }
}

INSTANTIATE_TEST_SUITE_P(AllFormats, NarrowFloatTest,
                         testing::Values(NarrowFormat::kF16, NarrowFormat::kBF16, NarrowFormat::kF8E5M2,
                                         NarrowFormat::kF8E4M3, NarrowFormat::kF8E4M3FN, NarrowFormat::kF8E4M3B11FNUZ,
                                         NarrowFormat::kF8E3M4, NarrowFormat::kF8E5M2FNUZ, NarrowFormat::kF8E4M3FNUZ,
                                         NarrowFormat::kF4E2M1FN, NarrowFormat::kF6E2M3FN, NarrowFormat::kF6E3M2FN,
                                         NarrowFormat::kF8E8M0FNU),
                         [](const testing::TestParamInfo<NarrowFormat>& info) {
                           return std::string(FormatOf(info.param).name);
                         });

TEST(NarrowFloat, ConstantsAreThoseOfTheSpecifications) {
  EXPECT_EQ(TraitsOf(NarrowFormat::kF16).max, 65504);
  EXPECT_EQ(TraitsOf(NarrowFormat::kF8E5M2).max, 57344);
  EXPECT_EQ(TraitsOf(NarrowFormat::kF8E4M3).max, 240);
  EXPECT_EQ(TraitsOf(NarrowFormat::kF8E4M3FN).max, 448);
  EXPECT_EQ(TraitsOf(NarrowFormat::kF8E4M3B11FNUZ).max, 30);
  EXPECT_EQ(TraitsOf(NarrowFormat::kF8E3M4).max, 15.5);
  EXPECT_EQ(TraitsOf(NarrowFormat::kF4E2M1FN).max, 6);
  EXPECT_EQ(TraitsOf(NarrowFormat::kF6E2M3FN).max, 7.5);
  EXPECT_EQ(TraitsOf(NarrowFormat::kF6E3M2FN).max, 28);
  EXPECT_EQ(TraitsOf(NarrowFormat::kF16).max_digits10, 5);
  EXPECT_EQ(TraitsOf(NarrowFormat::kBF16).max_digits10, 4);
  EXPECT_EQ(TraitsOf(NarrowFormat::kF8E5M2).max_digits10, 2);
  EXPECT_EQ(TraitsOf(NarrowFormat::kF8E4M3).max_digits10, 3);
}

TEST(NarrowFloat, DoubleIsRoundedOnce) {
  // Just above the tie of 1 and its successor; a float in between would be the
  // tie itself.
  EXPECT_EQ(half(1 + std::ldexp(1, -11) + std::ldexp(1, -40)).bits(), half(1.0).bits() + 1);
  EXPECT_EQ(bfloat16(1 + std::ldexp(1, -8) + std::ldexp(1, -40)).bits(), bfloat16(1.0).bits() + 1);
  EXPECT_EQ(f8e8m0fnu(1.5 - std::ldexp(1, -40)).bits(), f8e8m0fnu(1.0).bits());
}

TEST(NarrowFloat, IntegersAreRoundedOnce) {
  const int64_t tie = (int64_t{1} << 60) + (int64_t{1} << 52);
  const uint32_t below = bfloat16(std::ldexp(1.0, 60)).bits();
  EXPECT_EQ(bfloat16(tie).bits(), below);
  EXPECT_EQ(bfloat16(tie + 1).bits(), below + 1);
  EXPECT_EQ(bfloat16(tie - 1).bits(), below);
  EXPECT_EQ(bfloat16(-tie - 1).bits(), (below + 1) | 0x8000);
  EXPECT_EQ(static_cast<float>(bfloat16(std::numeric_limits<int64_t>::min())), -9223372036854775808.0f);
  EXPECT_EQ(static_cast<float>(bfloat16(std::numeric_limits<uint64_t>::max())), 18446744073709551616.0f);
  EXPECT_EQ(static_cast<float>(half(2049)), 2048);
  EXPECT_EQ(static_cast<float>(half(true)), 1);
}

TEST(NarrowFloat, NanKeepsSignAndTopOfPayload) {
  using narrow_float_internal::BitCast;
  EXPECT_EQ(half(BitCast<float>(uint32_t{0xFF802000})).bits(), 0xFE01);
  EXPECT_EQ(half(BitCast<double>(uint64_t{0xFFF0040000000000})).bits(), 0xFE01);
  EXPECT_EQ(bfloat16(BitCast<float>(uint32_t{0x7F800001})).bits(), 0x7FC0);
  EXPECT_EQ(bfloat16(BitCast<float>(uint32_t{0xFFA50000})).bits(), 0xFFE5);
}

TEST(NarrowFloat, ExponentOnlyFormatKeepsToPositiveNumbers) {
  const float smallest = std::ldexp(1.0f, -127);
  EXPECT_EQ(f8e8m0fnu(smallest).bits(), 0);
  EXPECT_EQ(f8e8m0fnu(smallest / 4).bits(), 0);
  EXPECT_EQ(f8e8m0fnu(0.0).bits(), 0xFF);
  EXPECT_EQ(f8e8m0fnu(-0.0f).bits(), 0xFF);
  EXPECT_EQ(f8e8m0fnu(-1.0f).bits(), 0xFF);
  EXPECT_EQ(f8e8m0fnu(-kInf).bits(), 0xFF);
}

TEST(NarrowFloat, BitsAboveTheWidthAreDropped) {
  EXPECT_EQ(f4e2m1fn::FromBits(0xF7).bits(), 7);
  EXPECT_EQ(f6e2m3fn::FromBits(0xC1).bits(), 1);
  const unsigned char dirty = 0xF2;
  float decoded;
  DecodeNarrow(NarrowFormat::kF4E2M1FN, &dirty, &decoded, 1);
  EXPECT_EQ(decoded, 1);
}

TEST(UlpDistance, CountsRepresentableSteps) {
  EXPECT_EQ(UlpDistance(OrderedIndex(-0.0), OrderedIndex(0.0)), 0);
  EXPECT_EQ(UlpDistance(OrderedIndex(1.0f), OrderedIndex(std::nextafter(1.0f, 0.0f))), 1);
  EXPECT_EQ(UlpDistance(OrderedIndex(-4.9e-324), OrderedIndex(4.9e-324)), 2);
  EXPECT_EQ(UlpDistance(OrderedIndex(-kInf), OrderedIndex(kInf)), 2 * uint64_t{0x7FF0000000000000});
}

}  // namespace
}  // namespace xla
