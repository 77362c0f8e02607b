// The operation semantics of 2017: Dot and the convolutions.
#include <cstdint>
#include <utility>
#include <vector>

#include "builders/computation_builder/computation_builder.h"
#include "builders/computation_builder/tests/evaluate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

TEST(Dot2017, VectorDotVectorIsAScalar) {
  ComputationBuilder b("dot");
  b.Dot(b.ConstantR1<float>({1, 2, 3}), b.ConstantR1<float>({4, 5, 6}));
  EXPECT_THAT(Evaluate(b), HasValue("f32[] 32"));
}

TEST(Dot2017, MatrixDotVectorIsAVector) {
  ComputationBuilder b("dot");
  b.Dot(b.ConstantR2<float>({{1, 2, 3}, {4, 5, 6}}), b.ConstantR1<float>({1, 0, -1}));
  EXPECT_THAT(Evaluate(b), HasValue("f32[2] {-2, -2}"));
}

TEST(Dot2017, MatrixDotMatrixIsAMatrix) {
  ComputationBuilder b("dot");
  b.Dot(b.ConstantR2<int32_t>({{1, 2, 3}, {4, 5, 6}}), b.ConstantR2<int32_t>({{1, 2}, {3, 4}, {5, 6}}));
  EXPECT_THAT(Evaluate(b), HasValue("s32[2,2] {{22, 28}, {49, 64}}"));
}

// "Over the last dimension of lhs and the one-before-last dimension of rhs", beyond the rows of the table.
TEST(Dot2017, VectorDotMatrixAndHigherRanks) {
  ComputationBuilder b("dot");
  b.Tuple({b.Dot(b.ConstantR1<int32_t>({1, 2}), b.ConstantR2<int32_t>({{1, 2, 3}, {4, 5, 6}})),
           b.Dot(b.ConstantR3<int32_t>({{{1, 2}}, {{3, 4}}}), b.ConstantR3<int32_t>({{{1}, {2}}, {{3}, {4}}}))});
  EXPECT_THAT(Evaluate(b), HasValue("(s32[3] {9, 12, 15}, s32[2,1,2,1] {{{{5}, {11}}}, {{{11}, {25}}}})"));
}

// A 2-d convolution and how the document computes it.
struct Conv2d {
  int64_t batch = 2, input_z = 2, height = 5, width = 4;
  int64_t output_z = 3, kernel_height = 3, kernel_width = 2;
  int64_t stride_y = 1, stride_x = 1;
  int64_t pad_low_y = 0, pad_high_y = 0, pad_low_x = 0, pad_high_x = 0;
  int64_t lhs_dilation_y = 1, lhs_dilation_x = 1, rhs_dilation_y = 1, rhs_dilation_x = 1;

  std::vector<std::pair<int64_t, int64_t>> padding() const {
    return {{pad_low_y, pad_high_y}, {pad_low_x, pad_high_x}};
  }
};

// Small integers without a pattern, whose sums of products are exact.
std::vector<float> Numbers(int64_t count, uint32_t seed) {
  std::vector<float> numbers(count);
  for (float& number : numbers) {
    seed = seed * 1664525 + 1013904223;
    number = static_cast<float>(static_cast<int>(seed >> 28) - 7);
  }
  return numbers;
}

int64_t Dilated(int64_t size, int64_t dilation) { return (size - 1) * dilation + 1; }

// The pseudo-code of the section, with the holes of dilation written out: the base area is lhs with holes.
Literal ReferenceConvolution(const Conv2d& c, const std::vector<float>& input, const std::vector<float>& kernel) {
  const int64_t base_y = Dilated(c.height, c.lhs_dilation_y), base_x = Dilated(c.width, c.lhs_dilation_x);
  const int64_t window_y = Dilated(c.kernel_height, c.rhs_dilation_y);
  const int64_t window_x = Dilated(c.kernel_width, c.rhs_dilation_x);
  const int64_t output_y = (c.pad_low_y + base_y + c.pad_high_y - window_y) / c.stride_y + 1;
  const int64_t output_x = (c.pad_low_x + base_x + c.pad_high_x - window_x) / c.stride_x + 1;
  std::vector<float> output;
  const auto value_at = [&](int64_t b, int64_t oz, int64_t oy, int64_t ox) {
    float value = 0;
    for (int64_t iz = 0; iz < c.input_z; ++iz) {
      for (int64_t ky = 0; ky < c.kernel_height; ++ky) {
        for (int64_t kx = 0; kx < c.kernel_width; ++kx) {
          const int64_t iy = oy * c.stride_y + ky * c.rhs_dilation_y - c.pad_low_y;
          const int64_t ix = ox * c.stride_x + kx * c.rhs_dilation_x - c.pad_low_x;
          const bool inside = 0 <= iy && iy < base_y && 0 <= ix && ix < base_x;
          if (!inside || iy % c.lhs_dilation_y != 0 || ix % c.lhs_dilation_x != 0) continue;
          const int64_t y = iy / c.lhs_dilation_y, x = ix / c.lhs_dilation_x;
          value += input[((b * c.input_z + iz) * c.height + y) * c.width + x] *
                   kernel[((oz * c.input_z + iz) * c.kernel_height + ky) * c.kernel_width + kx];
        }
      }
    }
    return value;
  };
  for (int64_t b = 0; b < c.batch; ++b) {
    for (int64_t oz = 0; oz < c.output_z; ++oz) {
      for (int64_t oy = 0; oy < output_y; ++oy) {
        for (int64_t ox = 0; ox < output_x; ++ox) output.push_back(value_at(b, oz, oy, ox));
      }
    }
  }
  return Literal::FromValues<float>({c.batch, c.output_z, output_y, output_x}, output);
}

