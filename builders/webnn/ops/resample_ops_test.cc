#include <utility>
#include <vector>

#include "builders/webnn/ops/operator_testing.h"
#include "gmock/gmock.h"

namespace xla {
namespace webnn {
namespace {

using ::testing::ElementsAre;

using ResampleTest = OperatorTest;

TEST_F(ResampleTest, TakesTheNearestOrGoesBetween) {
  const MLOperand input = Constant<float>({1, 1, 1, 2}, {0, 4});
  MLResample2dOptions options;
  options.sizes = {1, 4};
  EXPECT_THAT(Floats(builder.resample2d(input, options)), ElementsAre(0, 0, 4, 4));
  options.mode = MLInterpolationMode::kLinear;
  EXPECT_THAT(Floats(builder.resample2d(input, options)), ElementsAre(0, 1, 3, 4));
  options.mode = MLInterpolationMode::kNearestNeighbor;
  options.sizes = {1, 3};
  EXPECT_THAT(Floats(builder.resample2d(Constant<float>({1, 1, 1, 2}, {0, 4}), options)), ElementsAre(0, 0, 4));
}

TEST_F(ResampleTest, WantsNeighbouringAxes) {
  MLResample2dOptions options;
  options.axes = {3, 2};
  EXPECT_EQ(BrokenRule(builder.resample2d(Input({1, 1, 2, 4}), options)), "axes");
  options.axes = {1, 2};
  options.scales = {2.5, 1.5};
  EXPECT_THAT(ShapeOf(builder.resample2d(Input({1, 3, 2, 4}), options)), ElementsAre(1, 7, 3, 4));
}

TEST_F(ResampleTest, SizesComeBeforeScales) {
  const MLOperand input = Input({1, 1, 2, 4});
  EXPECT_THAT(ShapeOf(builder.resample2d(input)), ElementsAre(1, 1, 2, 4)) << "neither";
  MLResample2dOptions options;
  options.scales = {1.6, 0.75};
  EXPECT_THAT(ShapeOf(builder.resample2d(input, options)), ElementsAre(1, 1, 3, 3)) << "3.2 is rounded down";
  options.sizes = {9, 8};
  EXPECT_THAT(ShapeOf(builder.resample2d(input, options)), ElementsAre(1, 1, 9, 8));
}

TEST_F(ResampleTest, GoesBetweenAlsoWhenItShrinks) {
  MLResample2dOptions options;
  options.mode = MLInterpolationMode::kLinear;
  options.sizes = {1, 2};
  // Middles of the halves: at 0.5 and 2.5.
  EXPECT_THAT(Floats(builder.resample2d(Counting({1, 1, 1, 4}), options)), ElementsAre(0.5, 2.5));
}

TEST_F(ResampleTest, RefusesSizesThatAreNone) {
  const MLOperand input = Input({1, 1, 2, 4});
  MLResample2dOptions options;
  const auto rule_of_scales = [&](std::vector<double> scales) {
    options.scales = std::move(scales);
    return BrokenRule(builder.resample2d(input, options));
  };
  EXPECT_EQ(rule_of_scales({1, 0.2}), "invalid output dimension") << "0.8 is rounded down to 0";
  EXPECT_EQ(rule_of_scales({1, 1e12}), "invalid output dimension");
  EXPECT_EQ(rule_of_scales({1, 1e38}), "invalid output dimension");
  EXPECT_EQ(rule_of_scales({1, 0}), "scales: not positive");
  EXPECT_EQ(rule_of_scales({-2, 1}), "scales: not positive");
  EXPECT_EQ(rule_of_scales({2}), "scales: size 2");
  options = {};
  options.sizes = {1, 0};
  EXPECT_EQ(BrokenRule(builder.resample2d(input, options)), "sizes: zero");
}

using LaterResampleTest = LaterOperatorTest;

TEST_F(LaterResampleTest, TakesAnyTwoAxes) {
  MLResample2dOptions options;
  options.axes = {3, 0};
  options.sizes = {8, 2};
  EXPECT_THAT(ShapeOf(builder.resample2d(Input({1, 3, 2, 4}), options)), ElementsAre(2, 3, 2, 8));
}

}  // namespace
}  // namespace webnn
}  // namespace xla
