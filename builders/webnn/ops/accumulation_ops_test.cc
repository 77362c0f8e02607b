#include <cmath>

#include "builders/webnn/ops/operator_testing.h"
#include "gmock/gmock.h"

namespace xla {
namespace webnn {
namespace {

using ::testing::ElementsAre;

using ArgMinMaxTest = OperatorTest;

TEST_F(ArgMinMaxTest, TakesTheFirstOrTheLastOfEqualElements) {
  const MLOperand input = Constant<float>({4}, {1, 3, 3, -INFINITY});
  MLArgMinMaxOptions options;
  EXPECT_THAT(Integers(builder.argMax(input)), ElementsAre(1));
  options.selectLastIndex = true;
  EXPECT_THAT(Integers(builder.argMax(input, options)), ElementsAre(2));
  EXPECT_THAT(Integers(builder.argMax(Constant<float>({2}, {-INFINITY, -INFINITY}))), ElementsAre(0));
  EXPECT_EQ(builder.argMax(input)->dataType(), MLOperandDataType::kInt64);
  options.axes = {1, 0};
  options.keepDimensions = true;
  EXPECT_THAT(Integers(builder.argMin(Constant<float>({2, 2}, {5, 4, 1, 3}), options)), ElementsAre(1));
}

using LaterArgMinMaxTest = LaterOperatorTest;

TEST_F(LaterArgMinMaxTest, TakesAnAxis) {
  const auto places = builder.argMax(Constant<int32_t>({2, 2}, {1, 2, 4, 3}), 1u);
  EXPECT_THAT(Integers(places), ElementsAre(1, 0));
  EXPECT_EQ(places->dataType(), MLOperandDataType::kInt32);
}

using AccumulationTest = LaterOperatorTest;

TEST_F(AccumulationTest, SumsUpFromEitherEnd) {
  MLCumulativeSumOptions options;
  EXPECT_THAT(Floats(builder.cumulativeSum(Constant<float>({3}, {1, 2, 3}), 0, options)), ElementsAre(1, 3, 6));
  options.exclusive = options.reversed = true;
  EXPECT_THAT(Floats(builder.cumulativeSum(Constant<float>({3}, {1, 2, 3}), 0, options)), ElementsAre(5, 3, 0));
}

}  // namespace
}  // namespace webnn
}  // namespace xla
