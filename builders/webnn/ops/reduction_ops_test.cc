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

}  // namespace
}  // namespace webnn
}  // namespace xla
