#include "xla_core/literal_io/compare_literals.h"

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

Tolerance Exact() { return Tolerance(); }

Tolerance Within(double rtol, double atol) {
  Tolerance tolerance;
  tolerance.rtol = rtol;
  tolerance.atol = atol;
  return tolerance;
}

Comparison Compare(std::initializer_list<float> got, std::initializer_list<float> want, const Tolerance& tolerance) {
  return CompareArrays(Literal::Vector<float>(got), Literal::Vector<float>(want), tolerance);
}

TEST(CompareLiterals, NanMatchesNanAndInfinitiesMustBeEqual) {
  EXPECT_TRUE(Compare({NAN, INFINITY}, {-NAN, INFINITY}, Exact()).matches());
  EXPECT_FALSE(Compare({1}, {NAN}, Within(1e9, 1e9)).matches());
  EXPECT_FALSE(Compare({NAN}, {1}, Within(1e9, 1e9)).matches());
  EXPECT_FALSE(Compare({INFINITY}, {-INFINITY}, Within(1e9, 1e9)).matches());
  EXPECT_FALSE(Compare({1e38f}, {INFINITY}, Within(1e9, 1e9)).matches());
}

TEST(CompareLiterals, ToleranceIsAbsolutePlusRelative) {
  EXPECT_TRUE(Compare({110.5f}, {100}, Within(0.1, 0.5)).matches());
  EXPECT_FALSE(Compare({110.75f}, {100}, Within(0.1, 0.5)).matches());
}

TEST(CompareLiterals, ScaleIsTheLargestFiniteValue) {
  Tolerance tolerance = Within(0, 0.01);
  tolerance.atol_is_relative = true;
  EXPECT_TRUE(Compare({1, 100, INFINITY}, {0, 100, INFINITY}, tolerance).matches());
  EXPECT_FALSE(Compare({1.5f, 100}, {0, 100}, tolerance).matches());
}

TEST(CompareLiterals, UnitsInTheLastPlaceSufficeToo) {
  Tolerance tolerance;
  tolerance.ulp = 2;
  const float next = std::nextafterf(1, 2);
  EXPECT_TRUE(Compare({std::nextafterf(next, 2)}, {1}, tolerance).matches());
  EXPECT_FALSE(Compare({std::nextafterf(std::nextafterf(next, 2), 2)}, {1}, tolerance).matches());
  const Comparison zero = Compare({-std::numeric_limits<float>::denorm_min()}, {0}, tolerance);
  EXPECT_TRUE(zero.matches());
  EXPECT_EQ(zero.worst_ulp, 1);
}

TEST(CompareLiterals, SignsOfZerosCountWhenAskedFor) {
  EXPECT_TRUE(Compare({0.0f}, {-0.0f}, Exact()).matches());
  Tolerance tolerance = Within(1, 1);
  tolerance.zero_sign = true;
  EXPECT_FALSE(Compare({0.0f}, {-0.0f}, tolerance).matches());
  EXPECT_TRUE(Compare({-0.0f}, {-0.0f}, tolerance).matches());
  const auto complex = [](float real, float imaginary) { return Literal::Scalar(complex64(real, imaginary)); };
  EXPECT_FALSE(CompareArrays(complex(1, 0.0f), complex(1, -0.0f), tolerance).matches());
}

TEST(CompareLiterals, ComplexNumbersAreMeasuredByModulus) {
  const auto complex = [](double real, double imaginary) { return Literal::Scalar(complex128(real, imaginary)); };
  EXPECT_TRUE(CompareArrays(complex(100, 1), complex(100, 0), Within(0.01, 0)).matches());
  EXPECT_FALSE(CompareArrays(complex(100, 2), complex(100, 0), Within(0.01, 0)).matches());
  EXPECT_TRUE(CompareArrays(complex(NAN, 2), complex(1, NAN), Exact()).matches());
}

TEST(CompareLiterals, IntegersAreExactBeyondDoubles) {
  const int64_t large = std::numeric_limits<int64_t>::max();
  const Comparison comparison =
      CompareArrays(Literal::Scalar(large), Literal::Scalar(large - 1), DefaultTolerance(S64));
  EXPECT_FALSE(comparison.matches());
  EXPECT_EQ(comparison.worst_error, 1);
}

TEST(CompareLiterals, NarrowFloatsCountTheirOwnUnits) {
  Literal got = *Literal::Zeros(Shape::Array(BF16, {2}));
  Literal want = got;
  got.mutable_data<uint16_t>()[0] = 0x3f81;
  want.mutable_data<uint16_t>()[0] = 0x3f80;
  const Comparison comparison = CompareArrays(got, want, DefaultTolerance(BF16));
  EXPECT_TRUE(comparison.matches());
  EXPECT_EQ(comparison.worst_ulp, 1);
}

TEST(CompareLiterals, ShapesMustAgree) {
  const Comparison comparison =
      CompareArrays(Literal::Scalar<float>(1), Literal::Vector<float>({1}), DefaultTolerance(F32));
  EXPECT_FALSE(comparison.matches());
  EXPECT_EQ(comparison.shape_mismatch, "the result is f32[], expected f32[1]");
}

TEST(DescribeComparison, SaysWhatAPersonNeeds) {
  const Literal got = Literal::FromValues<float>({2, 3}, {1, 2, NAN, 4.5f, 5, 6});
  const Literal want = Literal::FromValues<float>({2, 3}, {1, 2.25f, 3, 4, 5, 6.0000005f});
  Tolerance tolerance;
  tolerance.ulp = 1;
  EXPECT_EQ(DescribeComparison("out0", CompareArrays(got, want, tolerance), got, want),
            R"(out0 f32[2,3]: 3 of 6 elements differ (50 %), 1 more are inexact but within the tolerance
  worst at {0,2}: got nan, expected 3
  NaN: got 1, expected 0; infinite: got 0, expected 0
  |got - expected| of the inexact elements:
    1e-07..1e-06             1 ####################
    1e-01..1e+00             2 ########################################
    NaN or infinity          1 ####################)");
  EXPECT_EQ(DescribeComparison("out1", CompareArrays(got, got, tolerance), got, got),
            "out1 f32[2,3]: 6 elements match exactly");
  const Literal one = Literal::Scalar<float>(1.5f), two = Literal::Scalar<float>(1);
  EXPECT_EQ(DescribeComparison("out2", CompareArrays(one, two, Within(0, 1)), one, two),
            "out2 f32[]: 1 element matches, largest error 0.5 at {} (4.1943e+06 ulp)");
}

}  // namespace
}  // namespace xla
