// Sliding windows, pooling and resampling: values worked out by hand for what is easily got wrong, and errors.
#include <string>
#include <vector>

#include "builders/nnef1/operations/operation_test_support.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef1 {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::HasSubstr;
using testing::Pointwise;
using Numbers = std::vector<double>;

// Of x, and of x and y, in one line.
Numbers OfX(const std::string& shape, const std::string& z, const Numbers& x) {
  return ZOf("x", "x = external(shape = " + shape + "); z = " + z + ";", {x});
}
Numbers OfXY(const std::string& x_shape, const std::string& y_shape, const std::string& z, const Numbers& x,
             const Numbers& y) {
  return ZOf("x, y", "x = external(shape = " + x_shape + "); y = external(shape = " + y_shape + "); z = " + z + ";",
             {x, y});
}
std::string ErrorOfX(const std::string& shape, const std::string& z) {
  return ErrorOf("x", "x = external(shape = " + shape + "); z = " + z + ";");
}
std::string ErrorOfXY(const std::string& x_shape, const std::string& y_shape, const std::string& z) {
  return ErrorOf("x, y",
                 "x = external(shape = " + x_shape + "); y = external(shape = " + y_shape + "); z = " + z + ";");
}

// ---- conv

TEST(Conv, AutomaticPaddingPutsTheOddItemAfter) {
  EXPECT_THAT(OfXY("[1,1,4]", "[1,1,3]", "conv(x, y, stride = [2])", {1, 2, 3, 4}, {1, 10, 100}), ElementsAre(321, 43));
}

TEST(Conv, NegativePaddingCrops) {
  EXPECT_THAT(OfXY("[1,1,4]", "[1,1,2]", "conv(x, y, padding = [(-1,0)])", {1, 2, 3, 4}, {1, 10}), ElementsAre(32, 43));
}

TEST(Conv, BordersAreThoseOfTheInput) {
  const auto conv = [](const std::string& border) {
    return OfXY("[1,1,3]", "[1,1,3]", "conv(x, y, border = '" + border + "')", {1, 2, 3}, {1, 10, 100});
  };
  EXPECT_THAT(conv("constant"), ElementsAre(210, 321, 32));
  EXPECT_THAT(conv("replicate"), ElementsAre(211, 321, 332));
  EXPECT_THAT(conv("reflect"), ElementsAre(212, 321, 232));
  EXPECT_THAT(conv("reflect-even"), ElementsAre(211, 321, 332));
}

TEST(Conv, GroupsTakeTheirChannels) {
  EXPECT_THAT(OfXY("[1,2,1]", "[2,1,1]", "conv(x, y, constant(shape = [1,2], value = [100.0, 200.0]), groups = 2)",
                   {5, 7}, {2, 3}),
              ElementsAre(110, 221));
  EXPECT_THAT(OfXY("[1,2,1]", "[4,1,1]", "conv(x, y, 1.0, groups = 0)", {5, 7}, {1, 2, 3, 4}),
              ElementsAre(6, 11, 22, 29));
}

