#include "passes/base/splat.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "passes/analyses/parsed_module.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

using ::testing::Optional;

ParsedModule WithRoot(const std::string& instructions) {
  return ParsedModule(absl::StrCat("HloModule m\nENTRY e {\n", instructions, "\n}"));
}

// The value of the root, "none" if it is not known to be a splat.
std::string SplatText(const std::string& instructions) {
  const ParsedModule module = WithRoot(instructions);
  const absl::optional<Literal> value = SplatValue(*module->entry()->root());
  return value.has_value() ? LiteralToString(*value) : "none";
}

TEST(Splat, IsAConstantOfEqualElementsMovedAround) {
  EXPECT_EQ(SplatText("ROOT c = f32[] constant(2)"), "f32[] 2");
  EXPECT_EQ(SplatText("ROOT c = s32[2,2] constant({{3, 3}, {3, 3}})"), "s32[] 3");
  EXPECT_EQ(SplatText("c = f32[] constant(2) ROOT b = f32[4,2] broadcast(c), dimensions={}"), "f32[] 2");
  EXPECT_EQ(SplatText("c = f32[2,3] constant({{5, 5, 5}, {5, 5, 5}}) r = f32[6] reshape(c)\n"
                      "b = f32[6,2] broadcast(r), dimensions={0} ROOT t = f32[2,6] transpose(b), dimensions={1,0}"),
            "f32[] 5");
}

TEST(Splat, IsNothingElse) {
  EXPECT_EQ(SplatText("ROOT c = s32[3] constant({3, 3, 4})"), "none");
  EXPECT_EQ(SplatText("ROOT c = f32[2] constant({0, -0})"), "none") << "bit for bit";
  EXPECT_EQ(SplatText("ROOT c = f32[0] constant({})"), "none") << "no elements";
  EXPECT_EQ(SplatText("ROOT c = f32[4] constant({...})"), "none") << "elided";
  EXPECT_EQ(SplatText("p = f32[] parameter(0) ROOT b = f32[4] broadcast(p), dimensions={}"), "none");
  EXPECT_EQ(SplatText("c = f32[] constant(2) ROOT n = f32[] negate(c)"), "none");
  EXPECT_EQ(SplatText("c = f32[] constant(2) ROOT t = (f32[]) tuple(c)"), "none");
}

TEST(Splat, NanIsEqualToItselfBitForBit) {
  EXPECT_EQ(SplatText("ROOT c = f32[3] constant({nan, nan, nan})"), "f32[] nan");
}

bool IsSplatOfRoot(const std::string& instructions, int64_t value) {
  const ParsedModule module = WithRoot(instructions);
  return IsSplatOf(*module->entry()->root(), value);
}

TEST(IsSplatOf, MeansTheBitsOfTheNumber) {
  EXPECT_TRUE(IsSplatOfRoot("ROOT c = f32[2] constant({1, 1})", 1));
  EXPECT_TRUE(IsSplatOfRoot("ROOT c = s8[] constant(-5)", -5));
  EXPECT_TRUE(IsSplatOfRoot("ROOT c = f32[] constant(0)", 0));
  EXPECT_FALSE(IsSplatOfRoot("ROOT c = f32[] constant(-0)", 0));
  EXPECT_FALSE(IsSplatOfRoot("ROOT c = f32[] constant(1.5)", 1));
  EXPECT_TRUE(IsSplatOfRoot("ROOT c = c64[] constant((1, 0))", 1));
  EXPECT_FALSE(IsSplatOfRoot("ROOT c = c64[] constant((1, -0))", 1)) << "the imaginary part is +0";
  EXPECT_FALSE(IsSplatOfRoot("ROOT c = c64[] constant((1, 1))", 1));
  EXPECT_TRUE(IsSplatOfRoot("ROOT c = pred[] constant(true)", 1));
  EXPECT_FALSE(IsSplatOfRoot("ROOT c = s8[] constant(44)", 300)) << "300 is not a value of s8";
}

bool IsMinusZeroRoot(const std::string& instructions) {
  const ParsedModule module = WithRoot(instructions);
  return IsSplatOfNegativeZero(*module->entry()->root());
}

TEST(IsSplatOfNegativeZero, NeedsTheSignInEachPart) {
  EXPECT_TRUE(IsMinusZeroRoot("ROOT c = f32[2] constant({-0, -0})"));
  EXPECT_TRUE(IsMinusZeroRoot("ROOT c = bf16[] constant(-0)"));
  EXPECT_FALSE(IsMinusZeroRoot("ROOT c = f32[] constant(0)"));
  EXPECT_FALSE(IsMinusZeroRoot("ROOT c = s32[] constant(0)"));
  EXPECT_TRUE(IsMinusZeroRoot("ROOT c = c64[] constant((-0, -0))"));
  EXPECT_FALSE(IsMinusZeroRoot("ROOT c = c64[] constant((-0, 0))"));
  EXPECT_FALSE(IsMinusZeroRoot("ROOT c = f8e4m3fnuz[] constant(0)")) << "it has no -0";
}

absl::optional<int64_t> IntegerOf(const std::string& instructions) {
  const ParsedModule module = WithRoot(instructions);
  return SplatInteger(*module->entry()->root());
}

TEST(SplatInteger, IsTheValueIfItFits) {
  EXPECT_THAT(IntegerOf("ROOT c = s4[] constant(-8)"), Optional(-8));
  EXPECT_THAT(IntegerOf("ROOT c = u8[2] constant({255, 255})"), Optional(255));
  EXPECT_THAT(IntegerOf("ROOT c = pred[] constant(true)"), Optional(1));
  EXPECT_THAT(IntegerOf("ROOT c = s64[] constant(-9223372036854775808)"), Optional(INT64_MIN));
  EXPECT_THAT(IntegerOf("ROOT c = u64[] constant(9223372036854775807)"), Optional(INT64_MAX));
  EXPECT_EQ(IntegerOf("ROOT c = u64[] constant(9223372036854775808)"), absl::nullopt);
  EXPECT_EQ(IntegerOf("ROOT c = f32[] constant(1)"), absl::nullopt);
  EXPECT_EQ(IntegerOf("ROOT c = s32[2] constant({1, 2})"), absl::nullopt);
}

TEST(ConstantValue, IsThatOfConstantsOnly) {
  const ParsedModule module(
      "HloModule m\nENTRY e { c = f32[] constant(2) u = f32[4] constant({...})\n"
      "b = f32[4] broadcast(c), dimensions={} ROOT s = f32[4] add(u, b) }");
  ASSERT_NE(ConstantValue(module.At("c")), nullptr);
  EXPECT_EQ(*ConstantValue(module.At("c"))->data<float>(), 2);
  EXPECT_EQ(ConstantValue(module.At("u")), nullptr);
  EXPECT_EQ(ConstantValue(module.At("b")), nullptr);
}

}  // namespace
}  // namespace xla
