#include "builders/webnn/ops/operator_testing.h"
#include "gmock/gmock.h"

namespace xla {
namespace webnn {
namespace {

using ::testing::ElementsAre;

using ConvolutionTest = OperatorTest;

TEST_F(ConvolutionTest, AddsProductsAndBiasInEveryLayout) {
  // One row of two channels, a filter of one tap: (1 2)(3 4) . (10 1) + 100.
  const MLOperand bias = Constant<float>({1}, {100});
  MLConv2dOptions channels_first;
  channels_first.bias = bias;
  EXPECT_THAT(Floats(builder.conv2d(Constant<float>({1, 2, 1, 2}, {1, 2, 3, 4}), Constant<float>({1, 2, 1, 1}, {10, 1}),
                                    channels_first)),
              ElementsAre(113, 124));
  MLConv2dOptions channels_last;
  channels_last.bias = bias;
  channels_last.inputLayout = MLInputOperandLayout::kNhwc;
  channels_last.filterLayout = MLConv2dFilterOperandLayout::kHwio;
  EXPECT_THAT(Floats(builder.conv2d(Constant<float>({1, 1, 2, 2}, {1, 3, 2, 4}), Constant<float>({1, 1, 2, 1}, {10, 1}),
                                    channels_last)),
              ElementsAre(113, 124));
}

TEST_F(ConvolutionTest, RoundsSizesDown) {
  MLConv2dOptions options;
  options.strides = {2, 2};
  options.padding = {1, 0, 0, 1};
  EXPECT_THAT(ShapeOf(builder.conv2d(Input({1, 3, 6, 7}), Input({5, 3, 3, 2}), options)), ElementsAre(1, 5, 3, 4));
}

TEST_F(ConvolutionTest, NamesTheRuleThatIsBroken) {
  const MLOperand input = Input({1, 4, 5, 5}), filter = Input({6, 2, 3, 3});
  MLConv2dOptions options;
  EXPECT_EQ(BrokenRule(builder.conv2d(input, filter, options)), "input channels / groups != filter input channels");
  options.groups = 3;
  EXPECT_EQ(BrokenRule(builder.conv2d(input, filter, options)), "input channels not divisible by groups");
  options.groups = 2;
  EXPECT_TRUE(builder.conv2d(input, filter, options).ok());
  options.dilations = {3, 1};
  EXPECT_EQ(BrokenRule(builder.conv2d(input, filter, options)), "invalid output dimension");
  options.dilations = {4294967295u, 4294967295u};
  EXPECT_EQ(BrokenRule(builder.conv2d(input, filter, options)), "invalid output dimension");
  options.strides = {0, 1};
  EXPECT_EQ(BrokenRule(builder.conv2d(input, filter, options)), "strides: zero");
  EXPECT_EQ(BrokenRule(builder.conv2d(Input({4, 5, 5}), filter)), "input rank 4");
}

using TransposedConvolutionTest = OperatorTest;

TEST_F(TransposedConvolutionTest, SpreadsEachElement) {
  MLConvTranspose2dOptions options;
  options.strides = {1, 2};
  options.outputPadding = {0, 1};
  EXPECT_THAT(Floats(builder.convTranspose2d(Constant<float>({1, 1, 1, 2}, {1, 10}),
                                             Constant<float>({1, 1, 1, 3}, {1, 2, 3}), options)),
              ElementsAre(1, 2, 13, 20, 30, 0));
}

TEST_F(TransposedConvolutionTest, KeepsGroupsApart) {
  MLConvTranspose2dOptions options;
  options.groups = 2;
  // Two channels in two groups, each of which makes two.
  EXPECT_THAT(Floats(builder.convTranspose2d(Constant<float>({1, 2, 1, 1}, {1, 10}),
                                             Constant<float>({2, 2, 1, 1}, {1, 2, 3, 4}), options)),
              ElementsAre(1, 2, 30, 40));
}

TEST_F(TransposedConvolutionTest, TakesSizesThatOutputPaddingCouldGive) {
  MLConvTranspose2dOptions options;
  options.strides = {2, 2};
  options.outputSizes = {8, 7};
  EXPECT_THAT(ShapeOf(builder.convTranspose2d(Input({1, 1, 3, 3}), Input({1, 1, 3, 3}), options)),
              ElementsAre(1, 1, 8, 7));
  options.outputSizes = {9, 7};
  EXPECT_EQ(BrokenRule(builder.convTranspose2d(Input({1, 1, 3, 3}), Input({1, 1, 3, 3}), options)),
            "outputSizes outside the range reachable with outputPadding < stride");
}

}  // namespace
}  // namespace webnn
}  // namespace xla
