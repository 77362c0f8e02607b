#include <cmath>

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

}  // namespace
}  // namespace webnn
}  // namespace xla
