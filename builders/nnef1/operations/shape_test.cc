// Values and rules of shape operations where they are easily got wrong.
#include "builders/nnef1/operations/feeds_test_support.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef1 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Reshape, TakesExtentsFromTheStartOfTheRange) {
  const Feed x = Counting({2, 3, 4});
  EXPECT_THAT(ExtentsOf("z = reshape(x, shape = [0, -1], axis_start = 1);", {x}), ElementsAre(2, 3, 4));
  EXPECT_THAT(ExtentsOf("z = reshape(x, shape = [0, -1]);", {x}), ElementsAre(2, 12));
  EXPECT_THAT(ExtentsOf("z = reshape(x, shape = [-1, 0], axis_start = 1);", {x}), ElementsAre(2, 3, 4));
}

TEST(Reshape, KeepsTheAxesOutsideOfTheRange) {
  const Feed x = Counting({2, 6, 4});
  EXPECT_THAT(ExtentsOf("z = reshape(x, shape = [3, 2], axis_start = 1, axis_count = 1);", {x}),
              ElementsAre(2, 3, 2, 4));
  EXPECT_THAT(ExtentsOf("z = reshape(x, shape = [1, 1], axis_start = 1, axis_count = 0);", {x}),
              ElementsAre(2, 1, 1, 6, 4));
}

TEST(Reshape, SaysWhatDoesNotFit) {
  const Feed x = Counting({2, 3});
  EXPECT_THAT(FailureOf("z = reshape(x, shape = [-1, 4]);", {x}),
              HasSubstr("shape: expected the extents beside -1 to divide the 6 items of [2,3]"));
  EXPECT_THAT(FailureOf("z = reshape(x, shape = [5]);", {x}), HasSubstr("6, got [5], which has 5"));
  EXPECT_THAT(FailureOf("z = reshape(x, shape = [-1, -1]);", {x}), HasSubstr("-1 at most once"));
  EXPECT_THAT(FailureOf("z = reshape(x, shape = [6, 1, 0]);", {x}), HasSubstr("[2,3] has no axis 2"));
  EXPECT_THAT(FailureOf("z = reshape(x, shape = [6], axis_start = 3);", {x}), HasSubstr("expected 0 to 2"));
  EXPECT_THAT(FailureOf("z = reshape(x, shape = [4294967296, 4294967296, 4294967296]);", {x}),
              HasSubstr("shape: expected extents whose product is less than 2^63"));
}

TEST(Unsqueeze, CountsAxesInTheOutput) {
  EXPECT_THAT(ExtentsOf("z = unsqueeze(x, axes = [4, 0, 2]);", {Counting({2, 3})}), ElementsAre(1, 2, 1, 3, 1));
  EXPECT_THAT(FailureOf("z = unsqueeze(x, axes = [3]);", {Counting({2, 3})}), HasSubstr("an axis from 0 to 2"));
}

TEST(Squeeze, RemovesExtentsOfOneOnly) {
  EXPECT_THAT(ExtentsOf("z = squeeze(x, axes = [2, 0]);", {Counting({1, 2, 1})}), ElementsAre(2));
  EXPECT_THAT(FailureOf("z = squeeze(x, axes = [1]);", {Counting({1, 2, 1})}), HasSubstr("got axis 1 of [1,2,1]"));
}