TEST(Conv, ErrorsSayWhatDoesNotFit) {
  const auto error = [](const std::string& arguments, const std::string& filter = "[2,2,3]") {
    return ErrorOfXY("[1,4,5]", filter, "conv(x, y" + arguments + ")");
  };
  EXPECT_EQ(error(", groups = 2"), "");
  EXPECT_THAT(error("", "[2,4,3,3]"), HasSubstr("E3: conv: filter: expected rank 3 as the input [1,4,5] has"));
  EXPECT_THAT(error(""),
              HasSubstr("filter: expected extent 1 times 1 groups to be the 4 channels of the input, got "
                        "2 of [2,2,3]"));
  EXPECT_THAT(error(", groups = 4"), HasSubstr("groups: expected a divisor of the 2 filters"));
  EXPECT_THAT(error(", groups = -1"), HasSubstr("got -1"));
  EXPECT_THAT(error(", groups = 2, border = 'ignore'"), HasSubstr("'replicate', 'reflect' or 'reflect-even', got "
                                                                  "'ignore'"));
  EXPECT_THAT(error(", groups = 2, border = 'reflekt'"), HasSubstr("did you mean 'reflect'?"));
  EXPECT_THAT(error(", groups = 2, border = 'reflect', padding = [(5,0)]"),
              HasSubstr("at most 4 items beyond dimension 2 of the input, whose extent is 5, got 5"));
  EXPECT_THAT(error(", groups = 2, stride = [1,1]"),
              HasSubstr("stride: expected one item for each spatial dimension, which are 1, got 2"));
  EXPECT_THAT(error(", groups = 2, dilation = [0]"), HasSubstr("dilation: expected items of at least 1"));
  EXPECT_THAT(error(", groups = 2, padding = [(0,0)], dilation = [3]"),
              HasSubstr("padding: expected a padded extent of dimension 2 that covers the window of 7 items, got 5 "
                        "with padding (0,0)"));
  EXPECT_THAT(error(", groups = 2, dilation = [4611686018427387904]"), HasSubstr("of at most 2^48 in dimension 2"));
  EXPECT_THAT(error(", constant(shape = [2], value = [0.5]), groups = 2"),
              HasSubstr("bias: expected shape [1,2] or one item, got [2]"));
}

// ---- deconv

TEST(Deconv, SpreadsByTheStride) {
  const auto deconv = [](const std::string& arguments) {
    return OfXY("[1,1,2]", "[1,1,3]", "deconv(x, y, stride = [2]" + arguments + ")", {1, 2}, {1, 10, 100});
  };
  EXPECT_THAT(deconv(", padding = [(0,0)]"), ElementsAre(1, 10, 102, 20, 200));
  // x * s outputs, of which automatic padding cuts the last.
  EXPECT_THAT(deconv(""), ElementsAre(1, 10, 102, 20));
  EXPECT_THAT(deconv(", padding = [(1,0)]"), ElementsAre(10, 102, 20, 200));
  EXPECT_THAT(deconv(", padding = [(-1,0)]"), ElementsAre(0, 1, 10, 102, 20, 200));
  EXPECT_THAT(deconv(", padding = [(0,0)], output_shape = [1,1,6]"), ElementsAre(1, 10, 102, 20, 200, 0));
}

TEST(Deconv, LeavesTheBiasWhereNothingReaches) {
  EXPECT_THAT(OfXY("[1,1,2]", "[1,1,1]", "deconv(x, y, 0.5, stride = [2])", {1, 2}, {1}),
              ElementsAre(1.5, 0.5, 2.5, 0.5));
}

TEST(Deconv, BordersAreThoseOfTheInput) {
  EXPECT_THAT(OfXY("[1,1,2]", "[1,1,3]", "deconv(x, y, border = 'replicate', padding = [(1,1)])", {1, 2}, {1, 10, 100}),
              ElementsAre(112, 122));
}

TEST(Deconv, GroupsOfFiltersInTheOrderOfTheForwardConvolution) {
  const auto deconv = [](const std::string& filter_shape, const std::string& arguments, const Numbers& filter) {
    return OfXY("[1,2,1]", filter_shape, "deconv(x, y" + arguments + ")", {5, 7}, filter);
  };
  EXPECT_THAT(deconv("[2,2,1]", "", {1, 2, 3, 4}), ElementsAre(26, 38));
  EXPECT_THAT(deconv("[2,2,1]", ", groups = 2", {1, 2, 3, 4}), ElementsAre(5, 10, 21, 28));
  EXPECT_THAT(deconv("[2,1,1]", ", groups = 0", {1, 3}), ElementsAre(5, 21));
  EXPECT_THAT(deconv("[2,1,1]", ", groups = 0, output_shape = [1,1,1]", {1, 3}), ElementsAre(26));
  // Two inputs for each of two groups, one output each.
  EXPECT_THAT(OfXY("[1,4,1]", "[4,1,1]", "deconv(x, y, groups = 2)", {1, 2, 3, 4}, {1, 10, 100, 1000}),
              ElementsAre(21, 4300));
}

