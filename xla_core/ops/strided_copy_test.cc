#include "xla_core/ops/strided_copy.h"

#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/testing/test_eval_context.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

// One element at a time.
template <typename T>
void CopyNaively(const CopyDimensions& dimensions, size_t d, const T* from, T* to) {
  if (d == dimensions.size()) {
    *to = *from;
    return;
  }
  for (int64_t i = 0; i < dimensions[d].size; ++i) {
    CopyNaively(dimensions, d + 1, from + i * dimensions[d].from_stride, to + i * dimensions[d].to_stride);
  }
}

// A copy between arrays of the given sizes, the source permuted; `from` is the offset of its first element.
struct RandomCopy {
  CopyDimensions dimensions;
  int64_t from = 0;
  int64_t from_elements = 1;
  int64_t to_elements = 1;
};

// Permuted, reversed, repeated and spread out dimensions.
RandomCopy MakeRandomCopy(std::mt19937& random, int64_t largest_size) {
  RandomCopy copy;
  const int rank = static_cast<int>(random() % 5);
  for (int d = 0; d < rank; ++d) copy.dimensions.push_back({1 + static_cast<int64_t>(random() % largest_size), 0, 0});
  std::vector<int> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  for (int d : order) {
    CopyDimension& dimension = copy.dimensions[d];
    if (random() % 6 == 0) continue;  // repeated
    dimension.from_stride = copy.from_elements;
    copy.from_elements *= dimension.size;
    if (random() % 4 != 0) continue;
    copy.from += dimension.from_stride * (dimension.size - 1);
    dimension.from_stride = -dimension.from_stride;
  }
  for (int d = rank - 1; d >= 0; --d) {
    const int64_t spread = random() % 4 == 0 ? 2 : 1;
    copy.dimensions[d].to_stride = copy.to_elements * spread;
    copy.to_elements *= copy.dimensions[d].size * spread;
  }
  std::shuffle(copy.dimensions.begin(), copy.dimensions.end(), random);
  return copy;
}

template <typename T>
std::vector<T> Pattern(int64_t n) {
  std::vector<T> values(n);
  auto* bytes = reinterpret_cast<uint8_t*>(values.data());
  for (size_t i = 0; i < n * sizeof(T); ++i) bytes[i] = static_cast<uint8_t>(i * 37 + i / 251);
  return values;
}

template <typename T>
void ExpectLikeNaive(PrimitiveType type, const RandomCopy& copy, int seed) {
  const std::vector<T> from = Pattern<T>(copy.from_elements);
  std::vector<T> want(copy.to_elements), got(copy.to_elements), parallel(copy.to_elements);
  CopyNaively(copy.dimensions, 0, from.data() + copy.from, want.data());
  const StridedCopy plan(type, copy.dimensions);
  plan.Run(from.data() + copy.from, got.data());
  TestEvalContext context;
  ASSERT_TRUE(plan.Run(from.data() + copy.from, parallel.data(), context).ok());
  const size_t bytes = want.size() * sizeof(T);
  EXPECT_EQ(std::memcmp(want.data(), got.data(), bytes), 0) << "seed " << seed;
  EXPECT_EQ(std::memcmp(want.data(), parallel.data(), bytes), 0) << "seed " << seed;
}

TEST(StridedCopy, CopiesLikeANaiveLoop) {
  const PrimitiveType types[] = {U8, U16, U32, U64, C128};
  for (int seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    const RandomCopy copy = MakeRandomCopy(random, seed % 10 == 0 ? 40 : 7);
    const PrimitiveType type = types[seed % 5];
    DispatchByWidth(type, [&](auto tag) { ExpectLikeNaive<TagType<decltype(tag)>>(type, copy, seed); });
  }
}

TEST(StridedCopy, CopiesLongLinesAndWideTransposesInBlocks) {
  RandomCopy line;
  line.dimensions = {{100000, 1, 1}};
  line.from_elements = line.to_elements = 100000;
  ExpectLikeNaive<uint32_t>(U32, line, 0);
  RandomCopy transpose;
  transpose.dimensions = {{300, 1, 700}, {700, 300, 1}};
  transpose.from_elements = transpose.to_elements = 300 * 700;
  ExpectLikeNaive<uint16_t>(U16, transpose, 0);
}

TEST(StridedCopy, LeavesTheTargetAloneIfADimensionIsEmpty) {
  const int32_t from = 1;
  int32_t to = 2;
  StridedCopy(S32, {{3, 1, 1}, {0, 3, 3}}).Run(&from, &to);
  EXPECT_EQ(to, 2);
}

}  // namespace
}  // namespace xla
