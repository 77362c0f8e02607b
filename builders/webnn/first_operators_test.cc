// Values and rules of elementwise operators, activations, reductions and data movement where they are easily got wrong.
#include <cmath>
#include <limits>

#include "builders/webnn/graph_builder.h"
#include "builders/webnn/test_support.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace webnn {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

class OperatorsTest : public testing::Test {
 protected:
  // The operand x = `values`.
  MLOperand X(const std::vector<float>& values) {
    values_ = values;
    return OrDie(builder_.input("x", Float32({static_cast<uint32_t>(values.size())})));
  }
  std::vector<float> Values(absl::StatusOr<MLOperand> result) {
    return RunGraph(builder_, OrDie(std::move(result)), values_);
  }
  MLGraphBuilder builder_{NewContext()};
  std::vector<float> values_;
};

TEST_F(OperatorsTest, GeluIsAccurateWhereTheErrorFunctionCancels) {
  const std::vector<float> xs = {-12.5f, -8, -7.6386857f, -4, -3.3f, -1, -1e-4f, 0, 1e-10f, 0.5f, 4, 100};
  const std::vector<float> results = Values(builder_.gelu(X(xs)));
  for (size_t i = 0; i < xs.size(); ++i) {
    const double in_double = 0.5 * xs[i] * (1 + std::erf(xs[i] / std::sqrt(2.0)));
    EXPECT_NEAR(results[i], in_double, 1e-6 * std::abs(in_double)) << xs[i];
  }
}

TEST_F(OperatorsTest, GeluEndsAtZeroAndInfinity) {
  EXPECT_THAT(Values(builder_.gelu(X({-kInfinity, -1e30f, kInfinity}))), ElementsAre(0, 0, kInfinity));
}

TEST_F(OperatorsTest, SoftplusDoesNotOverflow) {
  EXPECT_THAT(Values(builder_.softplus(X({1000, -1000, kInfinity}))), ElementsAre(1000, 0, kInfinity));
}

TEST_F(OperatorsTest, LeakyReluTakesEverySlope) {
  MLLeakyReluOptions options;
  options.alpha = 2;
  EXPECT_THAT(Values(builder_.leakyRelu(X({-1, 1}), options)), ElementsAre(-2, 1));
}

TEST_F(OperatorsTest, ClampKeepsBigintsAndCutsFractionsOff) {
  MLGraphBuilder builder(NewContext());
  MLClampOptions options;
  options.minValue = (int64_t{1} << 53) + 1;
  const MLOperand zero = OrDie(builder.constant(MLOperandDataType::kInt64, 0));
  const MLOperand clamped = OrDie(builder.clamp(zero, options));
  const MLOperand limit = OrDie(builder.constant(MLOperandDataType::kInt64, *options.minValue));
  const MLOperand is_equal = OrDie(builder.equal(clamped, limit));
  EXPECT_THAT(RunGraph(builder, OrDie(builder.cast(is_equal, MLOperandDataType::kFloat32))), ElementsAre(1));
  options.maxValue = 1.5;
  EXPECT_EQ(ErrorOf(builder.clamp(zero, options)), "TypeError: minValue > maxValue");
}

TEST_F(OperatorsTest, LogSumExpOfInfinitiesIsNotNan) {
  EXPECT_THAT(Values(builder_.reduceLogSumExp(X({-kInfinity, -kInfinity}))), ElementsAre(-kInfinity));
  EXPECT_THAT(Values(builder_.reduceLogSumExp(X({1000, 1000}))), ElementsAre(FloatEq(1000.6931f)));
}

TEST_F(OperatorsTest, AReductionOverNoAxesStillHasItsFormula) {
  MLReduceOptions none;
  none.axes = UnsignedList{};
  EXPECT_THAT(Values(builder_.reduceSumSquare(X({-2, 3}), none)), ElementsAre(4, 9));
  EXPECT_THAT(Values(builder_.reduceL1(X({-2, 3}), none)), ElementsAre(2, 3));
  none.axes = UnsignedList{0, 0};
  EXPECT_EQ(ErrorOf(builder_.reduceL1(X({1}), none)), "TypeError: axes: duplicate");
}

TEST_F(OperatorsTest, ComparisonsWithNanAreFalse) {
  const MLOperand x = X({NAN, 1});
  const MLOperand compared = OrDie(builder_.greaterOrEqual(x, x));
  EXPECT_THAT(Values(builder_.cast(compared, MLOperandDataType::kFloat32)), ElementsAre(0, 1));
}

TEST_F(OperatorsTest, EditionsDifferInTheTypesTheyAdmit) {
  MLGraphBuilder later(NewContext(MLEdition::kLater));
  const MLOperandDescriptor int64(MLOperandDataType::kInt64, {2});
  EXPECT_EQ(ErrorOf(builder_.abs(OrDie(builder_.input("i", int64)))), "TypeError: dtype not allowed");
  EXPECT_TRUE(later.abs(OrDie(later.input("i", int64))).ok());
}

TEST_F(OperatorsTest, ShapesAreChecked) {
  const MLOperand x = OrDie(builder_.input("m", Float32({2, 3})));
  EXPECT_EQ(ErrorOf(builder_.reshape(x, {5})), "TypeError: element count");
  EXPECT_EQ(ErrorOf(builder_.reshape(x, {0, 6})), "TypeError: invalid dimension");
  EXPECT_EQ(ErrorOf(builder_.expand(x, {4, 3})), "TypeError: unidirectional broadcast: size");
  EXPECT_EQ(ErrorOf(builder_.concat({}, 0)), "TypeError: empty inputs");
  EXPECT_EQ(ErrorOf(builder_.concat({x, OrDie(builder_.transpose(x))}, 0)), "TypeError: shape mismatch");
  MLTransposeOptions options;
  options.permutation = UnsignedList{1, 1};
  EXPECT_EQ(ErrorOf(builder_.transpose(x, options)), "TypeError: permutation: duplicate");
  EXPECT_THAT(OrDie(builder_.concat({x, x}, 1)).shape(), ElementsAre(2, 6));
}

}  // namespace
}  // namespace webnn
}  // namespace xla
