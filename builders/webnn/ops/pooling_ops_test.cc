#include <cmath>

#include "builders/webnn/ops/operator_testing.h"
#include "gmock/gmock.h"

namespace xla {
namespace webnn {
namespace {

using ::testing::ElementsAre;

using PoolingTest = OperatorTest;

TEST_F(PoolingTest, DoesNotCountPadding) {
  const MLOperand input = Constant<float>({1, 1, 1, 3}, {-3, -4, -8});
  MLPool2dOptions options;
  options.windowDimensions = {1, 2};
  options.padding = {0, 0, 1, 0};
  options.strides = {1, 2};
  EXPECT_THAT(Floats(builder.averagePool2d(input, options)), ElementsAre(-3, -6));
  EXPECT_THAT(Floats(builder.maxPool2d(input, options)), ElementsAre(-3, -4));
  options.windowDimensions = {1, 3};
  options.padding = absl::nullopt;
  options.roundingType = MLRoundingType::kCeil;
  options.strides = {1, 3};
  EXPECT_THAT(Floats(builder.averagePool2d(input, options)), ElementsAre(-5));
}

TEST_F(PoolingTest, ReachesBeyondTheInputWhenRoundingUp) {
  const MLOperand input = Constant<float>({1, 1, 1, 5}, {3, 4, 1, 1, 7});
  MLPool2dOptions options;
  options.windowDimensions = {1, 2};
  options.strides = {1, 2};
  options.roundingType = MLRoundingType::kCeil;
  EXPECT_THAT(Floats(builder.l2Pool2d(input, options)), ElementsAre(5, std::sqrt(2.0f), 7));
  EXPECT_THAT(Floats(builder.averagePool2d(input, options)), ElementsAre(3.5, 1, 7));
  options.roundingType = MLRoundingType::kFloor;
  EXPECT_THAT(ShapeOf(builder.l2Pool2d(input, options)), ElementsAre(1, 1, 1, 2));
}

TEST_F(PoolingTest, TakesEitherRoundingAsSizes) {
  MLPool2dOptions options;
  options.windowDimensions = {2, 2};
  options.strides = {2, 2};
  options.outputSizes = {3, 3};
  EXPECT_THAT(ShapeOf(builder.maxPool2d(Input({1, 1, 5, 5}), options)), ElementsAre(1, 1, 3, 3));
  options.outputSizes = {2, 3};
  EXPECT_EQ(BrokenRule(builder.maxPool2d(Input({1, 1, 5, 5}), options)),
            "outputSizes is neither the floor pair nor the ceil pair");
  options.windowDimensions = {0, 2};
  EXPECT_EQ(BrokenRule(builder.maxPool2d(Input({1, 1, 5, 5}), options)), "windowDimensions zero");
}

TEST_F(PoolingTest, TakesTheWholeImageUnlessThereIsAWindow) {
  EXPECT_THAT(Floats(builder.averagePool2d(Counting({1, 2, 2, 3}))), ElementsAre(2.5, 8.5));
  EXPECT_THAT(ShapeOf(builder.maxPool2d(Input({2, 3, 7, 9}))), ElementsAre(2, 3, 1, 1));
}

TEST_F(PoolingTest, SizesFollowFromLayoutDilationsAndRounding) {
  const MLOperand input = Input({2, 7, 10, 3});
  MLPool2dOptions options;
  options.layout = MLInputOperandLayout::kNhwc;
  options.windowDimensions = {3, 3};
  options.strides = {2, 2};
  EXPECT_THAT(ShapeOf(builder.maxPool2d(input, options)), ElementsAre(2, 3, 4, 3));
  options.roundingType = MLRoundingType::kCeil;
  EXPECT_THAT(ShapeOf(builder.maxPool2d(input, options)), ElementsAre(2, 3, 5, 3));
  options.dilations = {2, 4};
  EXPECT_THAT(ShapeOf(builder.maxPool2d(input, options)), ElementsAre(2, 2, 2, 3)) << "windows reach 5 and 9 elements";
  options.padding = {0, 2, 0, 1};
  EXPECT_THAT(ShapeOf(builder.maxPool2d(input, options)), ElementsAre(2, 3, 2, 3));
}

TEST_F(PoolingTest, RefusesOptionsThatDoNotFit) {
  const MLOperand input = Input({1, 1, 5, 5});
  MLPool2dOptions options;
  options.windowDimensions = {6, 2};
  EXPECT_EQ(BrokenRule(builder.maxPool2d(input, options)), "invalid output dimension");
  options.windowDimensions = {2, 2, 2};
  EXPECT_EQ(BrokenRule(builder.maxPool2d(input, options)), "windowDimensions: size 2");
  options.windowDimensions = {2, 2};
  options.strides = {0, 1};
  EXPECT_EQ(BrokenRule(builder.maxPool2d(input, options)), "strides: zero");
  options.strides = {2, 2};
  options.outputSizes = {2, 3};
  EXPECT_EQ(builder.maxPool2d(input, options).status().message(),
            "maxPool2d(float32[1,1,5,5]): outputSizes must be [2,2] or [3,3], got [2,3]");
  EXPECT_EQ(BrokenRule(builder.maxPool2d(Input({1, 5, 5}))), "input rank 4");
}

}  // namespace
}  // namespace webnn
}  // namespace xla
