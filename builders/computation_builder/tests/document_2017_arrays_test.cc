// The worked examples of the operation semantics of 2017: operations that move elements.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "builders/computation_builder/computation_builder.h"
#include "builders/computation_builder/tests/evaluate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

// The array of 24 elements of the sections Collapse and Reshape, f32[4,2,3].
ComputationDataHandle ArrayOf24(ComputationBuilder& b) {
  return b.ConstantR3<float>({{{10, 11, 12}, {15, 16, 17}},
                              {{20, 21, 22}, {25, 26, 27}},
                              {{30, 31, 32}, {35, 36, 37}},
                              {{40, 41, 42}, {45, 46, 47}}});
}

// The matrix of the sections about slices, f32[4,3].
ComputationDataHandle SliceMatrix(ComputationBuilder& b) {
  return b.ConstantR2<float>({{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}});
}

TEST(Broadcast2017, ScalarToMatrix) {
  ComputationBuilder b("broadcast");
  b.Broadcast(b.ConstantR0<float>(2.0f), {2, 3});
  EXPECT_THAT(Evaluate(b), HasValue("f32[2,3] {{2, 2, 2}, {2, 2, 2}}"));
}

TEST(Broadcast2017, NewDimensionsAreOnTheLeft) {
  ComputationBuilder b("broadcast");
  b.Broadcast(b.ConstantR1<int32_t>({1, 2}), {2, 3});
  EXPECT_THAT(Evaluate(b), HasValue("s32[2,3,2] {{{1, 2}, {1, 2}, {1, 2}}, {{1, 2}, {1, 2}, {1, 2}}}"));
}

TEST(Broadcast2017, NoSizesAndSizeZero) {
  ComputationBuilder same("same");
  same.Broadcast(same.ConstantR1<int32_t>({1, 2}), {});
  EXPECT_THAT(Evaluate(same), HasValue("s32[2] {1, 2}"));
  ComputationBuilder empty("empty");
  empty.Broadcast(empty.ConstantR1<int32_t>({1, 2}), {0});
  EXPECT_THAT(Evaluate(empty), HasValue("s32[0,2] {}"));
}

TEST(Collapse2017, AllDimensions) {
  ComputationBuilder b("v012");
  b.Collapse(ArrayOf24(b), {0, 1, 2});
  EXPECT_THAT(Evaluate(b), HasValue("f32[24] {10, 11, 12, 15, 16, 17, 20, 21, 22, 25, 26, 27, "
                                    "30, 31, 32, 35, 36, 37, 40, 41, 42, 45, 46, 47}"));
}

// The document's text prints the results of its two other examples the other way round: {0,1} replaces dimensions 0
// and 1, 4x2, by one of size 8, and {1,2} leaves f32[4,6].
TEST(Collapse2017, DimensionsZeroAndOne) {
  ComputationBuilder b("v01");
  b.Collapse(ArrayOf24(b), {0, 1});
  EXPECT_THAT(Evaluate(b), HasValue("f32[8,3] {{10, 11, 12}, {15, 16, 17}, {20, 21, 22}, {25, 26, 27}, "
                                    "{30, 31, 32}, {35, 36, 37}, {40, 41, 42}, {45, 46, 47}}"));
}

TEST(Collapse2017, DimensionsOneAndTwo) {
  ComputationBuilder b("v12");
  b.Collapse(ArrayOf24(b), {1, 2});
  EXPECT_THAT(Evaluate(b), HasValue("f32[4,6] {{10, 11, 12, 15, 16, 17}, {20, 21, 22, 25, 26, 27}, "
                                    "{30, 31, 32, 35, 36, 37}, {40, 41, 42, 45, 46, 47}}"));
}

TEST(Collapse2017, OneOrNoDimensionIsTheOperandItself) {
  ComputationBuilder b("same");
  const ComputationDataHandle v = ArrayOf24(b);
  b.Tuple({b.Collapse(v, {1}), b.Collapse(v, {})});
  const absl::StatusOr<Literal> result = Evaluate(b);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->element(0).shape().ToString(), "f32[4,2,3]");
  EXPECT_TRUE(result->element(0).BitwiseEquals(result->element(1)));
}

TEST(Concatenate2017, Vectors) {
  ComputationBuilder b("concat");
  b.Concatenate({b.ConstantR1<int32_t>({2, 3}), b.ConstantR1<int32_t>({4, 5}), b.ConstantR1<int32_t>({6, 7})}, 0);
  EXPECT_THAT(Evaluate(b), HasValue("s32[6] {2, 3, 4, 5, 6, 7}"));
}

