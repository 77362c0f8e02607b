#include "builders/computation_builder/lib/slicing.h"

#include "builders/computation_builder/lib/comparators.h"
#include "builders/computation_builder/lib/one_hot.h"
#include "builders/computation_builder/lib/run_builder.h"
#include "builders/computation_builder/lib/sorting.h"
#include "builders/computation_builder/lib/take.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

XlaOp Matrix(ComputationBuilder& b) { return b.ConstantR2<int32_t>({{1, 2, 3}, {4, 5, 6}}); }
XlaOp Scalar32(ComputationBuilder& b, int32_t value) { return b.ConstantR0<int32_t>(value); }

// The elements of f(builder).
template <typename F>
std::vector<int32_t> Compute(const F& f) {
  ComputationBuilder b("test");
  return Values<int32_t>(b, f(b));
}

TEST(Slicing, OfTheLastDimensions) {
  using B = ComputationBuilder;
  EXPECT_THAT(Compute([](B& b) { return SliceInMinorDims(Matrix(b), {1}, {3}); }), ElementsAre(2, 3, 5, 6));
  EXPECT_THAT(Compute([](B& b) { return SliceInMinorDims(Matrix(b), {}, {}); }), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(Compute([](B& b) { return DynamicSliceInMinorDims(Matrix(b), {Scalar32(b, 9)}, {1}); }),
              ElementsAre(3, 6));
  EXPECT_THAT(Compute([](B& b) {
                return UpdateSliceInMinorDims(Matrix(b), b.ConstantR2<int32_t>({{7}, {8}}), {1});
              }),
              ElementsAre(1, 7, 3, 4, 8, 6));
  EXPECT_THAT(Compute([](B& b) {
                return UpdateSlice(Matrix(b), b.ConstantR2<int32_t>({{7}}), {1, 2});
              }),
              ElementsAre(1, 2, 3, 4, 5, 7));
  EXPECT_THAT(Compute([](B& b) {
                const XlaOp update = b.ConstantR2<int32_t>({{7, 8, 9}});
                return DynamicUpdateSliceInMinorDims(Matrix(b), update, {Scalar32(b, 1), Scalar32(b, 0)});
              }),
              ElementsAre(1, 2, 3, 7, 8, 9));
}

TEST(Slicing, SplitsAndStacks) {
  using B = ComputationBuilder;
  EXPECT_THAT(Compute([](B& b) { return Split(Matrix(b), 3, 1)[2]; }), ElementsAre(3, 6));
  EXPECT_THAT(Compute([](B& b) { return SplitBySizes(Matrix(b), {1, 2}, 1)[1]; }), ElementsAre(2, 3, 5, 6));
  EXPECT_THAT(Compute([](B& b) { return Unstack(Matrix(b), 0)[1]; }), ElementsAre(4, 5, 6));
  EXPECT_THAT(Compute([](B& b) { return Stack(Unstack(Matrix(b), 0), 1); }), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(Compute([](B& b) { return Stack({Scalar32(b, 1), Scalar32(b, 2)}, 0); }), ElementsAre(1, 2));
  EXPECT_THAT(Compute([](B& b) { return Tile(Matrix(b), {1, 2}); }), ElementsAre(1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6));
  EXPECT_THAT(Compute([](B& b) { return Tile(b.ConstantR1<int32_t>({1, 2}), {0}); }), IsEmpty());
  EXPECT_THAT(Compute([](B& b) { return Repeat(Matrix(b), 2, 0); }), ElementsAre(1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6));
  EXPECT_THAT(Compute([](B& b) { return Repeat(b.ConstantR1<int32_t>({1, 2}), 2, 0); }), ElementsAre(1, 1, 2, 2));
}

TEST(Take, SlicesAtIndices) {
  using B = ComputationBuilder;
  const auto indices = [](B& b) { return b.ConstantR2<int32_t>({{2, 0}, {1, 9}}); };
  EXPECT_THAT(Compute([](B& b) {
                return Take(Matrix(b), b.ConstantR1<int32_t>({1, 0}), 0);
              }),
              ElementsAre(4, 5, 6, 1, 2, 3));
  EXPECT_THAT(Compute([&](B& b) { return Take(Matrix(b), indices(b), 1); }), ElementsAre(3, 1, 2, 3, 6, 4, 5, 6));
  EXPECT_THAT(Compute([&](B& b) { return Take(Matrix(b), indices(b), 1, /*batch_dims=*/1); }), ElementsAre(3, 1, 5, 6));
  EXPECT_THAT(Compute([](B& b) { return Take(Matrix(b), Scalar32(b, 1), 1); }), ElementsAre(2, 5));
  ComputationBuilder b("test");
  const XlaOp x = b.Parameter(0, Shape::Array(F32, {5, 6, 7, 8}));
  const XlaOp i = b.Parameter(1, Shape::Array(S64, {5, 2, 3}));
  EXPECT_EQ(b.ShapeOrInvalid(TorchIndexSelect(x, i, 2, 1)).ToString(), "f32[5,6,2,3,8]");
}

TEST(Take, ElementsAlongAnAxis) {
  using B = ComputationBuilder;
  EXPECT_THAT(Compute([](B& b) {
                return TakeAlongAxis(Matrix(b), b.ConstantR2<int32_t>({{2, 0}, {1, 1}}), 1);
              }),
              ElementsAre(3, 1, 5, 5));
  EXPECT_THAT(Compute([](B& b) { return TakeAlongAxis(Matrix(b), b.ConstantR2<int32_t>({{2}}), 1); }),
              ElementsAre(3, 6));
  EXPECT_THAT(Compute([](B& b) {
                return TorchGather(Matrix(b), b.ConstantR2<int32_t>({{2, 1}}), 1);
              }),
              ElementsAre(3, 2));
  EXPECT_THAT(Compute([](B& b) {
                const XlaOp index = b.ConstantR2<int32_t>({{0, 0}, {2, 7}});
                const XlaOp src = b.ConstantR2<int32_t>({{10, 20}, {30, 40}});
                return TorchScatterDense(Matrix(b), index, src, 1, [](XlaOp x, XlaOp y) { return x + y; });
              }),
              ElementsAre(31, 2, 3, 4, 5, 36));
}

TEST(OneHot, PutsTheNewDimensionAnywhere) {
  using B = ComputationBuilder;
  const auto indices = [](B& b) { return b.ConstantR1<int32_t>({2, 0, -1}); };
  EXPECT_THAT(Compute([&](B& b) { return OneHot(indices(b), 3, S32); }), ElementsAre(0, 0, 1, 1, 0, 0, 0, 0, 0));
  EXPECT_THAT(Compute([&](B& b) { return OneHot(indices(b), 3, 0, Scalar32(b, 5), Scalar32(b, 7)); }),
              ElementsAre(7, 5, 7, 7, 7, 7, 5, 7, 7));
}

TEST(Sorting, KeysIndicesAndValues) {
  using B = ComputationBuilder;
  const auto keys = [](B& b) { return b.ConstantR2<int32_t>({{3, 1, 2}, {5, 5, 9}}); };
  EXPECT_THAT(Compute([&](B& b) { return SortKeys(keys(b)); }), ElementsAre(1, 2, 3, 5, 5, 9));
  EXPECT_THAT(Compute([&](B& b) { return SortKeys(keys(b), 0, /*descending=*/true); }), ElementsAre(5, 5, 9, 3, 1, 2));
  EXPECT_THAT(Compute([&](B& b) { return ArgSort(keys(b)); }), ElementsAre(1, 2, 0, 0, 1, 2));
  EXPECT_THAT(Compute([&](B& b) { return ArgSort(keys(b), 1, /*descending=*/true); }), ElementsAre(0, 2, 1, 2, 0, 1));
  EXPECT_THAT(Compute([&](B& b) { return SortByKey(keys(b), {Matrix(b)})[1]; }), ElementsAre(2, 3, 1, 4, 5, 6));
  EXPECT_THAT(Compute([&](B& b) { return b.GetTupleElement(TopK(keys(b), 2), 1); }), ElementsAre(0, 2, 2, 0));
}

TEST(Sorting, BySeveralKeys) {
  ComputationBuilder b("test");
  const XlaOp first = b.ConstantR1<int32_t>({1, 0, 1, 0});
  const XlaOp second = b.ConstantR1<int32_t>({5, 6, 7, 8});
  const XlaComputation comparator =
      CreateScalarComparisonComputation("by_two", {S32, S32}, {ComparisonDirection::kLt, ComparisonDirection::kGt});
  EXPECT_THAT(Values<int32_t>(b, b.GetTupleElement(b.Sort({first, second}, comparator, 0), 1)),
              ElementsAre(8, 6, 7, 5));
  EXPECT_EQ(CreateScalarComparisonComputation("none", {S32}, {absl::nullopt}).status().message(),
            "a comparator needs an operand that it compares");
}

TEST(SlicingErrors, NameTheFunctionAndTheCall) {
  const auto expect = [](const std::string& message, auto f) {
    ComputationBuilder b("test");
    f(b, SourceLocation::At("model.cc", 42));
    ExpectError(b, "model.cc", 42, message);
  };
  using B = ComputationBuilder;
  using L = SourceLocation;
  expect("SliceInMinorDims(s32[2,3]): end must have as many entries as start, 1, got 2", [](B& b, L loc) {
    SliceInMinorDims(Matrix(b), {1}, {1, 1}, loc);
  });
  expect("SliceInMinorDims(s32[2,3]): start must have at most one entry for each dimension of s32[2,3], got 3 entries",
         [](B& b, L loc) {
           SliceInMinorDims(Matrix(b), {0, 0, 0}, {1, 1, 1}, loc);
         });
  expect("SliceInMinorDims(s32[2,3]): Slice(s32[2,3]): ",
         [](B& b, L loc) { SliceInMinorDims(Matrix(b), {2}, {1}, loc); });
  expect("DynamicSliceInMinorDims(s32[2,3], s32[]): sizes must have as many entries as starts, 1, got 2",
         [](B& b, L loc) {
           DynamicSliceInMinorDims(Matrix(b), {Scalar32(b, 1)}, {1, 1}, loc);
         });
  expect("UpdateSlice(s32[2,3], s32[1,1]): update must lie within x: in dimension 1 it has size 1 and starts at 3",
         [](B& b, L loc) {
           UpdateSlice(Matrix(b), b.ConstantR2<int32_t>({{1}}), {0, 3}, loc);
         });
  expect("UpdateSlice(s32[2,3], s32[2,3]): start must have as many entries as x has dimensions, 2, got 1",
         [](B& b, L loc) { UpdateSlice(Matrix(b), Matrix(b), {0}, loc); });
  expect("Split(s32[2,3]): parts must divide dimension 1 of s32[2,3], got 2",
         [](B& b, L loc) { EXPECT_THAT(Split(Matrix(b), 2, 1, loc), IsEmpty()); });
  expect("Split(s32[0]): there can be at most 1048576 parts, got 2000000000000",
         [](B& b, L loc) { Split(b.ConstantR1<int32_t>(0, 1), 2000000000000, 0, loc); });
  expect("SplitBySizes(s32[2,3]): sizes must add up to dimension 1 of s32[2,3], they add up to more", [](B& b, L loc) {
    SplitBySizes(Matrix(b), {2, 2}, 1, loc);
  });
  expect("Stack(s32[], s32[2,3]): operands must have one shape, got s32[] and s32[2,3]", [](B& b, L loc) {
    Stack({Scalar32(b, 1), Matrix(b)}, 0, loc);
  });
  expect("Stack(s32[]): axis must be a dimension of the result, that is at least 0 and at most 0, got 1",
         [](B& b, L loc) { Stack({Scalar32(b, 1)}, 1, loc); });
  expect("Unstack(s32[2,3]): axis must be a dimension of s32[2,3]", [](B& b, L loc) { Unstack(Matrix(b), 2, loc); });
  expect("Tile(s32[2,3]): dimension 1 of s32[2,3] repeated 9223372036854775807 times is too large", [](B& b, L loc) {
    Tile(Matrix(b), {1, INT64_MAX}, loc);
  });
  expect("Repeat(s32[2,3]): repetitions must be at least 0, got -1",
         [](B& b, L loc) { Repeat(Matrix(b), -1, 1, loc); });
  expect("Take(s32[2,3], s32[2,3]): batch_dims must be at least 0",
         [](B& b, L loc) { Take(Matrix(b), Matrix(b), 0, 1, loc); });
  expect("TakeAlongAxis(s32[2,3], s32[]): indices must have the rank of the array, s32[2,3], got s32[]",
         [](B& b, L loc) { TakeAlongAxis(Matrix(b), Scalar32(b, 0), 0, loc); });
  expect("TorchGather(s32[2,3], s32[3,1]): dimension 0 of the indices does not fit that of the array: s32[2,3] and",
         [](B& b, L loc) {
           TorchGather(Matrix(b), b.ConstantR2<int32_t>({{0}, {0}, {0}}), 1, loc);
         });
  expect("OneHot(s32[2,3]): axis must be a dimension of the result",
         [](B& b, L loc) { OneHot(Matrix(b), 3, F32, 4, loc); });
  expect("OneHot(s32[2,3], s32[2,3], s32[]): on_value must be s32[], got s32[2,3]",
         [](B& b, L loc) { OneHot(Matrix(b), 3, 0, Matrix(b), Scalar32(b, 0), loc); });
  expect("SortKeys(s32[]): keys must be an array of at least 1 dimension, got s32[]",
         [](B& b, L loc) { SortKeys(Scalar32(b, 0), -1, false, loc); });
  expect("SortByKey(s32[2,3], s32[]): Sort(s32[2,3], s32[]): ",
         [](B& b, L loc) { SortByKey(Matrix(b), {Scalar32(b, 0)}, -1, false, loc); });
  expect("TopK(s32[2,3]): index_type must be an integer type, got f32",
         [](B& b, L loc) { TopK(Matrix(b), 2, F32, loc); });
  expect("TopK(s32[2,3]): TopK(s32[2,3]): ", [](B& b, L loc) { TopK(Matrix(b), 4, S32, loc); });
}

}  // namespace
}  // namespace xla
