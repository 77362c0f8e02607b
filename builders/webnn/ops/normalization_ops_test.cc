#include <cmath>
#include <vector>

#include "builders/webnn/ops/operator_testing.h"
#include "gmock/gmock.h"

namespace xla {
namespace webnn {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

using NormalizationTest = OperatorTest;

TEST_F(NormalizationTest, NormalizesAlongAnyAxes) {
  MLLayerNormalizationOptions options;
  options.epsilon = 0;
  options.axes = {2, 0};
  options.scale = Constant<float>({2, 2}, {1, 2, 3, 4});  // by axis 2, then axis 0
  // One mean for each index of axis 1; elements 1 3 5 7 around 4, with a deviation of sqrt(5).
  const float unit = 1 / std::sqrt(5.0f);
  EXPECT_THAT(Floats(builder.layerNormalization(Constant<float>({2, 1, 2}, {1, 3, 5, 7}), options)),
              Pointwise(FloatNear(1e-5f), {-3 * unit, -1 * 3 * unit, 1 * 2 * unit, 3 * 4 * unit}));
}

TEST_F(NormalizationTest, LeavesTheBiasWithoutAxes) {
  MLLayerNormalizationOptions options;
  options.axes = UnsignedList();
  options.bias = Constant<float>({}, {7});
  EXPECT_THAT(Floats(builder.layerNormalization(Constant<float>({2}, {1, 2}), options)), ElementsAre(7, 7));
  options.axes = {1};
  EXPECT_EQ(BrokenRule(builder.layerNormalization(Input({2, 3}), options)), "bias: rank");
}

TEST_F(NormalizationTest, SubtractsTheGreatestBeforeSoftmax) {
  EXPECT_THAT(Floats(builder.softmax(Constant<float>({2, 2}, {1000, 1000, 0, -INFINITY}), 1)),
              ElementsAre(0.5, 0.5, 1, 0));
}

TEST_F(NormalizationTest, UsesGivenMeanAndVariance) {
  MLBatchNormalizationOptions options;
  options.axis = 0;
  options.epsilon = 0;
  options.bias = Constant<float>({2}, {10, 20});
  EXPECT_THAT(Floats(builder.batchNormalization(Constant<float>({2}, {3, 5}), Constant<float>({2}, {1, 1}),
                                                Constant<float>({2}, {4, 16}), options)),
              ElementsAre(11, 21));
}

TEST_F(NormalizationTest, NormalizesEachChannelOfAnImage) {
  MLInstanceNormalizationOptions options;
  options.epsilon = 0;
  options.scale = Constant<float>({2}, {1, 2});
  options.bias = Constant<float>({2}, {0, 5});
  const auto near = [](std::vector<float> values) { return Pointwise(FloatNear(1e-5f), values); };
  EXPECT_THAT(Floats(builder.instanceNormalization(Constant<float>({1, 2, 1, 2}, {1, 3, 10, 30}), options)),
              near({-1, 1, 3, 7}));
  options.layout = MLInputOperandLayout::kNhwc;
  EXPECT_THAT(Floats(builder.instanceNormalization(Constant<float>({1, 1, 2, 2}, {1, 10, 3, 30}), options)),
              near({-1, 3, 1, 7}));
  EXPECT_EQ(BrokenRule(builder.instanceNormalization(Input({1, 2, 3}))), "input rank 4");
  EXPECT_EQ(BrokenRule(builder.instanceNormalization(Input({1, 2, 1, 3}), options)), "scale: shape");
}

TEST_F(NormalizationTest, RefusesStatisticsThatDoNotFit) {
  const MLOperand input = Input({2, 3}), three = Input({3});
  EXPECT_TRUE(builder.batchNormalization(input, three, three).ok());
  EXPECT_EQ(BrokenRule(builder.batchNormalization(input, Input({2}), three)), "mean: shape");
  EXPECT_EQ(BrokenRule(builder.batchNormalization(input, three, Input({3, 1}))), "variance: shape");
  MLBatchNormalizationOptions options;
  options.scale = Input({3}, MLOperandDataType::kFloat16);
  EXPECT_EQ(BrokenRule(builder.batchNormalization(input, three, three, options)), "scale: dtype");
  options = {};
  options.axis = 2;
  EXPECT_EQ(BrokenRule(builder.batchNormalization(input, three, three, options)), "axis: out of range");
  EXPECT_EQ(BrokenRule(builder.softmax(input, 2)), "axis: out of range");
}

TEST_F(NormalizationTest, ScalesFollowTheOrderOfTheAxes) {
  const MLOperand input = Input({2, 1, 3});
  MLLayerNormalizationOptions options;
  options.scale = Input({1, 3});
  EXPECT_TRUE(builder.layerNormalization(input, options).ok()) << "all axes but the first";
  options.axes = {2, 0};
  options.scale = Input({3, 2});
  EXPECT_TRUE(builder.layerNormalization(input, options).ok());
  options.scale = Input({2, 3});
  EXPECT_EQ(BrokenRule(builder.layerNormalization(input, options)), "scale: shape");
  options.axes = {2, 2};
  EXPECT_EQ(BrokenRule(builder.layerNormalization(input, options)), "axes: duplicate");
}

}  // namespace
}  // namespace webnn
}  // namespace xla