struct ConvolutionOperands {
  explicit ConvolutionOperands(const Conv2d& c)
      : input(Numbers(c.batch * c.input_z * c.height * c.width, 1)),
        kernel(Numbers(c.output_z * c.input_z * c.kernel_height * c.kernel_width, 2)) {}
  ComputationDataHandle Lhs(ComputationBuilder& b, const Conv2d& c) const {
    return b.ConstantArray<float>({c.batch, c.input_z, c.height, c.width}, input);
  }
  ComputationDataHandle Rhs(ComputationBuilder& b, const Conv2d& c) const {
    return b.ConstantArray<float>({c.output_z, c.input_z, c.kernel_height, c.kernel_width}, kernel);
  }
  std::vector<float> input, kernel;
};

void ExpectGeneralPaddingAgrees(const Conv2d& c) {
  const ConvolutionOperands operands(c);
  ComputationBuilder b("conv");
  b.ConvWithGeneralPadding(operands.Lhs(b, c), operands.Rhs(b, c), {c.stride_y, c.stride_x}, c.padding(),
                           {c.lhs_dilation_y, c.lhs_dilation_x}, {c.rhs_dilation_y, c.rhs_dilation_x});
  const absl::StatusOr<Literal> result = Evaluate(b);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(DifferenceOf(*result, ReferenceConvolution(c, operands.input, operands.kernel), 0), "");
}

void ExpectConvAgrees(const Conv2d& c, Padding padding) {
  const ConvolutionOperands operands(c);
  ComputationBuilder b("conv");
  b.Conv(operands.Lhs(b, c), operands.Rhs(b, c), {c.stride_y, c.stride_x}, padding);
  const absl::StatusOr<Literal> result = Evaluate(b);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(DifferenceOf(*result, ReferenceConvolution(c, operands.input, operands.kernel), 0), "");
}

TEST(ConvWithGeneralPadding2017, PseudoCodeWithPaddingAndStrides) {
  Conv2d c;
  c.stride_y = 2;
  c.pad_low_y = 1;
  c.pad_high_y = 2;
  // "If padding[1] is (2,3) then there will be a padding by 2 zeroes on the left and by 3 zeroes on the right."
  c.pad_low_x = 2;
  c.pad_high_x = 3;
  c.stride_x = 3;
  ExpectGeneralPaddingAgrees(c);
}

TEST(ConvWithGeneralPadding2017, NegativePaddingRemovesElements) {
  Conv2d c;
  c.pad_low_y = -1;
  c.pad_high_x = -2;
  ExpectGeneralPaddingAgrees(c);
}

TEST(ConvWithGeneralPadding2017, DilationOfTheKernel) {
  Conv2d c;
  c.rhs_dilation_y = 2;
  c.rhs_dilation_x = 3;
  c.pad_low_y = 1;
  ExpectGeneralPaddingAgrees(c);
}

TEST(ConvWithGeneralPadding2017, DilationOfTheInput) {
  Conv2d c;
  c.lhs_dilation_y = 2;
  c.lhs_dilation_x = 3;
  c.stride_y = 2;
  c.pad_low_x = 1;
  c.pad_high_x = -1;
  ExpectGeneralPaddingAgrees(c);
}

// "Using padding is equivalent to inserting those same zero values into the input before doing the convolution."
TEST(ConvWithGeneralPadding2017, PaddingIsPad) {
  const Conv2d c;
  const ConvolutionOperands operands(c);
  ComputationBuilder b("conv");
  const auto lhs = operands.Lhs(b, c);
  const auto rhs = operands.Rhs(b, c);
  const auto padded = b.Pad(lhs, b.ConstantR0<float>(0), {{0, 0, 0}, {0, 0, 0}, {1, 2, 0}, {3, 0, 0}});
  b.Tuple({b.ConvWithGeneralPadding(lhs, rhs, {1, 1}, {{1, 2}, {3, 0}}),
           b.ConvWithGeneralPadding(padded, rhs, {1, 1}, {{0, 0}, {0, 0}})});
  const absl::StatusOr<Literal> result = Evaluate(b);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(DifferenceOf(result->element(0), result->element(1), 0), "");
}

TEST(ConvWithGeneralPadding2017, OneSpatialDimensionAndNone) {
  ComputationBuilder one("one");
  one.ConvWithGeneralPadding(one.ConstantR3<float>({{{1, 2, 3, 4}}}), one.ConstantR3<float>({{{10, 1}}}), {1},
                             {{1, 0}});
  EXPECT_THAT(Evaluate(one), HasValue("f32[1,1,4] {{{1, 12, 23, 34}}}"));
  ComputationBuilder none("none");
  none.ConvWithGeneralPadding(none.ConstantR2<float>({{1, 2}, {3, 4}}), none.ConstantR2<float>({{1, 10}}), {}, {});
  EXPECT_THAT(Evaluate(none), HasValue("f32[2,1] {{21}, {43}}"));
}

TEST(Conv2017, ValidIsNoPadding) { ExpectConvAgrees(Conv2d(), Padding::kValid); }

TEST(Conv2017, SameKeepsTheShapeOfTheInput) {
  Conv2d c;
  c.pad_low_y = c.pad_high_y = 1;
  c.pad_high_x = 1;  // of the one column to add, none goes in front
  ExpectConvAgrees(c, Padding::kSame);
}

TEST(Conv2017, SameWithStridesHasOnePositionPerStride) {
  Conv2d c;
  c.stride_y = c.stride_x = 2;  // 5x4 -> 3x2
  c.pad_low_y = c.pad_high_y = 1;
  ExpectConvAgrees(c, Padding::kSame);
}

}  // namespace
}  // namespace xla
