// The elementwise operations and those that introduce tensors, with values worked out by hand.
#include <cmath>
#include <limits>
#include <vector>

#include "builders/nnef1/operations/operation_test_support.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef1 {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Numbers = std::vector<double>;

TEST(Broadcasting, AlignsTheFirstDimensions) {
  // [2] stands along dimension 0 of [2,3]: 10 for the first row, 20 for the second.
  EXPECT_THAT(ZOf("x, y", "x = external(shape = [2,3]); y = external(shape = [2]); z = add(x, y);",
                  {{1, 2, 3, 4, 5, 6}, {10, 20}}),
              ElementsAre(11, 12, 13, 24, 25, 26));
  EXPECT_THAT(
      ErrorOf("x, y", "x = external(shape = [2,3]); y = external(shape = [3]); z = add(x, y);"),
      HasSubstr("E3: add: y: expected extents that equal those of x, [2,3], or are 1 on either side, counted from the "
                "first, got [3], which differs in dimension 0"));
}

TEST(Broadcasting, StretchesBothOperands) {
  const BodyResult result = RunBody(
      "x, y", "x = external(shape = [2,1]); y = external(shape = [1,2,2]); z = mul(x, y);", {{1, 10}, {1, 2, 3, 4}});
  EXPECT_THAT(result.extents, ElementsAre(2, 2, 2));
  EXPECT_THAT(result.z, ElementsAre(1, 2, 3, 4, 10, 20, 30, 40));
}

TEST(Broadcasting, OfALiteralAndOfChannels) {
  EXPECT_THAT(ZOf("x", "x = external(shape = [3]); z = sub(1.0, x);", {{1, 2, 3}}), ElementsAre(0, -1, -2));
  EXPECT_THAT(
      ZOf("x, y", "x = external(shape = [1,2,2]); y = external(shape = [1,2]); z = x + y;", {{1, 2, 3, 4}, {10, 20}}),
      ElementsAre(11, 12, 23, 24));
}

TEST(Broadcasting, OfAllThreeOfSelect) {
  const BodyResult result =
      RunBody("c, x, y",
              "c = external<logical>(shape = [2]); x = external(shape = [1,2]); y = external(shape = []); "
              "z = select(c, x, y);",
              {{1, 0}, {5, 6}, {7}});
  EXPECT_THAT(result.extents, ElementsAre(2, 2));
  EXPECT_THAT(result.z, ElementsAre(5, 6, 7, 7));
}

TEST(Round, IsFloorOfTheExactSumWithAHalf) {
  const double below_half = std::nextafterf(0.5f, 0.f);
  EXPECT_THAT(ZOf("x", "x = external(shape = [9]); z = round(x);",
                  {{-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, below_half, 8388609, -0.50001}}),
              ElementsAre(-2, -1, 0, 1, 2, 3, 0, 8388609, -1));
}

TEST(Round, KeepsInfinitiesAndNaN) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Numbers z = ZOf("x", "x = external(shape = [3]); z = round(x);", {{infinity, -infinity, std::nan("")}});
  EXPECT_EQ(z[0], infinity);
  EXPECT_EQ(z[1], -infinity);
  EXPECT_TRUE(std::isnan(z[2]));
}

TEST(Clamp, GivesTheLowerBoundWhereBoundsCross) {
  EXPECT_THAT(ZOf("x", "x = external(shape = [3]); z = clamp(x, 2.0, 1.0);", {{0, 1.5, 9}}), ElementsAre(2, 2, 2));
  EXPECT_THAT(ZOf("x", "x = external(shape = [3]); z = clamp(x, 1.0, 2.0);", {{0, 1.5, 9}}), ElementsAre(1, 1.5, 2));
  EXPECT_THAT(ZOf("x, a", "x = external(shape = [2,2]); a = external(shape = [2]); z = clamp(x, a, 3.0);",
                  {{0, 5, 0, 5}, {1, 4}}),
              ElementsAre(1, 3, 4, 4));
}

TEST(Elementwise, SimplifiersAreWhatTheirBodiesSay) {
  EXPECT_THAT(ZOf("x", "x = external(shape = [2]); z = rsqr(x);", {{2, -4}}), ElementsAre(0.25, 0.0625));
  EXPECT_THAT(ZOf("x", "x = external(shape = [2]); z = log2(x);", {{8, 0.5}}), ElementsAre(3, -1));
  EXPECT_THAT(ZOf("x", "x = external(shape = [2]); z = rsqrt(x);", {{4, 16}}), ElementsAre(0.5, 0.25));
  EXPECT_THAT(ZOf("x", "x = external(shape = [2]); z = softabs(x, epsilon = 9.0);", {{4, -4}}), ElementsAre(5, 5));
  EXPECT_THAT(
      ZOf("x, y", "x = external(shape = [3]); y = external(shape = [3]); z = max(x, y);", {{1, 5, 3}, {4, 2, 3}}),
      ElementsAre(4, 5, 3));
}

TEST(Elementwise, ComparisonsAndLogic) {
  EXPECT_THAT(ZOf("x", "x = external(shape = [3]); z = or(lt(x, 0.0), not(le(x, 1.0)));", {{-1, 1, 2}}),
              ElementsAre(1, 0, 1));
}

TEST(Constant, FillsOrLists) {
  EXPECT_THAT(ZOf("x", "x = external(shape = [1]); z = x + constant(shape = [1,3], value = [2.5]);", {{1}}),
              ElementsAre(3.5, 3.5, 3.5));
  EXPECT_THAT(ZOf("x",
                  "x = external<logical>(shape = [2]); c = constant<logical>(shape = [2], value = [true, false]); "
                  "z = and(x, c);",
                  {{1, 1}}),
              ElementsAre(1, 0));
  EXPECT_THAT(ZOf("x",
                  "x = external<integer>(shape = [2]); c = constant<integer>(shape = [2], value = [7, -8]); "
                  "z = select(true, c, x);",
                  {{1, 1}}),
              ElementsAre(7, -8));
  EXPECT_THAT(ErrorOf("x", "x = external(shape = [1]); c = constant(shape = [2,3], value = [1.0, 2.0]); z = x + c;"),
              HasSubstr("E3: constant: value: expected 1 item or all items of shape [2,3], got 2 of 6"));
}

TEST(Introduction, RefusesExtentsAndLabels) {
  EXPECT_THAT(ErrorOf("x", "x = external(shape = [2,0]); z = -x;"),
              HasSubstr("E3: external: shape: expected items of at least 1, got [2,0]"));
  const auto label_error = [](const std::string& label) {
    return ErrorOf("x", "x = external(shape = [1]); v = variable(shape = [1], label = '" + label + "'); z = x + v;");
  };
  EXPECT_EQ(label_error("conv1/filter-0.x"), "");
  EXPECT_THAT(label_error(""), HasSubstr("not empty"));
  EXPECT_THAT(label_error("a b"),
              HasSubstr("E3: variable: label: expected letters, digits and _ - . / \\, got \"a b\""));
  EXPECT_THAT(label_error("a/../../b"), HasSubstr("inside the model"));
  EXPECT_THAT(label_error("/a"), HasSubstr("inside the model"));
}

}  // namespace
}  // namespace nnef1
}  // namespace xla
