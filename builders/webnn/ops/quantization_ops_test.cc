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

TEST_F(QuantizationTest, DividesDimensionsIntoBlocks) {
  EXPECT_THAT(Floats(builder.dequantizeLinear(Constant<int8_t>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}),
                                              Constant<float>({1, 2}, {10, 1}), Constant<int8_t>({1, 2}, {1, 0}))),
              ElementsAre(0, 10, 3, 4, 40, 50, 7, 8));
}

TEST_F(QuantizationTest, ResultsAreOfTheTypeOfTheOtherOperand) {
  const MLOperand floats = Input({4}), scale = Input({1}), zero = Input({1}, MLOperandDataType::kUint4);
  const auto quantized = builder.quantizeLinear(floats, scale, zero);
  ASSERT_TRUE(quantized.ok()) << quantized.status();
  EXPECT_EQ(quantized->dataType(), MLOperandDataType::kUint4);
  const auto back = builder.dequantizeLinear(*quantized, Input({1}, MLOperandDataType::kFloat16), zero);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->dataType(), MLOperandDataType::kFloat16);
  EXPECT_THAT(back->shape(), ElementsAre(4));
}

TEST_F(QuantizationTest, RefusesScalesAndZeroPointsThatDoNotFit) {
  const MLOperand input = Input({4, 6}), scale = Input({2, 3});
  const auto rule = [&](const MLOperand& scales, const MLOperand& zeros) {
    return BrokenRule(builder.quantizeLinear(input, scales, zeros));
  };
  const MLOperand zero = Input({2, 3}, MLOperandDataType::kInt8);
  EXPECT_EQ(rule(scale, zero), "");
  EXPECT_EQ(rule(Input({3}), zero), "scale: rank");
  EXPECT_EQ(rule(scale, Input({2, 2}, MLOperandDataType::kInt8)), "zeroPoint: shape");
  EXPECT_EQ(rule(Input({3, 3}), Input({3, 3}, MLOperandDataType::kInt8)), "scale: shape");
  EXPECT_EQ(rule(Input({8, 6}), Input({8, 6}, MLOperandDataType::kInt8)), "scale: shape");
  EXPECT_EQ(rule(Input({2, 3}, MLOperandDataType::kFloat16), zero), "scale: dtype");
  EXPECT_EQ(rule(scale, Input({2, 3})), "zeroPoint: dtype");
  EXPECT_EQ(BrokenRule(builder.dequantizeLinear(Input({4, 6}, MLOperandDataType::kUint8), scale, zero)),
            "zeroPoint: dtype")
      << "of the type of the input";
}

}  // namespace
}  // namespace webnn
}  // namespace xla
