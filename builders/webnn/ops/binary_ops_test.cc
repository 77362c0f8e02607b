#include <cmath>

#include "builders/webnn/ops/operator_testing.h"
#include "gmock/gmock.h"

namespace xla {
namespace webnn {
namespace {

using ::testing::ElementsAre;

using BinaryTest = OperatorTest;

TEST_F(BinaryTest, ComparisonsWithNanAreFalse) {
  const MLOperand x = Vector({NAN, 1});
  EXPECT_THAT(Floats(builder.greaterOrEqual(x, x)), ElementsAre(0, 1));
}

TEST_F(BinaryTest, BroadcastsInBothDirections) {
  EXPECT_THAT(Floats(builder.sub(Constant<float>({2, 1}, {10, 20}), Vector({1, 2, 3}))),
              ElementsAre(9, 8, 7, 19, 18, 17));
  EXPECT_THAT(ShapeOf(builder.add(Input({4, 1, 3}), Input({2, 1}))), ElementsAre(4, 2, 3));
  EXPECT_EQ(BrokenRule(builder.add(Input({4, 2}), Input({3}))), "bidirectional broadcast");
  EXPECT_EQ(BrokenRule(builder.add(Input({2}), Input({2}, MLOperandDataType::kInt32))), "dtype mismatch");
}

}  // namespace
}  // namespace webnn
}  // namespace xla
