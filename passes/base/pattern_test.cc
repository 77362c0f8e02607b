#include "passes/base/pattern.h"

#include <string>

#include "gmock/gmock.h"
#include "passes/analyses/parsed_module.h"

namespace xla {
namespace {

constexpr char kModule[] = R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  zero = f32[] constant(0)
  minus_zero = f32[] constant(-0)
  elided = f32[4] constant({...})
  zeros = f32[4] broadcast(zero), dimensions={}
  minus_zeros = f32[4] broadcast(minus_zero), dimensions={}
  sum = f32[4] add(zeros, x)
  square = f32[4] multiply(x, x)
  product = f32[4] multiply(x, y)
  once = f32[4] negate(product)
  both = f32[4] add(square, square)
  twice = f32[4] tanh(sum)
  thrice = f32[4] exponential(sum)
  ROOT t = (f32[4], f32[4], f32[4], f32[4], f32[4], f32[4]) tuple(once, both, twice, thrice, elided, minus_zeros)
})";

class PatternTest : public testing::Test {
 protected:
  HloInstruction* At(absl::string_view name) { return &module_.At(name); }
  // Why the pattern does not match; "" if it does.
  template <typename Pattern>
  std::string WhyNot(absl::string_view name, const Pattern& pattern) {
    MatchLog log;
    const bool matches = Match(At(name), pattern, &log);
    EXPECT_EQ(matches, Match(At(name), pattern)) << "with or without a log";
    EXPECT_TRUE(matches || !log.why().empty());
    return matches ? "" : log.why();
  }
  const ParsedModule module_{kModule};
};

TEST_F(PatternTest, AnyMatchesEverythingAndCaptures) {
  HloInstruction* captured = nullptr;
  EXPECT_TRUE(Match(At("t"), m::Any()));
  EXPECT_TRUE(Match(At("x"), m::Any(&captured)));
  EXPECT_EQ(captured, At("x"));
}

TEST_F(PatternTest, ConstantNeedsAValue) {
  HloInstruction* captured = nullptr;
  EXPECT_EQ(WhyNot("zero", m::Constant(&captured)), "");
  EXPECT_EQ(captured, At("zero"));
  captured = nullptr;
  EXPECT_NE(WhyNot("elided", m::Constant(&captured)), "");
  EXPECT_EQ(WhyNot("zeros", m::Constant(&captured)),
            "zeros = f32[4] broadcast(zero): expected a constant with a value");
  EXPECT_EQ(captured, nullptr);
}

TEST_F(PatternTest, SplatTellsZerosApartByTheirSign) {
  EXPECT_EQ(WhyNot("zero", m::Splat(0)), "");
  EXPECT_EQ(WhyNot("zeros", m::Splat(0)), "");
  EXPECT_NE(WhyNot("minus_zeros", m::Splat(0)), "");
  EXPECT_NE(WhyNot("zeros", m::Splat(1)), "");
  EXPECT_EQ(WhyNot("x", m::Splat(0)), "x = f32[4] parameter(): expected an array of equal constants");
}

TEST_F(PatternTest, OpLooksAtOperandsInTheirOrder) {
  HloInstruction *x = nullptr, *sum = nullptr;
  EXPECT_EQ(WhyNot("sum", m::Op(HloOpcode::kAdd, m::Splat(0), m::Any(&x)).As(&sum)), "");
  EXPECT_EQ(x, At("x"));
  EXPECT_EQ(sum, At("sum"));
  EXPECT_EQ(WhyNot("sum", m::Op(HloOpcode::kAdd, m::Any(), m::Splat(0))),
            "x = f32[4] parameter(): expected an array of equal constants");
  EXPECT_EQ(WhyNot("sum", m::Op(HloOpcode::kMultiply)), "sum = f32[4] add(zeros, x): expected multiply");
}

TEST_F(PatternTest, OpWithoutOperandsMatchesAnyNumberOfThem) {
  EXPECT_EQ(WhyNot("t", m::Op(HloOpcode::kTuple)), "");
  EXPECT_EQ(WhyNot("sum", m::Op(HloOpcode::kAdd)), "");
  EXPECT_NE(WhyNot("sum", m::Op(HloOpcode::kAdd, m::Any())), "");
  EXPECT_NE(WhyNot("sum", m::Op(HloOpcode::kAdd, m::Any(), m::Any(), m::Any())), "");
}

TEST_F(PatternTest, OneUserMayUseItTwice) {
  EXPECT_EQ(WhyNot("product", m::Op(HloOpcode::kMultiply).OneUse()), "");
  EXPECT_EQ(WhyNot("square", m::Op(HloOpcode::kMultiply).OneUse()), "");
  EXPECT_EQ(WhyNot("sum", m::Op(HloOpcode::kAdd).OneUse()), "sum = f32[4] add(zeros, x): expected one user");
  EXPECT_NE(WhyNot("t", m::Op(HloOpcode::kTuple).OneUse()), "") << "it has no user at all";
}

TEST_F(PatternTest, AnyOrderTriesTheOtherOrder) {
  HloInstruction* x = nullptr;
  EXPECT_EQ(WhyNot("sum", m::AnyOrder(HloOpcode::kAdd, m::Any(&x), m::Splat(0))), "");
  EXPECT_EQ(x, At("x"));
  EXPECT_EQ(WhyNot("sum", m::AnyOrder(HloOpcode::kAdd, m::Splat(0), m::Any(&x))), "");
  EXPECT_NE(WhyNot("product", m::AnyOrder(HloOpcode::kMultiply, m::Splat(0), m::Any())), "");
  EXPECT_NE(WhyNot("sum", m::AnyOrder(HloOpcode::kMultiply, m::Any(), m::Any())), "");
}

TEST_F(PatternTest, AnyOrderPrefersTheWrittenOrder) {
  HloInstruction *left = nullptr, *right = nullptr;
  EXPECT_EQ(WhyNot("product", m::AnyOrder(HloOpcode::kMultiply, m::Any(&left), m::Any(&right))), "");
  EXPECT_EQ(left, At("x"));
  EXPECT_EQ(right, At("y"));
}

TEST_F(PatternTest, SameIsTheVeryInstruction) {
  HloInstruction* x = nullptr;
  EXPECT_EQ(WhyNot("square", m::Op(HloOpcode::kMultiply, m::Any(&x), m::Same(&x))), "");
  EXPECT_EQ(WhyNot("product", m::Op(HloOpcode::kMultiply, m::Any(&x), m::Same(&x))),
            "y = f32[4] parameter(): expected the same value again");
}

TEST_F(PatternTest, PatternsNest) {
  HloInstruction* x = nullptr;
  const auto negated_product =
      m::Op(HloOpcode::kNegate, m::AnyOrder(HloOpcode::kMultiply, m::Op(HloOpcode::kParameter).As(&x), m::Any()));
  EXPECT_EQ(WhyNot("once", negated_product), "");
  EXPECT_EQ(x, At("x"));
  EXPECT_NE(WhyNot("twice", negated_product), "");
}

}  // namespace
}  // namespace xla
