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
