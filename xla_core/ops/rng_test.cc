#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/counter_random.h"
#include "xla_core/ops/testing/test_eval_context.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

// Known answers of the authors' Random123 library (tests/kat_vectors), for zeros, all ones and digits of pi.
TEST(CounterRandom, ThreefryGivesThePublishedWords) {
  EXPECT_THAT(Threefry2x32({0, 0}, {0, 0}), ElementsAre(0x6b200159u, 0x99ba4efeu));
  EXPECT_THAT(Threefry2x32({0xffffffffu, 0xffffffffu}, {0xffffffffu, 0xffffffffu}),
              ElementsAre(0x1cb996fcu, 0xbb002be7u));
  EXPECT_THAT(Threefry2x32({0x13198a2eu, 0x03707344u}, {0x243f6a88u, 0x85a308d3u}),
              ElementsAre(0xc4923a9cu, 0x483df7a0u));
}

TEST(CounterRandom, PhiloxGivesThePublishedWords) {
  EXPECT_THAT(Philox4x32(0, {0, 0}), ElementsAre(0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u));
  EXPECT_THAT(Philox4x32(~0ull, {~0ull, ~0ull}), ElementsAre(0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu));
  EXPECT_THAT(Philox4x32(0x299f31d0a4093822ull, {0x85a308d3243f6a88ull, 0x0370734413198a2eull}),
              ElementsAre(0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u));
}

SetAttributes Distribution(RandomDistribution distribution) {
  return [=](HloInstruction& i) { i.mutable_attributes<RngAttributes>().distribution = distribution; };
}

TEST(Rng, UniformNumbersLieInTheirInterval) {
  const auto floats =
      EvaluateOp(HloOpcode::kRng, Shape::Array(F32, {20001}), {Literal::Scalar<float>(-1), Literal::Scalar<float>(3)},
                 Distribution(RandomDistribution::kUniform));
  ASSERT_TRUE(floats.ok()) << floats.status();
  double sum = 0;
  for (const float x : floats->span<float>()) {
    ASSERT_TRUE(x >= -1 && x < 3);
    sum += x;
  }
  EXPECT_NEAR(sum / 20001, 1, 0.03);
  const auto bytes =
      EvaluateOp(HloOpcode::kRng, Shape::Array(S8, {1000}), {Literal::Scalar<int8_t>(-2), Literal::Scalar<int8_t>(2)},
                 Distribution(RandomDistribution::kUniform));
  EXPECT_THAT(bytes->span<int8_t>(), ::testing::Each(::testing::AllOf(::testing::Ge(-2), ::testing::Lt(2))));
  EXPECT_THAT(bytes->span<int8_t>(), ::testing::Contains(1));
  const auto preds = EvaluateOp(HloOpcode::kRng, Shape::Array(PRED, {100}),
                                {Literal::Scalar<bool>(false), Literal::Scalar<bool>(true)},
                                Distribution(RandomDistribution::kUniform));
  EXPECT_THAT(preds->span<bool>(), ::testing::AllOf(::testing::Contains(true), ::testing::Contains(false)));
}

TEST(Rng, NormalNumbersHaveTheirMoments) {
  const auto result =
      EvaluateOp(HloOpcode::kRng, Shape::Array(F64, {40000}), {Literal::Scalar<double>(5), Literal::Scalar<double>(2)},
                 Distribution(RandomDistribution::kNormal));
  ASSERT_TRUE(result.ok()) << result.status();
  double sum = 0, squares = 0;
  for (const double x : result->span<double>()) sum += x, squares += (x - 5) * (x - 5);
  EXPECT_NEAR(sum / 40000, 5, 0.05);
  EXPECT_NEAR(squares / 40000, 4, 0.1);
}

}  // namespace
}  // namespace xla
