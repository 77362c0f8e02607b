#include "builders/computation_builder/lib/math.h"

#include <cmath>
#include <limits>
#include <vector>

#include "builders/computation_builder/lib/activations.h"
#include "builders/computation_builder/lib/run_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

template <typename T>
constexpr T kInf = std::numeric_limits<T>::infinity();

template <typename T>
std::vector<T> Apply(XlaOp (*f)(XlaOp, SourceLocation), const std::vector<T>& x) {
  ComputationBuilder b("test");
  return Values<T>(b, f(b.ConstantR1<T>(x), SourceLocation::Current()));
}

// Compares f with `expected`, relatively where numbers are greater than 1.
template <typename T>
void ExpectClose(XlaOp (*f)(XlaOp, SourceLocation), double (*expected)(double), const std::vector<T>& x, double atol,
                 double rtol) {
  const std::vector<T> got = Apply<T>(f, x);
  ASSERT_EQ(got.size(), x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const double want = expected(x[i]);
    if (!std::isfinite(want)) {
      EXPECT_EQ(std::isnan(got[i]), std::isnan(want)) << "x = " << x[i];
      if (!std::isnan(want)) {
        EXPECT_EQ(got[i], want) << "x = " << x[i];
      }
    } else {
      EXPECT_NEAR(got[i], want, atol + rtol * std::abs(want)) << "x = " << x[i];
    }
  }
}

template <typename T>
std::vector<T> Grid(double from, double to, int count) {
  std::vector<T> x;
  for (int i = 0; i <= count; ++i) x.push_back(static_cast<T>(from + (to - from) * i / count));
  return x;
}

double ErfcOf(double x) { return std::erfc(x); }
double LgammaOf(double x) { return std::lgamma(x); }

TEST(Math, ErfcIsAccurateInTheTail) {
  ExpectClose<double>(&Erfc, &ErfcOf, Grid<double>(-6, 26, 640), 1e-300, 1e-13);
  ExpectClose<float>(&Erfc, &ErfcOf, Grid<float>(-6, 9, 300), 1e-38, 2e-5);
  EXPECT_THAT(Apply<float>(&Erfc, {-kInf<float>, 0, kInf<float>, 3e38f}), ElementsAre(2, 1, 0, 0));
}

TEST(Math, ErfInvInvertsErf) {
  for (const double x : Grid<double>(-3, 3, 60)) {
    EXPECT_NEAR(Apply<double>(&ErfInv, {std::erf(x)})[0], x, 1e-11) << x;
  }
  for (const float x : Grid<float>(-2, 2, 40)) EXPECT_NEAR(Apply<float>(&ErfInv, {std::erf(x)})[0], x, 1e-5) << x;
  EXPECT_THAT(Apply<float>(&ErfInv, {-1, 0, 1}), ElementsAre(-kInf<float>, 0, kInf<float>));
  EXPECT_NEAR(Apply<float>(&ErfInv, {1e-20f})[0] / 8.8622693e-21f, 1, 1e-6);
  EXPECT_NEAR(Apply<double>(&ErfInv, {1 - 0x1p-53})[0], 5.8635847487551676, 1e-12);
  EXPECT_TRUE(std::isnan(Apply<float>(&ErfInv, {1.5f})[0]));
}

TEST(Math, LgammaOnBothSidesOfZero) {
  ExpectClose<double>(&Lgamma, &LgammaOf, Grid<double>(-10.3, 50, 700), 1e-12, 1e-12);
  ExpectClose<float>(&Lgamma, &LgammaOf, Grid<float>(-5.3, 100, 500), 2e-5, 1e-5);
  EXPECT_THAT(Apply<double>(&Lgamma, {0, -1, -2, kInf<double>}),
              ElementsAre(kInf<double>, kInf<double>, kInf<double>, kInf<double>));
}

TEST(Math, DigammaIsTheDerivativeOfLgamma) {
  EXPECT_NEAR(Apply<double>(&Digamma, {1})[0], -0.57721566490153286, 1e-13);
  EXPECT_NEAR(Apply<double>(&Digamma, {0.5})[0], -1.9635100260214235, 1e-13);
  EXPECT_NEAR(Apply<double>(&Digamma, {-0.5})[0], 0.03648997397857652, 1e-12);
  EXPECT_NEAR(Apply<double>(&Digamma, {10})[0], 2.2517525890667211, 1e-13);
  EXPECT_TRUE(std::isnan(Apply<double>(&Digamma, {-3})[0]));
}