TEST(Concatenate2017, Matrices) {
  ComputationBuilder b("concat");
  const auto x = b.ConstantR2<int32_t>({{1, 2}, {3, 4}, {5, 6}});
  const auto y = b.ConstantR2<int32_t>({{7, 8}});
  b.Concatenate({x, y}, 0);
  EXPECT_THAT(Evaluate(b), HasValue("s32[4,2] {{1, 2}, {3, 4}, {5, 6}, {7, 8}}"));
}

TEST(Concatenate2017, ConcatInDimAlongTheLastDimension) {
  ComputationBuilder b("concat");
  b.ConcatInDim({b.ConstantR2<int32_t>({{1}, {2}}), b.ConstantR2<int32_t>({{3, 4}, {5, 6}})}, 1);
  EXPECT_THAT(Evaluate(b), HasValue("s32[2,3] {{1, 3, 4}, {2, 5, 6}}"));
}

TEST(Concatenate2017, OneOperand) {
  ComputationBuilder b("concat");
  b.Concatenate({b.ConstantR1<int32_t>({2, 3})}, 0);
  EXPECT_THAT(Evaluate(b), HasValue("s32[2] {2, 3}"));
}

TEST(ConvertElementType2017, IntegersToFloats) {
  ComputationBuilder b("convert");
  b.ConvertElementType(b.ConstantR1<int32_t>({0, 1, 2}), F32);
  EXPECT_THAT(Evaluate(b), HasValue("f32[3] {0.0, 1.0, 2.0}"));
}

TEST(ConvertElementType2017, RoundsToNearestEven) {
  ComputationBuilder b("convert");
  b.ConvertElementType(b.ConstantR1<int32_t>({16777217, 16777219}), F32);
  EXPECT_THAT(Evaluate(b), HasValue("f32[2] {16777216, 16777220}"));
}

TEST(Reshape2017, InOrderCollapse) {
  ComputationBuilder vector("v012_24");
  vector.Reshape(ArrayOf24(vector), {0, 1, 2}, {24});
  EXPECT_THAT(Evaluate(vector), HasValue("f32[24] {10, 11, 12, 15, 16, 17, 20, 21, 22, 25, 26, 27, "
                                         "30, 31, 32, 35, 36, 37, 40, 41, 42, 45, 46, 47}"));
  ComputationBuilder matrix("v012_83");
  matrix.Reshape(ArrayOf24(matrix), {0, 1, 2}, {8, 3});
  EXPECT_THAT(Evaluate(matrix), HasValue("f32[8,3] {{10, 11, 12}, {15, 16, 17}, {20, 21, 22}, {25, 26, 27}, "
                                         "{30, 31, 32}, {35, 36, 37}, {40, 41, 42}, {45, 46, 47}}"));
}

TEST(Reshape2017, OutOfOrderCollapseToAVector) {
  ComputationBuilder b("v021_24");
  b.Reshape(ArrayOf24(b), {1, 2, 0}, {24});
  EXPECT_THAT(Evaluate(b), HasValue("f32[24] {10, 20, 30, 40, 11, 21, 31, 41, 12, 22, 32, 42, "
                                    "15, 25, 35, 45, 16, 26, 36, 46, 17, 27, 37, 47}"));
}

TEST(Reshape2017, OutOfOrderCollapseToAMatrix) {
  ComputationBuilder b("v021_83");
  b.Reshape(ArrayOf24(b), {1, 2, 0}, {8, 3});
  EXPECT_THAT(Evaluate(b), HasValue("f32[8,3] {{10, 20, 30}, {40, 11, 21}, {31, 41, 12}, {22, 32, 42}, "
                                    "{15, 25, 35}, {45, 16, 26}, {36, 46, 17}, {27, 37, 47}}"));
}

TEST(Reshape2017, OutOfOrderCollapseToThreeDimensions) {
  ComputationBuilder b("v021_262");
  b.Reshape(ArrayOf24(b), {1, 2, 0}, {2, 6, 2});
  EXPECT_THAT(Evaluate(b), HasValue("f32[2,6,2] {{{10, 20}, {30, 40}, {11, 21}, {31, 41}, {12, 22}, {32, 42}}, "
                                    "{{15, 25}, {35, 45}, {16, 26}, {36, 46}, {17, 27}, {37, 47}}}"));
}

TEST(Reshape2017, SingleElementToScalarAndBack) {
  ComputationBuilder to_scalar("to_scalar");
  to_scalar.Reshape(to_scalar.ConstantR2<float>({{5}}), {0, 1}, {});
  EXPECT_THAT(Evaluate(to_scalar), HasValue("f32[] 5"));
  ComputationBuilder from_scalar("from_scalar");
  from_scalar.Reshape(from_scalar.ConstantR0<float>(5), {}, {1, 1});
  EXPECT_THAT(Evaluate(from_scalar), HasValue("f32[1,1] {{5}}"));
}

