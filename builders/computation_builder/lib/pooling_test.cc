#include "builders/computation_builder/lib/pooling.h"

#include <cmath>

#include "builders/computation_builder/lib/run_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::Pair;

XlaOp Image(ComputationBuilder& b) { return b.ConstantR4<float>({{{{1, 2, 3}, {4, 9, 6}, {7, 8, 5}}}}); }

TEST(Pooling, GreatestAndSum) {
  ComputationBuilder b("test");
  EXPECT_THAT(Values<float>(b, MaxPool(Image(b), {2, 2}, {1, 1}, Padding::kValid, TensorFormat::NCHW())),
              ElementsAre(9, 9, 9, 9));
  ComputationBuilder c("test");
  EXPECT_THAT(Values<float>(c, MaxPool(Image(c), {1, 1, 2, 2}, {1, 1, 2, 2}, Padding::kSame, TensorFormat::NCHW())),
              ElementsAre(9, 6, 8, 5));
  ComputationBuilder d("test");
  EXPECT_THAT(Values<float>(d, SumPool(Image(d), {2, 2}, {2, 2}, {{1, 0}, {0, 1}}, TensorFormat::NCHW())),
              ElementsAre(3, 3, 28, 11));
}

TEST(Pooling, MeansWithAndWithoutPadding) {
  const std::vector<std::pair<int64_t, int64_t>> padding = {{1, 0}, {0, 1}};
  ComputationBuilder b("test");
  EXPECT_THAT(Values<float>(b, AvgPool(Image(b), {2, 2}, {2, 2}, padding, TensorFormat::NCHW(), true)),
              ElementsAre(0.75f, 0.75f, 7, 2.75f));
  ComputationBuilder c("test");
  EXPECT_THAT(Values<float>(c, AvgPool(Image(c), {2, 2}, {2, 2}, padding, TensorFormat::NCHW(), false)),
              ElementsAre(1.5f, 3, 7, 5.5f));
}

TEST(Pooling, FormatsPutDimensionsInTheirOrder) {
  ComputationBuilder b("test");
  const XlaOp x = b.Parameter(0, Shape::Array(F32, {8, 10, 12, 3}));
  const XlaOp pooled = MaxPool(x, {2, 3}, {2, 3}, Padding::kValid, TensorFormat::NHWC());
  EXPECT_EQ(b.ShapeOrInvalid(pooled).ToString(), "f32[8,5,4,3]");
  EXPECT_THAT(MakeSpatialPadding({8, 10, 12, 3}, {2, 3}, {2, 2}, Padding::kSame, TensorFormat::NHWC()),
              ElementsAre(Pair(0, 0), Pair(0, 1)));
  EXPECT_THAT(MakeSpatialPadding({5}, {3}, {1}, Padding::kSame, TensorFormat::NCHW(1)), ElementsAre(Pair(1, 1)));
  EXPECT_THAT(MakeSpatialPadding({1}, {INT64_MAX}, {1}, Padding::kSame, TensorFormat::NCHW(1)),
              ElementsAre(Pair(INT64_MAX / 2, INT64_MAX / 2)));
  EXPECT_THAT(MakeSpatialPadding({5, 5}, {3}, {1}, Padding::kSame, TensorFormat::NCHW(1)), ::testing::IsEmpty());
}

TEST(PoolingGradients, GoToTheGreatestElement) {
  ComputationBuilder b("test");
  const XlaOp gradient = b.ConstantR4<float>({{{{1, 2}, {3, 4}}}});
  EXPECT_THAT(Values<float>(b, MaxPoolGrad(Image(b), gradient, {2, 2}, {2, 2}, Padding::kSame, TensorFormat::NCHW())),
              ElementsAre(0, 0, 0, 0, 1, 2, 0, 3, 4));
}

// The gradient is the transpose of a linear map: compares with the mean of each unit image.
TEST(PoolingGradients, OfMeansAreTheTransposeOfThem) {
  const std::vector<std::pair<int64_t, int64_t>> padding = {{1, 0}, {0, 2}};
  for (const bool counts_padding : {false, true}) {
    const std::vector<float> out = {1, 10, 100, 1000};
    ComputationBuilder b("test");
    const XlaOp gradient = b.ConstantArray<float>({1, 1, 2, 2}, out);
    const std::vector<float> got = Values<float>(
        b, AvgPoolGrad(gradient, {1, 1, 4, 3}, {2, 3}, {3, 2}, padding, TensorFormat::NCHW(), counts_padding));
    ASSERT_EQ(got.size(), 12);
    for (int i = 0; i < 12; ++i) {
      std::vector<float> unit(12, 0);
      unit[i] = 1;
      ComputationBuilder c("test");
      const XlaOp x = c.ConstantArray<float>({1, 1, 4, 3}, unit);
      const auto means = Values<float>(c, AvgPool(x, {2, 3}, {3, 2}, padding, TensorFormat::NCHW(), counts_padding));
      ASSERT_EQ(means.size(), 4);
      float expected = 0;
      for (int k = 0; k < 4; ++k) expected += means[k] * out[k];
      EXPECT_NEAR(got[i], expected, 1e-3) << i << " " << counts_padding;
    }
  }
}

TEST(PoolingErrors, NameTheFunctionAndTheCall) {
  ComputationBuilder b("test");
  MaxPool(Image(b), {2}, {2, 2}, Padding::kValid, TensorFormat::NCHW());
  ExpectError(b, __FILE__, __LINE__ - 1,
              "MaxPool(f32[1,1,3,3]): kernel_size must have an entry for each of 2 spatial dimensions, or for each "
              "dimension, got 1 entries");
  ComputationBuilder c("test");
  AvgPool(Image(c), {2, 2}, {0, 2}, {{0, 0}, {0, 0}}, TensorFormat::NCHW(), true);
  ExpectError(c, __FILE__, __LINE__ - 1, "AvgPool(f32[1,1,3,3]): stride must be at least 1, got 0");
  ComputationBuilder d("test");
  MaxPool(Image(d), {2}, {2}, Padding::kValid, TensorFormat::NCHW(1));
  ExpectError(d, __FILE__, __LINE__ - 1, "MaxPool(f32[1,1,3,3]): the format must name each dimension once");
  ComputationBuilder e("test");
  AvgPoolGrad(Image(e), {1, 1, 3, 3}, {2, 2}, {1, 1}, {{0, 0}, {0, 0}}, TensorFormat::NCHW(), true);
  ExpectError(e, __FILE__, __LINE__ - 1,
              "AvgPoolGrad(f32[1,1,3,3]): out_backprop must have the dimensions that pooling gives, f32[1,1,2,2]");
}

}  // namespace
}  // namespace xla
