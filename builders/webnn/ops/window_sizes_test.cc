#include "builders/webnn/ops/window_sizes.h"

#include <limits>

#include "builders/webnn/descriptor.h"
#include "gtest/gtest.h"

namespace xla {
namespace webnn {
namespace {

constexpr bool kDown = false;
constexpr bool kUp = true;

// {input, window, padding_begin, padding_end, stride, dilation}
TEST(WindowPositions, CountsHowOftenTheWindowFits) {
  EXPECT_EQ(WindowPositions({5, 3, 0, 0, 1, 1}, kDown), 3);
  EXPECT_EQ(WindowPositions({5, 5, 0, 0, 1, 1}, kDown), 1);
  EXPECT_EQ(WindowPositions({5, 3, 1, 2, 1, 1}, kDown), 6) << "padding of either end counts";
  EXPECT_EQ(WindowPositions({7, 3, 0, 0, 1, 3}, kDown), 1) << "elements 0, 3 and 6";
  EXPECT_EQ(WindowPositions({8, 1, 0, 0, 1, 100}, kDown), 8) << "one element is not spread";
}

TEST(WindowPositions, RoundsDownOrUpWhereStridesLeaveARest) {
  EXPECT_EQ(WindowPositions({7, 3, 0, 0, 2, 1}, kDown), 3);
  EXPECT_EQ(WindowPositions({7, 3, 0, 0, 2, 1}, kUp), 3) << "nothing is left";
  EXPECT_EQ(WindowPositions({8, 3, 0, 0, 2, 1}, kDown), 3);
  EXPECT_EQ(WindowPositions({8, 3, 0, 0, 2, 1}, kUp), 4);
  EXPECT_EQ(WindowPositions({8, 3, 1, 0, 4, 2}, kDown), 2) << "1 + 4 / 4";
  EXPECT_EQ(WindowPositions({9, 3, 1, 0, 4, 2}, kUp), 3) << "1 + 5 / 4, rounded up";
}

TEST(WindowPositions, AreLessThanOneWhereTheWindowHasNoRoom) {
  EXPECT_LT(WindowPositions({2, 3, 0, 0, 1, 1}, kDown), 1);
  EXPECT_LT(WindowPositions({2, 3, 0, 0, 5, 1}, kDown), 1) << "not rounded to one position";
  EXPECT_LT(WindowPositions({2, 3, 0, 0, 1, 1}, kUp), 1);
  EXPECT_LT(WindowPositions({2, 9, 0, 0, 3, 1}, kUp), 1);
}

constexpr int64_t kGreatest = std::numeric_limits<uint32_t>::max();

TEST(WindowPositions, TakesTheGreatestNumbersWithoutOverflow) {
  EXPECT_EQ(WindowPositions({kGreatest, kGreatest, 0, 0, 1, 1}, kDown), 1);
  EXPECT_LT(WindowPositions({kGreatest, kGreatest, kGreatest, kGreatest, 1, kGreatest}, kDown), 1);
  EXPECT_LT(WindowPositions({kGreatest, kGreatest, kGreatest, kGreatest, kGreatest, kGreatest}, kUp), 1);
  EXPECT_GT(WindowPositions({kGreatest, 1, kGreatest, kGreatest, 1, 1}, kDown), kMaxDimension) << "no valid dimension";
}

TEST(SpreadSize, IsTheInputSpreadByStridesWithAWindowAtEachElement) {
  EXPECT_EQ(SpreadSize({3, 3, 0, 0, 1, 1}), 5);
  EXPECT_EQ(SpreadSize({3, 3, 0, 0, 2, 1}), 7) << "0 1 2, 2 3 4, 4 5 6";
  EXPECT_EQ(SpreadSize({3, 3, 1, 2, 2, 1}), 4) << "padding is cut off";
  EXPECT_EQ(SpreadSize({3, 3, 0, 0, 2, 2}), 9);
  EXPECT_EQ(SpreadSize({1, 1, 0, 0, 7, 7}), 1);
  EXPECT_LT(SpreadSize({1, 1, 1, 1, 1, 1}), 1);
  EXPECT_GT(SpreadSize({kGreatest, kGreatest, kGreatest, kGreatest, kGreatest, kGreatest}), kMaxDimension);
}

TEST(SaturatingProduct, StaysFarAboveTheGreatestDimension) {
  EXPECT_EQ(SaturatingProduct(6, 7), 42);
  EXPECT_EQ(SaturatingProduct(0, std::numeric_limits<int64_t>::max()), 0);
  EXPECT_EQ(SaturatingProduct(kGreatest, 1 << 20), kGreatest << 20);
  const int64_t greatest = std::numeric_limits<int64_t>::max();
  const int64_t saturated = SaturatingProduct(greatest, greatest);
  EXPECT_GT(saturated, kMaxDimension);
  EXPECT_LT(saturated, greatest / 4) << "so that a sum of several does not overflow";
  EXPECT_EQ(SaturatingProduct(kGreatest, kGreatest), saturated);
}

}  // namespace
}  // namespace webnn
}  // namespace xla
