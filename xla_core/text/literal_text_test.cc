// Numbers and values, to text and back.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "xla_core/text/number_text.h"
#include "xla_core/text/parser.h"
#include "xla_core/text/printer.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

template <typename Float>
std::string WithPrintf(Float value, int few, int all) {
  if (value == 0 && std::signbit(value)) return "-0.0";
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.*g", few, static_cast<double>(value));
  if (static_cast<Float>(std::strtod(buffer, nullptr)) != value) {
    std::snprintf(buffer, sizeof(buffer), "%.*g", all, static_cast<double>(value));
  }
  return buffer;
}

TEST(NumberText, PrintsLikePrintfAndReadsBack) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    uint64_t bits = random();
    float f;
    std::memcpy(&f, &bits, sizeof(f));
    if (i % 3 == 0)
      f = static_cast<float>(static_cast<int>(bits % 2000000)) / std::pow(10.0f, static_cast<int>(bits >> 60));
    double d;
    std::memcpy(&d, &bits, sizeof(d));
    if (!std::isnan(f)) {
      std::string text;
      AppendFloat(f, &text);
      ASSERT_EQ(text, WithPrintf(f, 6, 9));
      float back;
      ASSERT_TRUE(TextToFloat(text, &back));
      ASSERT_EQ(back, f);
    }
    if (!std::isnan(d)) {
      std::string text;
      AppendDouble(d, &text);
      ASSERT_EQ(text, WithPrintf(d, 15, 17));
      double back;
      ASSERT_TRUE(TextToDouble(text, &back));
      ASSERT_EQ(back, d);
    }
  }
}

TEST(NumberText, RoundsDecimalsOnce) {
  float f;
  // Just above the tie between 1 and 1 + 2^-23; by way of a double it would be the tie.
  ASSERT_TRUE(TextToFloat("1.00000005960464477539062500000000001", &f));
  EXPECT_EQ(f, 1 + std::numeric_limits<float>::epsilon());
  ASSERT_TRUE(TextToFloat("3.4028235e38", &f));
  EXPECT_FALSE(TextToFloat("3.4028236e38", &f));
  ASSERT_TRUE(TextToFloat("-1e-60", &f));
  EXPECT_TRUE(f == 0 && std::signbit(f));
  double d;
  EXPECT_FALSE(TextToDouble(absl::StrCat("1", std::string(400, '0'), "e-10"), &d));
  ASSERT_TRUE(TextToDouble(absl::StrCat("0.", std::string(400, '0'), "1"), &d));
  EXPECT_EQ(d, 0);
}

TEST(NumberText, EveryNarrowValueReadsBack) {
  for (PrimitiveType type : {F16, BF16, F8E5M2, F8E4M3, F8E4M3FN, F8E4M3B11FNUZ, F8E3M4, F8E5M2FNUZ, F8E4M3FNUZ,
                             F4E2M1FN, F8E8M0FNU, F6E3M2FN, F6E2M3FN}) {
    const uint32_t patterns = 1u << BitWidth(type);
    Literal all = *Literal::Allocate(Shape::Array(type, {patterns}));
    for (uint32_t i = 0; i < patterns; ++i) {
      std::memcpy(all.mutable_data<char>() + i * ByteWidth(type), &i, ByteWidth(type));
    }
    const auto back =
        ParseLiteralText(absl::StrCat(PrimitiveTypeName(type), "[", patterns, "]{0} ", LiteralValueToString(all)));
    ASSERT_TRUE(back.ok()) << PrimitiveTypeName(type) << back.status();
    EXPECT_TRUE(back->BitwiseEquals(all)) << PrimitiveTypeName(type);
  }
}

TEST(LiteralText, PrintsNestedBraces) {
  const auto print = [](absl::string_view text, LiteralStyle style = LiteralStyle::kOneLine) {
    const auto literal = ParseLiteralText(text);
    return literal.ok() ? LiteralValueToString(*literal, style) : std::string(literal.status().message());
  };
  EXPECT_EQ(print("s32[] 3"), "3");
  EXPECT_EQ(print("pred[] false"), "false");
  EXPECT_EQ(print("s4[3]{0} {-8, 7, 0}"), "{-8, 7, 0}");
  EXPECT_EQ(print("f32[2,2]{1,0} {{1,2},{3,4}}"), "{ { 1, 2 }, { 3, 4 } }");
  EXPECT_EQ(print("f32[2,1]{1,0} {{1},{2}}"), "{ {1}, {2} }");
  EXPECT_EQ(print("f32[0,3]{1,0} {}"), "{  }");
  EXPECT_EQ(print("c128[1]{0} {(1, -0)}"), "{(1, -0.0)}");
  EXPECT_EQ(print("u64[2]{0} {18446744073709551615, -1}"), "{18446744073709551615, 18446744073709551615}");
  EXPECT_EQ(print("s8[2,1,2,2]{3,2,1,0} {{{{1,2},{3,4}}},{{{5,6},{7,8}}}}"),
            "{ { /*i0=0*/ { /*i1=0*/ { 1, 2 }, { 3, 4 } } }, { /*i0=1*/ { /*i1=0*/ { 5, 6 }, { 7, 8 } } } }");
  EXPECT_EQ(print("f32[2,2]{1,0} {{1,2},{3,4}}", LiteralStyle::kMultiLine), "{\n  { 1, 2 },\n  { 3, 4 }\n}");
}

}  // namespace
}  // namespace xla