TEST(Reshape2017, WithoutDimensionsInTheirOrder) {
  ComputationBuilder b("reshape");
  b.Reshape(b.ConstantR2<int32_t>({{1, 2, 3}, {4, 5, 6}}), {3, 2});
  EXPECT_THAT(Evaluate(b), HasValue("s32[3,2] {{1, 2}, {3, 4}, {5, 6}}"));
}

TEST(Reshape2017, SizesThatBeginWithZero) {
  ComputationBuilder b("empty");
  b.Reshape(b.ConstantArray<float>({5, 0}, {}), {1, 0}, {0, 5});
  EXPECT_THAT(Evaluate(b), HasValue("f32[0,5] {}"));
}

TEST(Rev2017, AlongEachDimension) {
  ComputationBuilder b("rev");
  const auto x = b.ConstantR2<int32_t>({{1, 2, 3}, {4, 5, 6}});
  b.Tuple({b.Rev(x, {0}), b.Rev(x, {1}), b.Rev(x, {1, 0}), b.Rev(x, {})});
  EXPECT_THAT(Evaluate(b), HasValue("(s32[2,3] {{4, 5, 6}, {1, 2, 3}}, s32[2,3] {{3, 2, 1}, {6, 5, 4}}, "
                                    "s32[2,3] {{6, 5, 4}, {3, 2, 1}}, s32[2,3] {{1, 2, 3}, {4, 5, 6}})"));
}

TEST(Pad2017, EdgesAndInteriorOfAMatrix) {
  ComputationBuilder b("pad");
  const auto x = b.ConstantR2<int32_t>({{1, 2, 3}, {4, 5, 6}});
  PaddingConfig config(2);
  config[0] = {/*low=*/1, /*high=*/0, /*interior=*/1};
  config[1] = {/*low=*/0, /*high=*/2, /*interior=*/0};
  b.Pad(x, b.ConstantR0<int32_t>(9), config);
  EXPECT_THAT(Evaluate(b), HasValue("s32[4,5] {{9, 9, 9, 9, 9}, {1, 2, 3, 9, 9}, {9, 9, 9, 9, 9}, {4, 5, 6, 9, 9}}"));
}

TEST(Pad2017, NegativeEdgesTakeFromTheInteriorPaddedArray) {
  ComputationBuilder b("pad");
  b.Pad(b.ConstantR1<int32_t>({1, 2, 3}), b.ConstantR0<int32_t>(0), {{/*low=*/-1, /*high=*/-2, /*interior=*/2}});
  EXPECT_THAT(Evaluate(b), HasValue("s32[4] {0, 0, 2, 0}"));
}

TEST(Pad2017, ZeroPaddingIsTheOperand) {
  ComputationBuilder b("pad");
  b.Pad(b.ConstantR1<int32_t>({1, 2}), b.ConstantR0<int32_t>(7), {{0, 0, 0}});
  EXPECT_THAT(Evaluate(b), HasValue("s32[2] {1, 2}"));
}

TEST(Select2017, ArrayOfPredicates) {
  ComputationBuilder b("select");
  const auto pred = b.ConstantR1<bool>({true, false, false, true});
  const auto v1 = b.ConstantR1<int32_t>({1, 2, 3, 4});
  const auto v2 = b.ConstantR1<int32_t>({100, 200, 300, 400});
  b.Select(pred, v1, v2);
  EXPECT_THAT(Evaluate(b), HasValue("s32[4] {1, 200, 300, 4}"));
}

TEST(Select2017, ScalarPredicate) {
  ComputationBuilder b("select");
  const auto v1 = b.ConstantR1<int32_t>({1, 2, 3, 4});
  const auto v2 = b.ConstantR1<int32_t>({100, 200, 300, 400});
  b.Tuple({b.Select(b.ConstantR0<bool>(true), v1, v2), b.Select(b.ConstantR0<bool>(false), v1, v2)});
  EXPECT_THAT(Evaluate(b), HasValue("(s32[4] {1, 2, 3, 4}, s32[4] {100, 200, 300, 400})"));
}

TEST(Select2017, Tuples) {
  ComputationBuilder b("select");
  const auto pred = b.Parameter(0, Shape::Scalar(PRED), "pred");
  const auto v1 = b.Tuple({b.ConstantR1<int32_t>({1, 2}), b.Tuple({b.ConstantR0<float>(3)})});
  const auto v2 = b.Tuple({b.ConstantR1<int32_t>({5, 6}), b.Tuple({b.ConstantR0<float>(7)})});
  b.Select(pred, v1, v2);
  EXPECT_THAT(Evaluate(b, {Literal::Scalar<bool>(false)}), HasValue("(s32[2] {5, 6}, (f32[] 7))"));
}

TEST(Slice2017, Vector) {
  ComputationBuilder b("slice");
  b.Slice(b.ConstantR1<float>({0.0, 1.0, 2.0, 3.0, 4.0}), {2}, {4});
  EXPECT_THAT(Evaluate(b), HasValue("f32[2] {2.0, 3.0}"));
}

