#include <vector>

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

TEST_F(ConvolutionTest, ReadsFiltersInEveryLayout) {
  // Two outputs of two channels in a row of two: 1 10, 100 1000 by (1 2)(3 4) and (5 6)(7 8).
  const MLOperand input = Constant<float>({1, 2, 1, 2}, {1, 10, 100, 1000});
  const auto convolved = [&](MLConv2dFilterOperandLayout layout, const std::vector<int64_t>& shape,
                             const std::vector<float>& filter) {
    MLConv2dOptions options;
    options.filterLayout = layout;
    return Floats(builder.conv2d(input, Constant<float>(shape, filter), options));
  };
  using Layout = MLConv2dFilterOperandLayout;
  EXPECT_THAT(convolved(Layout::kOihw, {2, 2, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), ElementsAre(4321, 8765));
  EXPECT_THAT(convolved(Layout::kHwio, {1, 2, 2, 2}, {1, 5, 3, 7, 2, 6, 4, 8}), ElementsAre(4321, 8765));
  EXPECT_THAT(convolved(Layout::kOhwi, {2, 1, 2, 2}, {1, 3, 2, 4, 5, 7, 6, 8}), ElementsAre(4321, 8765));
  EXPECT_THAT(convolved(Layout::kIhwo, {2, 1, 2, 2}, {1, 5, 2, 6, 3, 7, 4, 8}), ElementsAre(4321, 8765));
}

TEST_F(ConvolutionTest, SizesFollowFromPaddingStridesAndDilations) {
  MLConv2dOptions options;
  options.padding = {1, 0, 2, 2};
  options.strides = {2, 3};
  options.dilations = {2, 1};
  // (10 + 1 - 5) / 2 + 1 and (10 + 4 - 3) / 3 + 1
  EXPECT_THAT(ShapeOf(builder.conv2d(Input({1, 1, 10, 10}), Input({1, 1, 3, 3}), options)), ElementsAre(1, 1, 4, 4));
}

TEST_F(ConvolutionTest, RefusesOptionsThatDoNotFit) {
  const MLOperand input = Input({1, 4, 5, 5}), filter = Input({6, 4, 3, 3});
  MLConv2dOptions options;
  options.groups = 0;
  EXPECT_EQ(BrokenRule(builder.conv2d(input, filter, options)), "groups: zero");
  options = {};
  options.padding = {1, 1, 1};
  EXPECT_EQ(BrokenRule(builder.conv2d(input, filter, options)), "padding: size 4");
  options = {};
  options.bias = Input({5});
  EXPECT_EQ(BrokenRule(builder.conv2d(input, filter, options)), "bias: shape");
  options.bias = Input({6}, MLOperandDataType::kFloat16);
  EXPECT_EQ(BrokenRule(builder.conv2d(input, filter, options)), "bias: dtype");
  EXPECT_EQ(BrokenRule(builder.conv2d(input, Input({6, 4, 3, 3}, MLOperandDataType::kFloat16))), "filter dtype");
  EXPECT_EQ(builder.conv2d(input, Input({6, 2, 3, 3})).status().message(),
            "conv2d(float32[1,4,5,5], float32[6,2,3,3]): the filter must have input channels / groups = 4 input "
            "channels in layout oihw, got float32[6,2,3,3]");
}

TEST_F(ConvolutionTest, EditionsDifferInOutputChannelsOfGroups) {
  MLConv2dOptions options;
  options.groups = 2;
  EXPECT_TRUE(builder.conv2d(Input({1, 4, 5, 5}), Input({5, 2, 3, 3}), options).ok());
  MLGraphBuilder later(MLContext::WithoutDevice(MLEdition::kLater));
  const MLOperand input = later.input("x", {MLOperandDataType::kFloat32, {1, 4, 5, 5}}).value();
  const MLOperand filter = later.input("f", {MLOperandDataType::kFloat32, {5, 2, 3, 3}}).value();
  EXPECT_EQ(BrokenRule(later.conv2d(input, filter, options)), "output channels not divisible by groups");
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

TEST_F(TransposedConvolutionTest, RefusesOptionsThatDoNotFit) {
  const MLOperand input = Input({1, 2, 3, 3}), filter = Input({2, 1, 3, 3});
  MLConvTranspose2dOptions options;
  options.strides = {2, 2};
  options.outputPadding = {2, 0};
  EXPECT_EQ(BrokenRule(builder.convTranspose2d(input, filter, options)), "outputPadding >= strides");
  options.outputSizes = {8, 7};
  EXPECT_TRUE(builder.convTranspose2d(input, filter, options).ok()) << "outputSizes come before outputPadding";
  options.outputSizes = {6, 7};
  EXPECT_EQ(builder.convTranspose2d(input, filter, options).status().message(),
            "convTranspose2d(float32[1,2,3,3], float32[2,1,3,3]): item 0 of outputSizes must be from 7 to 8, got 6");
  EXPECT_EQ(BrokenRule(builder.convTranspose2d(input, Input({3, 1, 3, 3}))), "input channels != filter input channels");
  options = {};
  options.bias = Input({2});
  EXPECT_EQ(BrokenRule(builder.convTranspose2d(input, filter, options)), "bias: shape");
  options = {};
  options.strides = {1, 4294967295u};
  EXPECT_EQ(BrokenRule(builder.convTranspose2d(Input({1, 2, 1, 4294967295u}), filter, options)),
            "invalid output dimension");
}

}  // namespace
}  // namespace webnn
}  // namespace xla
