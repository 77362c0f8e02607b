#include "builders/computation_builder/lib/prng.h"

#include <cmath>
#include <set>

#include "builders/computation_builder/lib/run_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::Lt;

const BitGeneratorTy kThreeFry = [](XlaOp key, XlaOp state, const Shape& shape) {
  return ThreeFryBitGenerator(key, state, shape);
};
const BitGeneratorTy kPhilox = [](XlaOp key, XlaOp state, const Shape& shape) {
  return PhiloxBitGenerator(key, state, shape);
};

XlaOp Key(ComputationBuilder& b, uint64_t key = 42) { return b.ConstantR0<uint64_t>(key); }
XlaOp State(ComputationBuilder& b) { return b.ConstantR0<uint64_t>(0); }

TEST(Prng, ThreefryAndPhiloxGiveThePublishedVectors) {
  // Known answers of Random123: threefry2x32, 20 rounds, and philox4x32, 10 rounds, of key and counter 0.
  ComputationBuilder b("test");
  EXPECT_THAT(Values<uint64_t>(b, ThreeFryBitGenerator(Key(b, 0), State(b), Shape::Array(U64, {1})).value),
              ElementsAre(0x99ba4efe6b200159u));
  ComputationBuilder c("test");
  const XlaOp state = c.ConstantR1<uint64_t>(2, 0);
  EXPECT_THAT(Values<uint32_t>(c, PhiloxBitGenerator(Key(c, 0), state, Shape::Array(U32, {4})).value),
              ElementsAre(0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u));
}

TEST(Prng, StateGoesOnWhereNumbersEnd) {
  ComputationBuilder b("test");
  const RngOutput first = ThreeFryBitGenerator(Key(b), State(b), Shape::Array(U64, {3}));
  const RngOutput second = ThreeFryBitGenerator(Key(b), first.state, Shape::Array(U64, {2}));
  const RngOutput all = ThreeFryBitGenerator(Key(b), State(b), Shape::Array(U64, {5}));
  EXPECT_EQ(b.ShapeOrInvalid(second.state).ToString(), "u64[]");
  EXPECT_THAT(Values<uint64_t>(b, b.Sub(b.Concatenate({first.value, second.value}, 0), all.value)), Each(0u));
}

TEST(Prng, KeysAreSplitAndFolded) {
  ComputationBuilder b("test");
  const XlaOp keys = SplitKey(Key(b), 3);
  const XlaOp folded = FoldIn(Key(b), b.ConstantR0<uint64_t>(2));
  const auto values = Values<uint64_t>(b, b.Concatenate({keys, b.Reshape(folded, {1})}, 0));
  ASSERT_EQ(values.size(), 4);
  EXPECT_EQ(values[2], values[3]);
  EXPECT_EQ(std::set<uint64_t>(values.begin(), values.end()).size(), 3);
}

TEST(Prng, UniformFloatsAreTheDocumentedFunctionOfBits) {
  ComputationBuilder b("test");
  const Shape shape = Shape::Array(F32, {64});
  const XlaOp one = b.ConstantR0<float>(1), three = b.ConstantR0<float>(3);
  const RngOutput uniform = UniformFloatingPointDistribution(Key(b), State(b), kThreeFry, one, three, shape);
  const RngOutput bits = ThreeFryBitGenerator(Key(b), State(b), Shape::Array(U32, {64}));
  const absl::StatusOr<Literal> both = RunBuilder(b, b.Tuple({uniform.value, bits.value}));
  ASSERT_TRUE(both.ok()) << both.status();
  const auto values = ElementsOf<float>(both->element(0));
  const auto words = ElementsOf<uint32_t>(both->element(1));
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(values[i], static_cast<float>(words[i] >> 9) / 8388608.0f * 2 + 1) << i;
  }
}

TEST(Prng, UniformFloatsStayBelowTheirBound) {
  ComputationBuilder b("test");
  const XlaOp from = b.ConstantR0<float>(1), to = b.ConstantR0<float>(1 + 0x1p-22f);
  const Shape shape = Shape::Array(F32, {1000});
  const auto values =
      Values<float>(b, UniformFloatingPointDistribution(Key(b), State(b), kThreeFry, from, to, shape).value);
  EXPECT_THAT(values, Each(Ge(1.0f)));
  EXPECT_THAT(values, Each(Lt(1 + 0x1p-22f)));
}

TEST(Prng, UniformIntegersCoverTheirRange) {
  ComputationBuilder b("test");
  const XlaOp from = b.ConstantR0<int32_t>(-2), to = b.ConstantR0<int32_t>(3);
  const XlaOp state = b.ConstantR1<uint64_t>(2, 7);
  const auto values =
      Values<int32_t>(b, UniformIntDistribution(Key(b), state, kPhilox, from, to, Shape::Array(S32, {500})).value);
  EXPECT_EQ(std::set<int32_t>(values.begin(), values.end()), (std::set<int32_t>{-2, -1, 0, 1, 2}));
  ComputationBuilder c("test");
  const XlaOp least = c.ConstantR0<int64_t>(INT64_MIN), greatest = c.ConstantR0<int64_t>(INT64_MAX);
  const Shape shape = Shape::Array(S64, {100});
  const auto wide =
      Values<int64_t>(c, UniformIntDistribution(Key(c), State(c), kThreeFry, least, greatest, shape).value);
  EXPECT_EQ(std::set<int64_t>(wide.begin(), wide.end()).size(), 100);
}

TEST(Prng, NormalHasMeanZeroAndVarianceOne) {
  ComputationBuilder b("test");
  const auto values =
      Values<float>(b, NormalFloatingPointDistribution(Key(b), State(b), kThreeFry, Shape::Array(F32, {20000})).value);
  double sum = 0, squares = 0;
  for (const float value : values) {
    ASSERT_TRUE(std::isfinite(value));
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 20000, 0, 0.03);
  EXPECT_NEAR(squares / 20000, 1, 0.05);
}

TEST(Prng, BernoulliHasItsProbability) {
  ComputationBuilder b("test");
  const XlaOp p = b.ConstantR0<float>(0.25f);
  const auto values =
      Values<bool>(b, BernoulliDistribution(Key(b), State(b), kThreeFry, p, Shape::Array(PRED, {10000})).value);
  EXPECT_NEAR(std::count(values.begin(), values.end(), true), 2500, 200);
}

TEST(PrngErrors, NameTheFunctionAndTheCall) {
  ComputationBuilder b("test");
  ThreeFryBitGenerator(b.ConstantR0<uint32_t>(1), State(b), Shape::Array(U32, {2}));
  ExpectError(b, __FILE__, __LINE__ - 1, "ThreeFryBitGenerator(u32[], u64[]): key must be u64[], got u32[]");
  ComputationBuilder c("test");
  PhiloxBitGenerator(Key(c), State(c), Shape::Array(U32, {2}));
  ExpectError(c, __FILE__, __LINE__ - 1, "PhiloxBitGenerator(u64[], u64[]): initial_state must be u64[2], got u64[]");
  ComputationBuilder d("test");
  NormalFloatingPointDistribution(Key(d), State(d), kThreeFry, Shape::Array(S32, {2}));
  ExpectError(d, __FILE__, __LINE__ - 1, "NormalFloatingPointDistribution(u64[], u64[]): the element type must be f16");
  ComputationBuilder e("test");
  SplitKey(Key(e), -1);
  ExpectError(e, __FILE__, __LINE__ - 1, "SplitKey(u64[]): count must be at least 0, got -1");
}

}  // namespace
}  // namespace xla