TEST(Deconv, OutputShapeMustScaleDownToTheInput) {
  const auto error = [](const std::string& output) {
    return ErrorOfXY("[1,1,2]", "[1,1,3]",
                     "deconv(x, y, stride = [2], padding = [(0,0)], output_shape = " + output + ")");
  };
  EXPECT_EQ(error("[1,1,5]"), "");
  EXPECT_THAT(error("[1,1,7]"),
              HasSubstr("E3: deconv: output_shape: expected an extent that scales down to the 2 of the input "
                        "in dimension 2, got 7, which scales down to 3"));
  EXPECT_THAT(error("[1,2,5]"), HasSubstr("output_shape: expected batch 1 and 1 channels, got [1,2,5]"));
  EXPECT_THAT(error("[5]"), HasSubstr("output_shape: expected one item for each dimension of the input"));
  EXPECT_THAT(ErrorOfXY("[1,1,2]", "[2,1,3]", "deconv(x, y)"),
              HasSubstr("filter: expected extent 0 to be the 1 channels of the input"));
  EXPECT_THAT(ErrorOfXY("[1,1,1]", "[1,1,1]", "deconv(x, y, padding = [(1,0)])"),
              HasSubstr("padding: expected some output left in dimension 2, got (1,0), which leaves 0"));
}

// ---- box, debox

TEST(Box, DividesByTheWindowOrByWhatIsInside) {
  const auto box = [](const std::string& arguments) {
    return OfX("[4]", "box(x, size = [3]" + arguments + ")", {1, 2, 3, 4});
  };
  EXPECT_THAT(box(""), ElementsAre(3, 6, 9, 7));
  EXPECT_THAT(box(", normalize = true"), Pointwise(FloatEq(), std::vector<float>{1, 2, 3, 7 / 3.f}));
  EXPECT_THAT(box(", normalize = true, border = 'ignore'"), ElementsAre(1.5, 2, 3, 3.5));
  EXPECT_THAT(box(", border = 'reflect'"), ElementsAre(5, 6, 9, 10));
  EXPECT_THAT(box(", padding = [(-1,1)]"), ElementsAre(9, 7));
}

TEST(Box, CountsInsideOfSeveralDimensions) {
  // Corners have 4 items, edges 6.
  EXPECT_THAT(OfX("[2,3]", "avg_pool(x, size = [3,3], border = 'ignore')", {4, 4, 4, 4, 4, 16}),
              ElementsAre(4, 6, 7, 4, 6, 7));
}

TEST(Box, ErrorsSayWhatDoesNotFit) {
  EXPECT_THAT(ErrorOfX("[4,4]", "box(x, size = [2])"),
              HasSubstr("size: expected one item for each dimension of the input, which are 2, got 1"));
  EXPECT_THAT(ErrorOfX("[4]", "box(x, size = [0])"),
              HasSubstr("size: expected items of at least 1, got [0]"));
  EXPECT_THAT(ErrorOfX("[4]", "box(x, size = [2], border = 'mirror')"), HasSubstr("'constant', 'ignore', 'replicate'"));
  EXPECT_THAT(ErrorOfX("[1,1]", "box(x, size = [4294967296,4294967296])"),
              HasSubstr("size: expected a window of less than 2^63 items"));
}

