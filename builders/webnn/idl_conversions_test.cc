#include "builders/webnn/idl_conversions.h"

#include <limits>

#include "builders/webnn/test_support.h"
#include "gtest/gtest.h"

namespace xla {
namespace webnn {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(IdlConversionsTest, EnforceRangeCutsFractionsOffAndRefusesTheRest) {
  EXPECT_EQ(*ToEnforcedUnsignedLong(2.9, "axis"), 2u);
  EXPECT_EQ(*ToEnforcedUnsignedLong(-0.5, "axis"), 0u);
  EXPECT_EQ(*ToEnforcedUnsignedLong("7", "axis"), 7u);
  EXPECT_EQ(*ToEnforcedUnsignedLong(true, "axis"), 1u);
  EXPECT_EQ(*ToEnforcedUnsignedLong(4294967295.0, "axis"), 4294967295u);
  for (const MLValue& value : {MLValue(4294967296.0), MLValue(-1), MLValue(kNan), MLValue(kInf), MLValue(),
                               MLValue("one"), MLValue(int64_t{1} << 60)}) {
    EXPECT_EQ(ErrorOf(ToEnforcedUnsignedLong(value, "axis")), "TypeError: EnforceRange axis");
  }
  EXPECT_EQ(*ToEnforcedLong(-2147483648.0, "diagonal"), std::numeric_limits<int32_t>::min());
  EXPECT_FALSE(ToEnforcedLong(2147483648.0, "diagonal").ok());
}

TEST(IdlConversionsTest, AnUnsignedLongWithoutEnforceRangeWraps) {
  EXPECT_EQ(*ToWrappedUnsignedLong(-1, "axis"), 4294967295u);
  EXPECT_EQ(*ToWrappedUnsignedLong(4294967298.5, "axis"), 2u);
  EXPECT_EQ(*ToWrappedUnsignedLong(kNan, "axis"), 0u);
}

TEST(IdlConversionsTest, FloatsOfTheDraftAreFiniteBinary32) {
  EXPECT_EQ(*ToFloat(0.1, "alpha", MLEdition::kDraft), static_cast<double>(0.1f));
  EXPECT_EQ(*ToFloat(0.1, "alpha", MLEdition::kLater), 0.1);
  EXPECT_EQ(ErrorOf(ToFloat(1e39, "alpha", MLEdition::kDraft)), "TypeError: IDL float must be finite");
  EXPECT_EQ(ErrorOf(ToFloat("Infinity", "alpha", MLEdition::kLater)), "TypeError: IDL float must be finite");
}

TEST(IdlConversionsTest, NumbersKeepBigintsAndLaterInfinities) {
  const int64_t big = (int64_t{1} << 53) + 1;
  EXPECT_EQ(*ToMLNumber(big, "minValue", MLEdition::kDraft), MLNumber(big));
  EXPECT_EQ(*ToMLNumber(int64_t{3}, "minValue", MLEdition::kDraft), MLNumber(3.0));
  EXPECT_EQ(*ToMLNumber("-Infinity", "minValue", MLEdition::kLater), MLNumber(-kInf));
  EXPECT_EQ(ErrorOf(ToMLNumber("-Infinity", "minValue", MLEdition::kDraft)), "TypeError: IDL float must be finite");
}

TEST(IdlConversionsTest, EnumerationsNameTheNearestString) {
  EXPECT_EQ(*ToEnum<MLInputOperandLayout>("nhwc", "layout"), MLInputOperandLayout::kNhwc);
  const absl::Status error = ToEnum<MLInputOperandLayout>("nhcw", "layout").status();
  EXPECT_EQ(ErrorOf(error), "TypeError: enum layout");
  EXPECT_EQ(error.message(), "layout must be one of 'nchw', 'nhwc', got 'nhcw'; did you mean 'nchw'?");
}

TEST(NumberTest, IntegersSaturateAndFractionsAreCutOff) {
  EXPECT_EQ(MLNumber(-1.9).ToLiteral(MLOperandDataType::kInt8).data<int8_t>()[0], -1);
  EXPECT_EQ(MLNumber(300).ToLiteral(MLOperandDataType::kInt8).data<int8_t>()[0], 127);
  EXPECT_EQ(MLNumber(-5).ToLiteral(MLOperandDataType::kUint64).data<uint64_t>()[0], 0u);
  EXPECT_EQ(MLNumber(1e30).ToLiteral(MLOperandDataType::kInt64).data<int64_t>()[0],
            std::numeric_limits<int64_t>::max());
  EXPECT_EQ(MLNumber(kNan).ToLiteral(MLOperandDataType::kInt32).data<int32_t>()[0], 0);
}

}  // namespace
}  // namespace webnn
}  // namespace xla