TEST(Math, KindsOfFloats) {
  const std::vector<float> x = {0, -0.f, kInf<float>, -kInf<float>, std::nanf(""), 1};
  const auto kinds = [&](XlaOp (*f)(XlaOp, SourceLocation)) {
    ComputationBuilder b("test");
    return Values<bool>(b, f(b.ConstantR1<float>(x), SourceLocation::Current()));
  };
  EXPECT_THAT(kinds(&IsNan), ElementsAre(false, false, false, false, true, false));
  EXPECT_THAT(kinds(&IsInf), ElementsAre(false, false, true, true, false, false));
  EXPECT_THAT(kinds(&IsPosInf), ElementsAre(false, false, true, false, false, false));
  EXPECT_THAT(kinds(&IsNegInf), ElementsAre(false, false, false, true, false, false));
  EXPECT_THAT(kinds(&IsNegZero), ElementsAre(false, true, false, false, false, false));
}

TEST(Math, NextAfterStepsAsTheCLibrary) {
  const std::vector<float> from = {1, 1, 0, -0.f, 0, -1, 1e-45f, 3.4028235e38f, kInf<float>, 2};
  const std::vector<float> to = {2, 0, 1, 1, -1, 0, 0, kInf<float>, 0, 2};
  ComputationBuilder b("test");
  const auto got = Values<float>(b, NextAfter(b.ConstantR1<float>(from), b.ConstantR1<float>(to)));
  ASSERT_EQ(got.size(), from.size());
  for (size_t i = 0; i < from.size(); ++i) EXPECT_EQ(got[i], std::nextafter(from[i], to[i])) << i;
}

TEST(Math, PowersAndPolynomials) {
  EXPECT_THAT(Apply<float>(&Square, {-3, 2}), ElementsAre(9, 4));
  EXPECT_THAT(Apply<float>(&Reciprocal, {-4, 2}), ElementsAre(-0.25f, 0.5f));
  ComputationBuilder b("test");
  EXPECT_THAT(Values<double>(b, EvaluatePolynomial(b.ConstantR1<double>({0, 3}), {2, 0, 1})), ElementsAre(1, 19));
}

TEST(Activations, OfSmallNumbers) {
  const auto apply = [](auto f) {
    ComputationBuilder b("test");
    return Values<double>(b, f(b.ConstantR1<double>({-2, 0, 7})));
  };
  const auto near = [](double x) { return ::testing::DoubleNear(x, 1e-6); };
  EXPECT_THAT(apply([](XlaOp x) { return Relu(x); }), ElementsAre(0, 0, 7));
  EXPECT_THAT(apply([](XlaOp x) { return Relu6(x); }), ElementsAre(0, 0, 6));
  EXPECT_THAT(apply([](XlaOp x) { return LeakyRelu(x, 0.5); }), ElementsAre(-1, 0, 7));
  EXPECT_THAT(apply([](XlaOp x) { return Elu(x); }), ElementsAre(near(std::expm1(-2.)), 0, 7));
  EXPECT_THAT(apply([](XlaOp x) { return Selu(x); }), ElementsAre(near(-1.5201664), 0, near(7.3549070)));
  EXPECT_THAT(apply([](XlaOp x) { return Gelu(x); }), ElementsAre(near(-0.0455003), 0, near(7)));
  EXPECT_THAT(apply([](XlaOp x) { return Gelu(x, true); }), ElementsAre(near(-0.0454023), 0, near(7)));
  EXPECT_THAT(apply([](XlaOp x) { return Softplus(x); }),
              ElementsAre(near(0.1269280), near(0.6931472), near(7.0009115)));
  EXPECT_THAT(apply([](XlaOp x) { return Swish(x); }), ElementsAre(near(-0.2384058), 0, near(6.9936224)));
}

TEST(MathErrors, NameTheFunctionAndTheCall) {
  ComputationBuilder b("test");
  Erfc(b.ConstantR0<int32_t>(1));
  ExpectError(b, __FILE__, __LINE__ - 1, "Erfc(s32[]): operand must be an array of floats, got s32[]");
  ComputationBuilder c("test");
  NextAfter(c.ConstantR0<float>(1), c.ConstantR0<double>(1));
  ExpectError(c, __FILE__, __LINE__ - 1, "NextAfter(f32[], f64[]): from and to must have the same element type");
  ComputationBuilder d("test");
  Relu(d.ConstantR0<bool>(true));
  ExpectError(d, __FILE__, __LINE__ - 1, "Relu(pred[]): x must be an array of integers or floats, got pred[]");
}

}  // namespace
}  // namespace xla
