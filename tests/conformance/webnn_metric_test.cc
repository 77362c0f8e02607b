#include "tests/conformance/webnn_metric.h"

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

bool Matches(const Literal& got, const Literal& want, WebnnTolerance::Metric metric, double value) {
  return CheckWebnnResult("y", got, want, {metric, value}).ok();
}

bool MatchesWithin(float got, float want, double ulp) {
  return Matches(Literal::Scalar(got), Literal::Scalar(want), WebnnTolerance::Metric::kUlp, ulp);
}

TEST(WebnnMetric, CountsNeighbours) {
  EXPECT_TRUE(MatchesWithin(1, std::nextafter(1.0f, 2.0f), 1));
  EXPECT_FALSE(MatchesWithin(1, std::nextafter(1.0f, 2.0f), 0));
  EXPECT_TRUE(MatchesWithin(0.0f, -0.0f, 0));
  EXPECT_TRUE(MatchesWithin(std::numeric_limits<float>::denorm_min(), -std::numeric_limits<float>::denorm_min(), 2));
  EXPECT_TRUE(MatchesWithin(kInfinity, kLargest, 1));
  EXPECT_FALSE(MatchesWithin(kInfinity, -kInfinity, 1e9));
  EXPECT_TRUE(MatchesWithin(kNan, -kNan, 0));
  EXPECT_FALSE(MatchesWithin(kNan, 1, 1e30));
  EXPECT_FALSE(MatchesWithin(kInfinity, kNan, 1e30));
}

TEST(WebnnMetric, MeasuresValues) {
  const auto atol = WebnnTolerance::Metric::kAtol;
  EXPECT_TRUE(Matches(Literal::Scalar(1.0f), Literal::Scalar(1.5f), atol, 0.5));
  EXPECT_FALSE(Matches(Literal::Scalar(1.0f), Literal::Scalar(1.5f), atol, 0.4));
  EXPECT_TRUE(Matches(Literal::Scalar(kInfinity), Literal::Scalar(kInfinity), atol, 0));
  EXPECT_FALSE(Matches(Literal::Scalar(kInfinity), Literal::Scalar(kLargest), atol, 1e30));
}

TEST(WebnnMetric, MeasuresIntegersAndHalves) {
  const auto ulp = WebnnTolerance::Metric::kUlp;
  const int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
  EXPECT_FALSE(Matches(Literal::Scalar(least), Literal::Scalar(most), ulp, 1e18));
  EXPECT_TRUE(Matches(Literal::Scalar(least), Literal::Scalar(least + 1), ulp, 1));
  EXPECT_TRUE(Matches(Literal::Scalar<uint8_t>(255), Literal::Scalar<uint8_t>(254), ulp, 1));
  const uint16_t one = 0x3C00, next = 0x3C01;
  EXPECT_TRUE(Matches(Literal::ScalarOf(F16, &one), Literal::ScalarOf(F16, &next), ulp, 1));
  EXPECT_FALSE(Matches(Literal::ScalarOf(F16, &one), Literal::ScalarOf(F16, &next), ulp, 0));
}

TEST(WebnnMetric, SaysWhatIsWrong) {
  const WebnnTolerance exact;
  EXPECT_EQ(
      CheckWebnnResult("y", Literal::Vector<int32_t>({1, 2, 9}), Literal::Vector<int32_t>({1, 3, 5}), exact).message(),
      "y: 2 of 3 elements are wrong, most of all number 2: got 9, expected 5, distance 4, allowed 0 ULP");
  EXPECT_EQ(CheckWebnnResult("y", Literal::Vector<int32_t>({1}), Literal::Scalar<int32_t>(1), exact).message(),
            "y: got s32[1], expected s32[]");
}

}  // namespace
}  // namespace xla