TEST(Slice2017, Matrix) {
  ComputationBuilder b("slice");
  b.Slice(SliceMatrix(b), {2, 1}, {4, 3});
  EXPECT_THAT(Evaluate(b), HasValue("f32[2,2] {{7.0, 8.0}, {10.0, 11.0}}"));
}

TEST(DynamicSlice2017, Vector) {
  ComputationBuilder b("dynamic_slice");
  b.DynamicSlice(b.ConstantR1<float>({0.0, 1.0, 2.0, 3.0, 4.0}), b.ConstantR1<int32_t>({2}), {2});
  EXPECT_THAT(Evaluate(b), HasValue("f32[2] {2.0, 3.0}"));
}

TEST(DynamicSlice2017, Matrix) {
  ComputationBuilder b("dynamic_slice");
  const auto s = b.Parameter(0, Shape::Array(S32, {2}), "s");
  b.DynamicSlice(SliceMatrix(b), s, {2, 2});
  EXPECT_THAT(Evaluate(b, {LiteralOf("s32[2] {2, 1}")}), HasValue("f32[2,2] {{7.0, 8.0}, {10.0, 11.0}}"));
}

// What the document leaves to implementations.
TEST(DynamicSlice2017, StartsOutOfBoundsAreMovedInside) {
  ComputationBuilder b("dynamic_slice");
  b.DynamicSlice(SliceMatrix(b), b.ConstantR1<int32_t>({-3, 7}), {2, 2});
  EXPECT_THAT(Evaluate(b), HasValue("f32[2,2] {{1, 2}, {4, 5}}"));
}

TEST(DynamicUpdateSlice2017, Vector) {
  ComputationBuilder b("update");
  b.DynamicUpdateSlice(b.ConstantR1<float>({0.0, 1.0, 2.0, 3.0, 4.0}), b.ConstantR1<float>({5.0, 6.0}),
                       b.ConstantR1<int32_t>({2}));
  EXPECT_THAT(Evaluate(b), HasValue("f32[5] {0.0, 1.0, 5.0, 6.0, 4.0}"));
}

TEST(DynamicUpdateSlice2017, Matrix) {
  ComputationBuilder b("update");
  const auto u = b.ConstantR2<float>({{12, 13}, {14, 15}, {16, 17}});
  b.DynamicUpdateSlice(SliceMatrix(b), u, b.ConstantR1<int32_t>({1, 1}));
  EXPECT_THAT(Evaluate(b), HasValue("f32[4,3] {{0, 1, 2}, {3, 12, 13}, {6, 14, 15}, {9, 16, 17}}"));
}

TEST(Sort2017, Vector) {
  ComputationBuilder b("sort");
  b.Sort(b.ConstantR1<int32_t>({3, -1, 2, 2, 0}));
  EXPECT_THAT(Evaluate(b), HasValue("s32[5] {-1, 0, 2, 2, 3}"));
}

TEST(Sort2017, RowsOfAMatrixInTotalOrder) {
  ComputationBuilder b("sort");
  b.Sort(b.ConstantArray<float>({2, 3}, {0.0f, -0.0f, -1, NAN, 1, -INFINITY}));
  EXPECT_THAT(Evaluate(b), HasValue("f32[2,3] {{-1, -0, 0}, {-inf, 1, nan}}"));
}

TEST(Transpose2017, Matrix) {
  ComputationBuilder b("transpose");
  b.Transpose(b.ConstantR2<int32_t>({{1, 2, 3}, {4, 5, 6}}), {1, 0});
  EXPECT_THAT(Evaluate(b), HasValue("s32[3,2] {{1, 4}, {2, 5}, {3, 6}}"));
}

// "This is the same as Reshape(operand, permutation, Permute(permutation, operand.shape.dimensions))", and
// input_dimensions[permutation[i]] = output_dimensions[i].
TEST(Transpose2017, IsReshapeWithPermutedSizes) {
  const int64_t sizes[] = {4, 2, 3};
  std::vector<int64_t> permutation = {0, 1, 2};
  do {
    ComputationBuilder b("transpose");
    const std::vector<int64_t> permuted = {sizes[permutation[0]], sizes[permutation[1]], sizes[permutation[2]]};
    const auto v = ArrayOf24(b);
    b.Tuple({b.Transpose(v, permutation), b.Reshape(v, permutation, permuted)});
    const absl::StatusOr<Literal> result = Evaluate(b);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->element(0).shape().ToString(), Shape::Array(F32, absl::MakeConstSpan(permuted)).ToString());
    EXPECT_TRUE(result->element(0).BitwiseEquals(result->element(1)));
  } while (std::next_permutation(permutation.begin(), permutation.end()));
}

}  // namespace
}  // namespace xla