TEST(Debox, AddsWhatOverlaps) {
  EXPECT_THAT(OfX("[2]", "debox(x, size = [3], stride = [2], padding = [(0,0)])", {1, 2}), ElementsAre(1, 1, 3, 2, 2));
  EXPECT_THAT(OfX("[2]", "debox(x, size = [3], stride = [2], padding = [(0,0)], normalize = true)", {3, 6}),
              ElementsAre(1, 1, 3, 2, 2));
  EXPECT_THAT(OfX("[2]", "debox(x, size = [2], stride = [2], padding = [(0,0)])", {1, 2}), ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(ErrorOfX("[2]", "debox(x, size = [3], border = 'ignore', normalize = true)"),
              HasSubstr("border: expected another one with normalize = true"));
}

// ---- Places of maxima

TEST(ArgMaxPool, TakesTheFirstOfEqualsInTheWindow) {
  EXPECT_THAT(OfX("[3]", "argmax_pool(x, size = [2], padding = [(0,0)])", {5, 5, 3}), ElementsAre(0, 0));
  EXPECT_THAT(OfX("[2,3]", "argmax_pool(x, size = [2,2], padding = [(0,0),(0,0)])", {1, 2, 3, 9, 3, 3}),
              ElementsAre(2, 1));
  EXPECT_THAT(OfX("[5]", "argmax_pool(x, size = [3], dilation = [2], padding = [(0,0)])", {1, 9, 2, 9, 3}),
              ElementsAre(2));
}

TEST(ArgMaxPool, ZerosOfTheBorderCount) {
  EXPECT_THAT(OfX("[2]", "argmax_pool(x, size = [3])", {-1, -2}), ElementsAre(0, 2));
  EXPECT_THAT(OfX("[2]", "argmax_pool(x, size = [3], border = 'ignore')", {-1, -2}), ElementsAre(1, 0));
}

TEST(MaxPool, ZerosOfTheBorderCount) {
  EXPECT_THAT(OfX("[2]", "max_pool(x, size = [3])", {-1, -2}), ElementsAre(0, 0));
  EXPECT_THAT(OfX("[2]", "max_pool(x, size = [3], border = 'ignore')", {-1, -2}), ElementsAre(-1, -1));
  EXPECT_THAT(OfX("[2]", "max_pool(x, size = [2], padding = [(0,0)])", {-1, -2}), ElementsAre(-1));
}

TEST(Sample, FindsItemsBeyondTheEdges) {
  const auto sample = [](const std::string& border, const Numbers& index) {
    return RunBody("x, i",
                   "x = external(shape = [3]); i = external<integer>(shape = [3]); z = sample(x, i, size = [3], "
                   "border = '" +
                       border + "');",
                   {{10, 20, 30}, index});
  };
  EXPECT_THAT(sample("reflect", {0, 1, 2}).z, ElementsAre(20, 20, 20));
  EXPECT_THAT(sample("reflect-even", {0, 0, 2}).z, ElementsAre(10, 10, 30));
  EXPECT_THAT(sample("constant", {0, 2, 2}).z, ElementsAre(0, 30, 0));
  EXPECT_THAT(sample("constant", {0, 3, 2}).error, HasSubstr("sample: index: expected indices from 0 to 2"));
  EXPECT_THAT(sample("ignore", {0, 0, 0}).error, HasSubstr("E3: sample: border: expected 'constant', 'replicate'"));
}

TEST(Sample, WantsAnIndexOfTheOutput) {
  EXPECT_THAT(ErrorOf("x, i",
                      "x = external(shape = [4]); i = external<integer>(shape = [4]); z = sample(x, i, size = "
                      "[2], stride = [2]);"),
              HasSubstr("index: expected the shape of the output [2], got [4]"));
}

TEST(Desample, AddsAndDrops) {
  const auto desample = [](const Numbers& index) {
    return ZOf("x, i", "x = external(shape = [3]); i = external<integer>(shape = [3]); z = desample(x, i, size = [3]);",
               {{1, 2, 3}, index});
  };
  EXPECT_THAT(desample({2, 1, 0}), ElementsAre(0, 6, 0));
  EXPECT_THAT(desample({0, 1, 2}), ElementsAre(0, 2, 0));
  EXPECT_THAT(desample({3, -1, 1}), ElementsAre(0, 0, 3));
}

TEST(Desample, UndoesMaxPooling) {
  EXPECT_THAT(ZOf("x",
                  "x = external(shape = [2,4]); y, i = max_pool_with_index(x, size = [2,2], stride = [2,2]); "
                  "z = desample(y, i, size = [2,2], stride = [2,2]);",
                  {{1, 2, 8, 7, 4, 3, 5, 6}}),
              ElementsAre(0, 0, 8, 0, 4, 0, 0, 0));
}

TEST(Pools, MeansOfSquares) {
  EXPECT_THAT(OfX("[4]", "rms_pool(x, size = [2], stride = [2])", {3, 3, 1, 7}), ElementsAre(3, 5));
}

// ---- Resampling

TEST(Resampling, ByRepeatingAndSkipping) {
  EXPECT_THAT(OfX("[1,1,2]", "nearest_upsample(x, factor = [3])", {1, 2}), ElementsAre(1, 1, 1, 2, 2, 2));
  EXPECT_THAT(OfX("[1,1,4]", "nearest_downsample(x, factor = [2])", {1, 2, 3, 4}), ElementsAre(1, 3));
  EXPECT_THAT(OfX("[1,1,2,2]", "area_downsample(x, factor = [2,2])", {1, 2, 3, 6}), ElementsAre(3));
  EXPECT_THAT(ErrorOfX("[1,1,5]", "area_downsample(x, factor = [2])"),
              HasSubstr("factor: expected divisors of the extents of the input [1,1,5], got 2 for dimension 2"));
  EXPECT_THAT(ErrorOfX("[1,1,5]", "nearest_upsample(x, factor = [0])"), HasSubstr("at least 1, got [0]"));
}

TEST(Multilinear, MethodsAndBorders) {
  const auto upsample = [](const std::string& method, const std::string& border) {
    return OfX("[1,1,2]", "multilinear_upsample(x, factor = [2], method = '" + method + "', border = '" + border + "')",
               {4, 8});
  };
  EXPECT_THAT(upsample("symmetric", "replicate"), ElementsAre(4, 5, 7, 8));
  EXPECT_THAT(upsample("symmetric", "constant"), ElementsAre(3, 5, 7, 6));
  EXPECT_THAT(upsample("symmetric", "reflect"), ElementsAre(5, 5, 7, 7));
  EXPECT_THAT(upsample("asymmetric", "replicate"), ElementsAre(4, 6, 8, 8));
  EXPECT_THAT(upsample("asymmetric", "constant"), ElementsAre(4, 6, 8, 4));
  EXPECT_THAT(upsample("aligned", "replicate"), Pointwise(FloatEq(), std::vector<float>{4, 16 / 3.f, 20 / 3.f, 8}));
}

TEST(Multilinear, DimensionsOneAfterTheOther) {
  EXPECT_THAT(OfX("[1,1,2,1]", "multilinear_upsample(x, factor = [2,3], method = 'asymmetric')", {4, 8}),
              ElementsAre(4, 4, 4, 6, 6, 6, 8, 8, 8, 8, 8, 8));
}

TEST(Multilinear, LongDimensions) {
  Numbers x(1024);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * 4);
  const Numbers z = OfX("[1,1,1024]", "multilinear_upsample(x, factor = [2])", x);
  ASSERT_EQ(z.size(), 2048u);
  EXPECT_EQ(z[0], 0);
  EXPECT_EQ(z[2047], 4092);
  for (size_t i = 1; i < 2047; ++i) EXPECT_EQ(z[i], 2. * static_cast<double>(i) - 1);
}

TEST(Multilinear, Errors) {
  EXPECT_THAT(ErrorOfX("[1,1,2]", "multilinear_upsample(x, factor = [2], method = 'symetric')"),
              HasSubstr("method: expected 'symmetric', 'asymmetric' or 'aligned', got 'symetric'; did you mean "
                        "'symmetric'?"));
  EXPECT_THAT(ErrorOfX("[1,1,1]", "multilinear_upsample(x, factor = [2], border = 'reflect')"),
              HasSubstr("at most 0 items beyond dimension 2"));
  EXPECT_EQ(ErrorOfX("[1,1,1]", "multilinear_upsample(x, factor = [2], border = 'reflect', method = 'aligned')"), "");
  EXPECT_THAT(ErrorOfX("[1,1,2]", "multilinear_upsample(x, factor = [2,2])"),
              HasSubstr("factor: expected one item for each spatial dimension, which are 1, got 2"));
}

}  // namespace
}  // namespace nnef1
}  // namespace xla