TEST(Transpose, LeavesTrailingDimensions) {
  const Feed x = Counting({2, 2, 2});
  EXPECT_THAT(ValuesOf("z = transpose(x, axes = [1, 0]);", {x}), ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
  EXPECT_THAT(FailureOf("z = transpose(x, axes = [0, 2]);", {x}), HasSubstr("a permutation of 0 to 1"));
}

TEST(Split, TakesRatios) {
  EXPECT_THAT(ValuesOf("[a, z] = split(x, axis = 0, ratios = [1, 3]);", {Counting({8})}),
              ElementsAre(2, 3, 4, 5, 6, 7));
  EXPECT_THAT(FailureOf("[a, z] = split(x, axis = 0, ratios = [1, 4]);", {Counting({8})}),
              HasSubstr("ratios: expected a sum that divides the extent of axis"));
  EXPECT_THAT(FailureOf("[a, z] = split(x, axis = 0, ratios = [0, 4]);", {Counting({8})}), HasSubstr("at least 1"));
}

TEST(Stack, AddsAnAxisAnywhere) {
  EXPECT_THAT(ValuesOf("z = stack([x, x], axis = 1);", {Counting({2})}), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(FailureOf("z = stack([x, x], axis = 2);", {Counting({2})}), HasSubstr("the output has rank 2"));
  EXPECT_THAT(FailureOf("z = concat([x, x], axis = 1);", {Counting({2})}), HasSubstr("each value has rank 1"));
}

TEST(Unstack, RefusesToBeTensorsWithoutNumber) {
  EXPECT_THAT(
      FailureOf("z = concat(unstack(y, axis = 0), axis = 0) + x;", {Counting({1}), Scalars("y", {3000000000, 1}, {})}),
      HasSubstr("value: expected 1 to 1398101 tensors, got 3000000000"));
}

TEST(Unstack, RemovesTheAxis) {
  EXPECT_THAT(ValuesOf("[a, z] = unstack(x, axis = 1);", {Counting({3, 2})}), ElementsAre(1, 3, 5));
}

// ---- slice

std::vector<double> Slice(const std::string& arguments, int64_t extent = 5) {
  return ValuesOf(absl::StrCat("z = slice(x, axes = [0], ", arguments, ");"), {Counting({extent})});
}
std::string SliceError(const std::string& arguments) {
  return FailureOf(absl::StrCat("z = slice(x, axes = [0], ", arguments, ");"), {Counting({5})});
}

TEST(Slice, RoundsTheExtentUp) {
  EXPECT_THAT(Slice("begin = [0], end = [5], stride = [2]"), ElementsAre(0, 2, 4));
  EXPECT_THAT(Slice("begin = [4], end = [0], stride = [-3]"), ElementsAre(4, 1));
}

TEST(Slice, EndZeroIsTheEndWithoutStrideOnly) {
  EXPECT_THAT(Slice("begin = [2], end = [0]"), ElementsAre(2, 3, 4));
  EXPECT_THAT(Slice("begin = [3], end = [0], stride = [1]"), ElementsAre(3, 4));
  EXPECT_THAT(Slice("begin = [3], end = [0], stride = [-1]"), ElementsAre(3, 2, 1));
  EXPECT_THAT(SliceError("begin = [2], end = [0], stride = [2]"),
              HasSubstr("begin, end: expected a begin inside the axis and an end not before it"));
}

TEST(Slice, CountsFromTheEndOnceAndLimits) {
  EXPECT_THAT(Slice("begin = [-1], end = [-6], stride = [-1]"), ElementsAre(4, 3, 2, 1, 0));
  EXPECT_THAT(Slice("begin = [4], end = [-9], stride = [-2]"), ElementsAre(4, 2, 0));
  EXPECT_THAT(Slice("begin = [-2], end = [99]"), ElementsAre(3, 4));
  EXPECT_THAT(Slice("begin = [-1], end = [-1]"), ElementsAre());
  EXPECT_THAT(Slice("begin = [0], end = [5], stride = [9223372036854775807]"), ElementsAre(0));
  EXPECT_THAT(SliceError("begin = [-6], end = [3]"), HasSubstr("a begin inside the axis"));
  EXPECT_THAT(SliceError("begin = [5], end = [1], stride = [-1]"), HasSubstr("a begin inside the axis"));
  EXPECT_THAT(SliceError("begin = [1], end = [2], stride = [0]"), HasSubstr("strides other than 0"));
}

TEST(Slice, TakesAxesInAnyOrder) {
  EXPECT_THAT(ValuesOf("z = slice(x, axes = [1, 0], begin = [2, 1], end = [0, 2]);", {Counting({3, 4})}),
              ElementsAre(6, 7));
  EXPECT_THAT(
      ValuesOf("z = slice(x, axes = [1, 0], begin = [-1, 0], end = [-5, 2], stride = [-2, 1]);", {Counting({3, 4})}),
      ElementsAre(3, 1, 7, 5));
}

// ---- pad, tile

TEST(Pad, MirrorsWithAndWithoutTheEdge) {
  const Feed x = Counting({3});
  EXPECT_THAT(ValuesOf("z = pad(x, padding = [(2,2)], border = 'reflect');", {x}), ElementsAre(2, 1, 0, 1, 2, 1, 0));
  EXPECT_THAT(ValuesOf("z = pad(x, padding = [(2,1)], border = 'reflect-even');", {x}), ElementsAre(1, 0, 0, 1, 2, 2));
  EXPECT_THAT(ValuesOf("z = pad(x, padding = [(1,1)], value = -7.5);", {x}), ElementsAre(-7.5, 0, 1, 2, -7.5));
}

TEST(Pad, CropsAfterMirroring) {
  const Feed x = Counting({3});
  EXPECT_THAT(ValuesOf("z = pad(x, padding = [(-2,1)], border = 'reflect');", {x}), ElementsAre(2, 1));
  EXPECT_THAT(ValuesOf("z = pad(x, padding = [(-2,2)], border = 'replicate');", {x}), ElementsAre(2, 2, 2));
}

TEST(Pad, RefusesWhatIsNotDefined) {
  const Feed x = Counting({3});
  EXPECT_THAT(FailureOf("z = pad(x, padding = [(3,0)], border = 'reflect');", {x}), HasSubstr("at most 2"));
  EXPECT_THAT(FailureOf("z = pad(x, padding = [(0,1)], border = 'ignore');", {x}),
              HasSubstr("border: expected 'constant', 'replicate'"));
  EXPECT_THAT(FailureOf("z = pad(x, padding = [(-1,-2)]);", {x}), HasSubstr("an extent of at least 1, got 0"));
}

TEST(Tile, RepeatsTheWhole) {
  EXPECT_THAT(ValuesOf("z = tile(x, repeats = [1, 2]);", {Counting({2, 2})}), ElementsAre(0, 1, 0, 1, 2, 3, 2, 3));
}

// ---- gather, cast

TEST(Gather, PutsTheIndicesWhereTheAxisWas) {
  const Feed x = Counting({2, 3});
  EXPECT_THAT(ValuesOf("z = gather(x, i, axis = 1);", {x, Integers("i", {2, 1}, {2, 0})}), ElementsAre(2, 0, 5, 3));
  EXPECT_THAT(ExtentsOf("z = gather(x, i, axis = 1);", {x, Integers("i", {2, 1}, {2, 0})}), ElementsAre(2, 2, 1));
  EXPECT_THAT(ExtentsOf("z = gather(x, i);", {x, Integers("i", {}, {1})}), ElementsAre(3));
}

TEST(Gather, RefusesIndicesOutOfRange) {
  const Feed x = Counting({2, 3});
  const std::string expected = "indices: expected indices from 0 to 1, because axis 0 of the input has extent 2";
  EXPECT_THAT(FailureOf("z = gather(x, i);", {x, Integers("i", {2}, {0, 2})}), HasSubstr(expected));
  EXPECT_THAT(FailureOf("z = gather(x, i);", {x, Integers("i", {2}, {0, -1})}), HasSubstr(expected));
  EXPECT_THAT(FailureOf("i = constant<integer>(shape = [2], value = [1, 2]); z = gather(x, i);", {x}),
              HasSubstr(expected + ", got 2"));
  EXPECT_THAT(FailureOf("i = constant<integer>(shape = [2], value = [5]); z = gather(x, i);", {x}),
              HasSubstr(expected + ", got 5"));
}

TEST(Gather, RefusesAnAxisWithoutItems) {
  EXPECT_THAT(FailureOf("e = slice(x, axes = [0], begin = [1], end = [1]); z = gather(e, i);",
                        {Counting({2, 3}), Integers("i", {1}, {0})}),
              HasSubstr("E3: gather: input: expected items along axis 0, got [0,3]"));
}

TEST(Cast, DropsFractionsAndTestsForZero) {
  EXPECT_THAT(ValuesOf("z = cast<integer>(x);", {Scalars("x", {4}, {-1.5, -0.5, 0.9, 7})}), ElementsAre(-1, 0, 0, 7));
  EXPECT_THAT(ValuesOf("z = cast<logical>(x);", {Scalars("x", {4}, {-1.5, 0.5, 0, -0.0})}), ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(ValuesOf("z = cast<logical>(x);", {Integers("x", {3}, {2, 0, 256})}), ElementsAre(1, 0, 1));
}

}  // namespace
}  // namespace nnef1
}  // namespace xla
