#include "builders/webnn/ops/operator_testing.h"
#include "gmock/gmock.h"

namespace xla {
namespace webnn {
namespace {

using ::testing::ElementsAre;

using UnaryTest = OperatorTest;

TEST_F(UnaryTest, ClampKeepsBigintsAndCutsFractionsOff) {
  MLClampOptions options;
  options.minValue = (int64_t{1} << 53) + 1;
  const MLOperand zero = builder.constant(MLOperandDataType::kInt64, 0).value();
  const MLOperand clamped = builder.clamp(zero, options).value();
  const MLOperand limit = builder.constant(MLOperandDataType::kInt64, *options.minValue).value();
  EXPECT_THAT(Floats(builder.equal(clamped, limit)), ElementsAre(1));
  options.maxValue = 1.5;
  EXPECT_EQ(BrokenRule(builder.clamp(zero, options)), "minValue > maxValue");
}

TEST_F(UnaryTest, EditionsDifferInTheTypesTheyAdmit) {
  MLGraphBuilder later(MLContext::WithoutDevice(MLEdition::kLater));
  const MLOperandDescriptor int64(MLOperandDataType::kInt64, {2});
  EXPECT_EQ(BrokenRule(builder.abs(builder.input("i", int64).value())), "dtype not allowed");
  EXPECT_TRUE(later.abs(later.input("i", int64).value()).ok());
}

}  // namespace
}  // namespace webnn
}  // namespace xla
