// expm1, tanh, sinh, cosh and erf of f64.
//
// All but erf are made of (exp(x) - 1) / 4, which is finite wherever sinh is, in two parts: tanh is a quotient of it,
// and sinh has nothing that cancels.
#include "backends/scalar_code/double_double.h"
#include "backends/scalar_code/exp_reduction.h"
#include "backends/scalar_code/math_functions.h"

namespace xla {
namespace codegen {
namespace {

// (exp(x) - 1) / 4 of x > -1000; too large from 710.7 on, where twice as much is infinite.
DoubleDouble QuarterExpm1(V x) {
  const ReducedExp reduced = ReduceExp(Select(x > 710.7, 710.7, x));
  const V& r = reduced.r;
  const V scale = PowerOfTwo(reduced.n - 2.0);
  const DoubleDouble sum = ExactSum(scale - 0.25, scale * r);
  const V rest = Fma(r * r, ExpQuadratic(r), reduced.lost);
  return OrderedSum(sum.high, Fma(scale, rest, sum.low));
}

// Of |x| below which functions that begin as x + c x^2 or x + c x^3 are x.
constexpr double kTinyOfSquare = 0x1p-54;
constexpr double kTinyOfCube = 0x1p-28;

}  // namespace

V Expm1Double(V x) {
  const V result = QuarterExpm1(Select(x < -40.0, -40.0, x)).high * 4.0;
  return Select(Abs(x) < kTinyOfSquare, x, result);
}

// With e = exp(2 a) - 1: e / (e + 2). From 22 on that is 1.
V TanhDouble(V x) {
  const V a = Abs(x);
  const DoubleDouble quarter = QuarterExpm1(Select(a > 22.0, 22.0, a) * 2.0);
  DoubleDouble above = ExactSum(quarter.high, x.Like(0.5));
  above.low = above.low + quarter.low;
  const DoubleDouble quotient = Divide(quarter, above);
  return Select(a < kTinyOfCube, x, CopySign(quotient.high + quotient.low, x));
}

// With h = (exp(a) - 1) / 2: h + h / (2 h + 1).
V Sinh(V x) {
  const V a = Abs(x);
  const V half = QuarterExpm1(a).high * 2.0;
  const V bounded = Select(half > 0x1p1000, 0x1p1000, half);
  return Select(a < kTinyOfCube, x, CopySign(half + bounded / Fma(bounded, x.Like(2), x.Like(1)), x));
}

// With h = exp(a) / 2: h + 1 / (4 h).
V Cosh(V x) {
  const V half = QuarterExpm1(Abs(x)).high * 2.0 + 0.5;
  return half + 0.25 / half;
}

// x + x p(x^2) up to 0.84, then 1 - exp(l(x)), where l is log(erfc(x)); from 6 on that is 1. The error of l weighs
// little, as erfc does beside erf.
V ErfDouble(V x) {
  static constexpr double kP[] = {0.12837916709551258632,    -0.37612638903183753802,     0.11283791670955119202,
                                  -0.026866170645129364841,  0.0052239776254115761339,    -0.00085483270204923128034,
                                  0.00012055332798103447138, -0.000014925642707496154522, 1.6461895849780495936e-6,
                                  -1.6361546960894501579e-7, 1.4749807070705316993e-8,    -1.179053761602782974e-9,
                                  6.8118851533389073478e-11};  // 2^-56.3
  static constexpr double kL[] = {-1.490618393956420354e-7,    -1.1283775215382341184,     -0.63662817230091761633,
                                  -0.10274633982391714881,     0.019072357743009575592,    0.00029536561718967454604,
                                  -0.0017933991817258669848,   0.0006697885462227633549,   -0.000070011681011800667085,
                                  -0.000053313560077600518098, 0.000036051332146774057921, -0.000012815082338092770027,
                                  3.1418658287943022504e-6,    -5.5816400877230907411e-7,  7.1264169688689322465e-8,
                                  -6.2349834344115007088e-9,   3.3563050397336342921e-10,  -8.3921304652269264722e-12};
  const V a = Abs(x);
  const V small = Fma(a, Polynomial(a * a, kP), a);
  const V large = 1.0 - Exp(Polynomial(Select(a > 6.0, 6.0, a), kL));  // 2^-54.7
  return CopySign(Select(a < 0.84, small, large), x);
}

}  // namespace codegen
}  // namespace xla
