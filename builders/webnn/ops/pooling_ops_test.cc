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

}  // namespace
}  // namespace webnn
}  // namespace xla
