#include "backends/autopsy/difference.h"

#include <cmath>
#include <memory>
#include <vector>

#include "gmock/gmock.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

using ::testing::HasSubstr;
using Kind = Judgement::Kind;

constexpr char kDoubled[] = "ENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] add(x, x)\n}";
// 1e8 + 1 - 1e8: what is left depends on the order.
constexpr char kSum[] = R"(
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[3] parameter(0)
  zero = f32[] constant(0)
  ROOT y = f32[] reduce(x, zero), dimensions={0}, to_apply=add
})";
constexpr char kSums[] = R"(
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[2,3] parameter(0)
  zero = f32[] constant(0)
  ROOT y = f32[2] reduce(x, zero), dimensions={1}, to_apply=add
})";
constexpr char kIsPositive[] = R"(
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[3] parameter(0)
  zero = f32[] constant(0)
  y = f32[] reduce(x, zero), dimensions={0}, to_apply=add
  half = f32[] constant(0.5)
  ROOT p = pred[] compare(y, half), direction=GT
})";
constexpr char kBitsOfSum[] = R"(
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[3] parameter(0)
  zero = f32[] constant(0)
  y = f32[] reduce(x, zero), dimensions={0}, to_apply=add
  ROOT bits = s32[] bitcast-convert(y)
})";

Judgement Judge(const char* text, const Literal& argument, const Literal& got, const Literal& want) {
  auto module = ParseHloModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE(VerifyModule(**module).ok()) << VerifyModule(**module);
  const absl::StatusOr<Judgement> judgement = JudgeDifference(**module, {argument}, {got}, {want}, JudgeOptions());
  EXPECT_TRUE(judgement.ok()) << judgement.status();
  return *judgement;
}

Literal Scalar(float value) { return Literal::FromValues<float>({}, {value}); }
Literal Pair(float a, float b) { return Literal::FromValues<float>({2}, {a, b}); }
Literal Cancelling() { return Literal::FromValues<float>({3}, {1e8F, 1, -1e8F}); }

TEST(JudgeDifference, AcceptsTheSameBits) {
  const Judgement judgement = Judge(kDoubled, Pair(1, 2), Pair(2, 4), Pair(2, 4));
  EXPECT_EQ(judgement.kind, Kind::kSame);
  EXPECT_EQ(judgement.text, "");
}

TEST(JudgeDifference, WantsEveryBitOfWhatDependsOnNoOrder) {
  const Judgement judgement = Judge(kDoubled, Pair(1, 2), Pair(2, 4.0000005F), Pair(2, 4));
  EXPECT_EQ(judgement.kind, Kind::kReal);
  EXPECT_THAT(judgement.text, HasSubstr("worst at {1}: got 4.0000005, expected 4"));
}

TEST(JudgeDifference, ExplainsTheOrderOfASum) {
  const Judgement judgement = Judge(kSum, Cancelling(), Scalar(4), Scalar(0));
  EXPECT_EQ(judgement.kind, Kind::kRounded);
  EXPECT_THAT(judgement.text, HasSubstr("got 4, the interpreter 0, in f64 1"));
}

TEST(JudgeDifference, ExplainsNoMoreThanRoundingDoes) {
  EXPECT_EQ(Judge(kSum, Cancelling(), Scalar(4000), Scalar(0)).kind, Kind::kReal);
  const Literal small = Literal::FromValues<float>({3}, {1, 2, 3});
  const Judgement judgement = Judge(kSum, small, Scalar(6.01F), Scalar(6));
  EXPECT_EQ(judgement.kind, Kind::kReal);
  EXPECT_THAT(judgement.text, HasSubstr("1 of 1 differing elements are beyond what rounding does"));
}

TEST(JudgeDifference, ExplainsNoErrorByThoseOfLargerElements) {
  const Literal rows = Literal::FromValues<float>({2, 3}, {1e8F, 1, -1e8F, 1, 2, 3});
  const Judgement judgement = Judge(kSums, rows, Pair(4, 6.01F), Pair(0, 6));
  EXPECT_EQ(judgement.kind, Kind::kReal);
  EXPECT_THAT(judgement.text, HasSubstr("got 6.01"));
}

TEST(JudgeDifference, ExplainsNoNumberByAnInfinity) {
  // f32 has no 2e38 + 2e38, and f64 has.
  const Literal large = Literal::FromValues<float>({3}, {2e38F, 2e38F, 0});
  EXPECT_EQ(Judge(kSum, large, Scalar(4), Scalar(HUGE_VALF)).kind, Kind::kReal);
  EXPECT_EQ(Judge(kSum, Cancelling(), Scalar(HUGE_VALF), Scalar(0)).kind, Kind::kReal);
  EXPECT_EQ(Judge(kSum, Cancelling(), Scalar(std::nanf("")), Scalar(0)).kind, Kind::kReal);
}

TEST(JudgeDifference, ExplainsAComparisonAtItsThreshold) {
  const auto bits = [](bool value) { return Literal::FromValues<bool>({}, {value}); };
  EXPECT_EQ(Judge(kIsPositive, Cancelling(), bits(true), bits(false)).kind, Kind::kRounded);
  const Literal small = Literal::FromValues<float>({3}, {1, 2, 3});
  EXPECT_EQ(Judge(kIsPositive, small, bits(false), bits(true)).kind, Kind::kReal);
}

TEST(JudgeDifference, CannotTellWithoutAFormInF64) {
  const auto bits = [](int32_t value) { return Literal::FromValues<int32_t>({}, {value}); };
  const Judgement judgement = Judge(kBitsOfSum, Cancelling(), bits(7), bits(9));
  EXPECT_EQ(judgement.kind, Kind::kUnjudged);
  EXPECT_TRUE(judgement.is_accusation());
  EXPECT_THAT(judgement.text, HasSubstr("bits: bitcast-convert has no meaning of its own with floats of f64"));
}

}  // namespace
}  // namespace xla
