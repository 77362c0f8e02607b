#include "xla_core/types/dynamic_sizes.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

TEST(DynamicSizes, ComeAndGo) {
  const Literal array = Literal::FromValues<int32_t>({2, 2}, {1, 2, 3, 4});
  const Shape wanted = Shape::Array(S32, {3, 2}, {true, false});
  EXPECT_TRUE(DimensionsFit(array.shape().dimensions(), wanted));
  const absl::StatusOr<Literal> padded = PadToBounds(array, wanted);
  ASSERT_TRUE(padded.ok()) << padded.status();
  EXPECT_EQ(padded->shape(), wanted);
  EXPECT_EQ(padded->dynamic_size(0), 2);
  EXPECT_THAT(padded->span<int32_t>(), testing::ElementsAre(1, 2, 3, 4, 0, 0));
  const absl::StatusOr<Literal> cut = CutToDynamicSizes(*padded);
  ASSERT_TRUE(cut.ok()) << cut.status();
  EXPECT_TRUE(cut->BitwiseEquals(array));
}

TEST(DynamicSizes, MoveTheElementsOfInnerDimensions) {
  const Literal array = Literal::FromValues<int32_t>({2, 2}, {1, 2, 3, 4});
  const absl::StatusOr<Literal> padded = PadToBounds(array, Shape::Array(S32, {2, 3}, {false, true}));
  ASSERT_TRUE(padded.ok()) << padded.status();
  EXPECT_THAT(padded->span<int32_t>(), testing::ElementsAre(1, 2, 0, 3, 4, 0));
  EXPECT_TRUE(CutToDynamicSizes(*padded)->BitwiseEquals(array));
}

TEST(DynamicSizes, FitWithinBounds) {
  const Shape wanted = Shape::Array(S32, {3, 2}, {true, false});
  EXPECT_TRUE(DimensionsFit({3, 2}, wanted));
  EXPECT_TRUE(DimensionsFit({0, 2}, wanted));
  EXPECT_FALSE(DimensionsFit({4, 2}, wanted));
  EXPECT_FALSE(DimensionsFit({3, 1}, wanted));
  EXPECT_FALSE(DimensionsFit({3}, wanted));
}

}  // namespace
}  // namespace xla
