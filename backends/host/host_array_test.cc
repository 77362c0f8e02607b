#include "backends/host/host_array.h"

#include <vector>

#include "gmock/gmock.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

alignas(8) constexpr float kSix[] = {0, 1, 2, 3, 4, 5};

std::vector<float> Copied(const float* data, const Shape& shape, std::vector<int64_t> strides) {
  const absl::StatusOr<Literal> copy = CopyHostArray({data, shape, strides});
  EXPECT_TRUE(copy.ok()) << copy.status();
  if (!copy.ok()) return {};
  EXPECT_EQ(copy->shape(), shape);
  return {copy->span<float>().begin(), copy->span<float>().end()};
}

TEST(CopyHostArray, FollowsStridesOfAnyKind) {
  const Shape rows = Shape::Array(F32, {2, 3});
  EXPECT_THAT(Copied(kSix, rows, {}), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(Copied(kSix, rows, {12, 4}), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(Copied(kSix, rows, {4, 8}), ElementsAre(0, 2, 4, 1, 3, 5)) << "columns";
  EXPECT_THAT(Copied(kSix + 5, rows, {-12, -4}), ElementsAre(5, 4, 3, 2, 1, 0)) << "backwards";
  EXPECT_THAT(Copied(kSix + 3, rows, {0, 4}), ElementsAre(3, 4, 5, 3, 4, 5)) << "one row twice";
  EXPECT_THAT(Copied(kSix + 2, Shape::Scalar(F32), {}), ElementsAre(2));
  EXPECT_THAT(Copied(nullptr, Shape::Array(F32, {2, 0}), {}), ElementsAre());
}

TEST(CopyHostArray, MakesValuesOfAllBytes) {
  const uint8_t bytes[] = {0, 1, 2, 0x80, 0xff, 0x17, 0x0f, 0x78};
  const auto copied = [&](PrimitiveType type) {
    const Literal literal = *CopyHostArray({bytes, Shape::Array(type, {8}), {}});
    return std::vector<int>(literal.span<int8_t>().begin(), literal.span<int8_t>().end());
  };
  EXPECT_THAT(copied(PRED), ElementsAre(0, 1, 1, 1, 1, 1, 1, 1));
  EXPECT_THAT(copied(S4), ElementsAre(0, 1, 2, 0, -1, 7, -1, -8));
  EXPECT_THAT(copied(U4), ElementsAre(0, 1, 2, 0, 15, 7, 15, 8));
  EXPECT_THAT(copied(U2), ElementsAre(0, 1, 2, 0, 3, 3, 3, 0));
  EXPECT_THAT(copied(S8), ElementsAre(0, 1, 2, -128, -1, 23, 15, 120));
}

TEST(CanBorrow, WhatIsDense) {
  const Shape rows = Shape::Array(F32, {2, 3});
  EXPECT_TRUE(CanBorrow({kSix, rows, {}}));
  EXPECT_TRUE(CanBorrow({kSix, rows, {12, 4}}));
  EXPECT_FALSE(CanBorrow({kSix, rows, {4, 8}}));
  EXPECT_FALSE(CanBorrow({kSix, rows, {0, 4}}));
  EXPECT_TRUE(CanBorrow({kSix, Shape::Array(F32, {1, 6}), {-100, 4}})) << "a dimension of one element has no stride";
}

TEST(CanBorrow, WhatIsAligned) {
  const char* const bytes = reinterpret_cast<const char*>(kSix);
  EXPECT_FALSE(CanBorrow({bytes + 1, Shape::Array(F32, {2}), {}}));
  EXPECT_FALSE(CanBorrow({bytes + 4, Shape::Array(F64, {2}), {}}));
  EXPECT_TRUE(CanBorrow({bytes + 4, Shape::Array(F32, {2}), {}}));
  EXPECT_TRUE(CanBorrow({bytes + 8, Shape::Array(C128, {1}), {}})) << "it is two doubles";
  EXPECT_TRUE(CanBorrow({bytes + 3, Shape::Array(U8, {2}), {}}));
}

TEST(CanBorrow, WhatHoldsValues) {
  const uint8_t bytes[] = {0, 1, 2, 0xff};
  EXPECT_TRUE(CanBorrow({bytes, Shape::Array(PRED, {2}), {}}));
  EXPECT_FALSE(CanBorrow({bytes, Shape::Array(PRED, {3}), {}}));
  EXPECT_TRUE(CanBorrow({bytes, Shape::Array(U4, {3}), {}}));
  EXPECT_FALSE(CanBorrow({bytes, Shape::Array(U4, {4}), {}}));
  EXPECT_TRUE(CanBorrow({bytes, Shape::Array(S4, {4}), {}})) << "0xff is -1";
}

TEST(CheckHostArray, RefusesWhatIsNotAnArrayInMemory) {
  const Shape tuple = Shape::Tuple({Shape::Scalar(F32)});
  const Shape rows = Shape::Array(F32, {2, 3});
  EXPECT_TRUE(CheckHostArray({kSix, rows, {}}).ok());
  EXPECT_TRUE(CheckHostArray({nullptr, Shape::Array(F32, {0}), {}}).ok());
  EXPECT_EQ(CheckHostArray({kSix, tuple, {}}),
            absl::InvalidArgumentError("only an array can be made from memory, asked for shape (f32[])"));
  EXPECT_EQ(CheckHostArray({kSix, rows, {4}}),
            absl::InvalidArgumentError("got 1 strides for an array of shape f32[2,3]"));
  EXPECT_EQ(CheckHostArray({nullptr, rows, {}}),
            absl::InvalidArgumentError("there is no memory (nullptr) to make an array of shape f32[2,3] from"));
}

}  // namespace
}  // namespace xla
