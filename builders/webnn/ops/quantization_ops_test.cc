#include <limits>

#include "builders/webnn/ops/operator_testing.h"
#include "gmock/gmock.h"

namespace xla {
namespace webnn {
namespace {

using ::testing::ElementsAre;

using QuantizationTest = LaterOperatorTest;

TEST_F(QuantizationTest, RoundsAndLimits) {
  EXPECT_THAT(Integers(builder.quantizeLinear(Constant<float>({4}, {2.5, 3.5, 1000, -1000}),
                                              Constant<float>({2}, {1, 2}), Constant<int8_t>({2}, {1, 0}))),
              ElementsAre(3, 5, 127, -128));
  EXPECT_THAT(Integers(builder.quantizeLinear(Constant<float>({1}, {1e30f}), Constant<float>({1}, {1}),
                                              Constant<int32_t>({1}, {-5}))),
              ElementsAre(static_cast<int64_t>(static_cast<float>(std::numeric_limits<int32_t>::max()))));
}

TEST_F(QuantizationTest, SubtractsExactly) {
  EXPECT_THAT(Floats(builder.dequantizeLinear(Constant<int32_t>({2}, {std::numeric_limits<int32_t>::min(), 16777217}),
                                              Constant<float>({1}, {2}), Constant<int32_t>({1}, {16777216}))),
              ElementsAre(2 * (-2147483648.0f - 16777216.0f), 2));
  EXPECT_EQ(BrokenRule(builder.dequantizeLinear(Input({4}, MLOperandDataType::kInt8), Input({3}),
                                                Input({3}, MLOperandDataType::kInt8))),
            "scale: shape");
}

}  // namespace
}  // namespace webnn
}  // namespace xla
