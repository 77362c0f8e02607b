#include "builders/webnn/ops/operand_checks.h"

#include "builders/webnn/ops/operator_testing.h"
#include "gmock/gmock.h"

namespace xla {
namespace webnn {
namespace {

using ::testing::ElementsAre;

// "RULE: MESSAGE", "OK" if nothing is broken.
std::string ErrorText(const absl::Status& status) {
  if (status.ok()) return "OK";
  EXPECT_EQ(ErrorKindOf(status), MLErrorKind::kTypeError);
  return absl::StrCat(RuleOf(status), ": ", status.message());
}

using OperandChecksTest = OperatorTest;

TEST_F(OperandChecksTest, AShapeIsExact) {
  const MLOperand operand = Input({2, 3});
  EXPECT_EQ(ErrorText(CheckShape("bias", operand, {2, 3})), "OK");
  EXPECT_EQ(ErrorText(CheckShape("bias", operand, {3, 2})),
            "bias: shape: bias must have the shape [3,2], got float32[2,3]");
  EXPECT_NE(ErrorText(CheckShape("bias", operand, {2})), "OK");
  EXPECT_NE(ErrorText(CheckShape("bias", operand, {2, 3, 1})), "OK");
  EXPECT_EQ(ErrorText(CheckShape("bias", Input({}), {})), "OK");
  EXPECT_NE(ErrorText(CheckShape("bias", Input({4294967295u}), {-1})), "OK") << "sizes are compared in 64 bits";
}

TEST_F(OperandChecksTest, AnOptionalOperandIsCheckedIfItIsThere) {
  const MLOperand input = Input({2, 3});
  EXPECT_EQ(ErrorText(CheckOptional("scale", absl::nullopt, input, {9})), "OK");
  EXPECT_EQ(ErrorText(CheckOptional("scale", Input({3}), input, {3})), "OK");
  EXPECT_EQ(RuleOf(CheckOptional("scale", Input({3}), input, {2})), "scale: shape");
  const MLOperand half = Input({3}, MLOperandDataType::kFloat16);
  EXPECT_EQ(RuleOf(CheckOptional("scale", half, input, {2})), "scale: dtype") << "the type is checked first";
}

TEST_F(OperandChecksTest, AListHasItsSizeAndNoZero) {
  EXPECT_EQ(ErrorText(CheckListSize("strides", absl::nullopt, 2)), "OK");
  EXPECT_EQ(ErrorText(CheckListSize("strides", UnsignedList{1, 2}, 2)), "OK");
  EXPECT_EQ(ErrorText(CheckListSize("strides", UnsignedList{1}, 2)),
            "strides: size 2: strides must have 2 items, got 1");
  EXPECT_EQ(ErrorText(CheckNotZero("strides", absl::nullopt)), "OK");
  EXPECT_EQ(ErrorText(CheckNotZero("strides", UnsignedList{})), "OK");
  EXPECT_EQ(ErrorText(CheckNotZero("strides", UnsignedList{1, 0})),
            "strides: zero: items of strides must be greater than 0, got [1,0]");
  EXPECT_EQ(RuleOf(CheckNotZero("sizes", UnsignedList{0}, "sizes are zero")), "sizes are zero");
}

TEST_F(OperandChecksTest, AnOutputDimensionIsWithinTheLimitsOfTheEdition) {
  EXPECT_EQ(*OutputDimension(1, MLEdition::kDraft), 1u);
  EXPECT_EQ(*OutputDimension(4294967295, MLEdition::kDraft), 4294967295u);
  EXPECT_EQ(*OutputDimension(2147483647, MLEdition::kLater), 2147483647u);
  for (const int64_t size : {int64_t{0}, int64_t{-5}, int64_t{4294967296}, int64_t{1} << 60}) {
    EXPECT_EQ(BrokenRule(OutputDimension(size, MLEdition::kDraft)), "invalid output dimension") << size;
  }
  EXPECT_EQ(ErrorText(OutputDimension(2147483648, MLEdition::kLater).status()),
            "invalid output dimension: a dimension of the result must be from 1 to 2147483647, but is 2147483648");
}

TEST_F(OperandChecksTest, ADescriptorIsOfValidDimensions) {
  const auto descriptor = DescriptorOf(MLOperandDataType::kInt8, {3, 4}, MLEdition::kDraft);
  ASSERT_TRUE(descriptor.ok());
  EXPECT_EQ(descriptor->dataType, MLOperandDataType::kInt8);
  EXPECT_THAT(descriptor->dimensions, ElementsAre(3, 4));
  EXPECT_EQ(BrokenRule(DescriptorOf(MLOperandDataType::kInt8, {3, 0}, MLEdition::kDraft)), "invalid output dimension");
}

}  // namespace
}  // namespace webnn
}  // namespace xla
