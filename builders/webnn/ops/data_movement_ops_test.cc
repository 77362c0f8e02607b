#include "builders/webnn/ops/operator_testing.h"
#include "gmock/gmock.h"

namespace xla {
namespace webnn {
namespace {

using ::testing::ElementsAre;

using DataMovementTest = OperatorTest;

TEST_F(DataMovementTest, ShapesAreChecked) {
  const MLOperand x = Input({2, 3});
  EXPECT_EQ(BrokenRule(builder.reshape(x, {5})), "element count");
  EXPECT_EQ(BrokenRule(builder.reshape(x, {0, 6})), "invalid dimension");
  EXPECT_EQ(BrokenRule(builder.expand(x, {4, 3})), "unidirectional broadcast: size");
  EXPECT_EQ(BrokenRule(builder.concat({}, 0)), "empty inputs");
  EXPECT_EQ(BrokenRule(builder.concat({x, builder.transpose(x).value()}, 0)), "shape mismatch");
  MLTransposeOptions options;
  options.permutation = UnsignedList{1, 1};
  EXPECT_EQ(BrokenRule(builder.transpose(x, options)), "permutation: duplicate");
  EXPECT_THAT(ShapeOf(builder.concat({x, x}, 1)), ElementsAre(2, 6));
}

}  // namespace
}  // namespace webnn
}  // namespace xla
