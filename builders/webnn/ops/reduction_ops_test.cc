#include <cmath>

#include "builders/webnn/ops/operator_testing.h"
#include "gmock/gmock.h"

namespace xla {
namespace webnn {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;

using ReductionTest = OperatorTest;

TEST_F(ReductionTest, LogSumExpOfInfinitiesIsNotNan) {
  EXPECT_THAT(Floats(builder.reduceLogSumExp(Vector({-INFINITY, -INFINITY}))), ElementsAre(-INFINITY));
  EXPECT_THAT(Floats(builder.reduceLogSumExp(Vector({1000, 1000}))), ElementsAre(FloatEq(1000.6931f)));
}

TEST_F(ReductionTest, AReductionOverNoAxesStillHasItsFormula) {
  MLReduceOptions none;
  none.axes = UnsignedList{};
  EXPECT_THAT(Floats(builder.reduceSumSquare(Vector({-2, 3}), none)), ElementsAre(4, 9));
  EXPECT_THAT(Floats(builder.reduceL1(Vector({-2, 3}), none)), ElementsAre(2, 3));
  none.axes = UnsignedList{0, 0};
  EXPECT_EQ(BrokenRule(builder.reduceL1(Vector({1}), none)), "axes: duplicate");
}

TEST_F(ReductionTest, ReducesOverTheGivenAxes) {
  const MLOperand x = Counting({2, 3});  // 0 1 2, 3 4 5
  MLReduceOptions rows, columns;
  columns.axes = {0};
  rows.axes = {1};
  EXPECT_THAT(Floats(builder.reduceSum(x, rows)), ElementsAre(3, 12));
  EXPECT_THAT(Floats(builder.reduceSum(x, columns)), ElementsAre(3, 5, 7));
  EXPECT_THAT(Floats(builder.reduceSum(x)), ElementsAre(15));
  EXPECT_THAT(Floats(builder.reduceMean(x, rows)), ElementsAre(1, 4));
  EXPECT_THAT(Floats(builder.reduceProduct(x, columns)), ElementsAre(0, 4, 10));
  EXPECT_THAT(Floats(builder.reduceMax(x, rows)), ElementsAre(2, 5));
  EXPECT_THAT(Floats(builder.reduceMin(x, columns)), ElementsAre(0, 1, 2));
}

TEST_F(ReductionTest, HasItsFormula) {
  const MLOperand x = Vector({-3, 4});
  EXPECT_THAT(Floats(builder.reduceL1(x)), ElementsAre(7));
  EXPECT_THAT(Floats(builder.reduceL2(x)), ElementsAre(5));
  EXPECT_THAT(Floats(builder.reduceSumSquare(x)), ElementsAre(25));
  EXPECT_THAT(Floats(builder.reduceLogSum(Vector({3, 5}))), ElementsAre(FloatEq(2.0794415f)));
  EXPECT_THAT(Floats(builder.reduceLogSumExp(Vector({0, 0}))), ElementsAre(FloatEq(0.6931472f)));
  EXPECT_THAT(Floats(builder.reduceL1(Constant<uint32_t>({2}, {1, 2}))), ElementsAre(3)) << "without a sign";
}

TEST_F(ReductionTest, AxesMayComeInAnyOrder) {
  // Each of the two places of axis 1 has four equal numbers.
  const MLOperand x = Constant<float>({2, 2, 2}, {0, 0, 1000, 1000, 0, 0, 1000, 1000});
  MLReduceOptions options;
  options.axes = {2, 0};
  EXPECT_THAT(Floats(builder.reduceSum(x, options)), ElementsAre(0, 4000));
  EXPECT_THAT(Floats(builder.reduceLogSumExp(x, options)), ElementsAre(FloatEq(1.3862944f), FloatEq(1001.3863f)));
}

TEST_F(ReductionTest, SumsOfFloat16RoundOnce) {
  const MLOperand x = builder.cast(Vector({2048, 1, 1}), MLOperandDataType::kFloat16).value();
  EXPECT_THAT(Floats(builder.reduceSum(x)), ElementsAre(2050)) << "in float16, 2048 + 1 is 2048";
}

TEST_F(ReductionTest, ShapesLoseTheAxesOrKeepThemAsOnes) {
  const MLOperand x = Input({2, 3, 4});
  MLReduceOptions options;
  options.axes = {2, 0};
  EXPECT_THAT(ShapeOf(builder.reduceMax(x, options)), ElementsAre(3));
  options.keepDimensions = true;
  EXPECT_THAT(ShapeOf(builder.reduceMax(x, options)), ElementsAre(1, 3, 1));
  options.axes = absl::nullopt;
  EXPECT_THAT(ShapeOf(builder.reduceMax(x, options)), ElementsAre(1, 1, 1));
  EXPECT_THAT(ShapeOf(builder.reduceMax(Input({}))), ElementsAre());
  options.axes = {3};
  EXPECT_EQ(BrokenRule(builder.reduceMax(x, options)), "axes: out of range");
  options.axes = {0};
  EXPECT_EQ(BrokenRule(builder.reduceMax(Input({}), options)), "axes: out of range");
}

}  // namespace
}  // namespace webnn
}  // namespace xla
