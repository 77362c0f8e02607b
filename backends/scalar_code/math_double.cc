// Functions made of exp and log: powers, roots, areas; and the arctangent. Of f64, and of f32 where a device has no f64
// or is slow with it.
//
// Each computes in pairs of floats (double_double.h) where one would lose digits, and selects special cases at the
// end, so that all lanes take the same instructions. pow(x, y) is exp(y log |x|) with the logarithm as a pair: an
// absolute error of the exponent becomes a relative one of the result.
#include "backends/scalar_code/double_double.h"
#include "backends/scalar_code/exp_reduction.h"
#include "backends/scalar_code/log_in_parts.h"
#include "backends/scalar_code/math_functions.h"

namespace xla {
namespace codegen {
namespace {

constexpr double kLn2 = 0x1.62e42fefa39efp-1;
// From here on, log(a + sqrt(a^2 +- 1)) is log(a) + log(2), and a^2 does not overflow below.
constexpr double kLarge = 0x1p28;

// Whether y is an integer, for any y.
V IsInteger(V y) {
  const double all_whole = y.kind == Kind::kF64 ? 0x1p52 : 0x1p23;  // from here on
  const V a = Abs(y);
  return (a >= all_whole) | (((a + all_whole) - all_whole) == a);
}

V AddLn2(V is_large, V x) { return x + Select(is_large, x.Like(kLn2), x.Like(0)); }

// What one step of Newton's method adds to t, which is the root of a to more than half of the digits wanted.
V CubeRootStep(V a, V t) {
  const DoubleDouble square = ExactProduct(t, t);
  const DoubleDouble cube = ExactProduct(square.high, t);
  return Fma(-square.low, t, (a - cube.high) - cube.low) / (square.high * 3.0);
}

// The root of a number that is neither very large nor small: to a few bits, by a third of the exponent, and then to
// nearly all, by two steps of Halley's method.
V NearCubeRootSingle(V a) {
  // Two thirds of the bits of 1, less what makes the largest error smallest.
  constexpr int64_t kTwoThirdsOfOne = 0x2A5137A0;
  Ir& ir = *a.ir;
  const V bits = ToBits(a);
  V t = FromBits(ir.Binary(Ir::Op::kUnsignedDivide, bits, bits.LikeInt(3)) + kTwoThirdsOfOne);
  for (int step = 0; step < 2; ++step) {
    const V cube = t * t * t;
    t = t * ((cube + a + a) / (cube + cube + a));
  }
  return t;
}

V CubeRootDouble(V magnitude) {
  const V is_small = magnitude < 0x1p-900;
  const V a = Select(is_small, magnitude * 0x1p162, magnitude);
  const V t = CbrtWide(a);
  const V root = t + CubeRootStep(a, t);
  return Select(is_small, root * 0x1p-54, root);
}

// Where an fma is computed of halves, cubes of the largest numbers must not be computed either.
V CubeRootInParts(V magnitude) {
  const bool is_double = magnitude.kind == Kind::kF64;
  const V is_small = magnitude < (is_double ? 0x1p-900 : 0x1p-90);
  const V is_large = magnitude > (is_double ? 0x1p900 : 0x1p90);
  const V one = magnitude.Like(1);
  const V scale = Select(is_small, magnitude.Like(is_double ? 0x1p162 : 0x1p54),
                         Select(is_large, magnitude.Like(is_double ? 0x1p-162 : 0x1p-54), one));
  const V a = magnitude * scale;
  const V t = is_double ? CbrtWide(a) : NearCubeRootSingle(a);
  const V back = Select(is_small, magnitude.Like(is_double ? 0x1p-54 : 0x1p-18),
                        Select(is_large, magnitude.Like(is_double ? 0x1p54 : 0x1p18), one));
  return (t + CubeRootStep(a, t)) * back;
}

}  // namespace

V WithPowerCorners(V x, V y, V power) {
  const V is_odd = IsInteger(y) & Not(IsInteger(y * 0.5));
  const V is_negative = ToBits(x) < 0;
  V result = Select(is_negative & is_odd, -power, power);
  result = Select((x < 0.0) & (x != -kInfinity) & Not(IsInteger(y)), kNan, result);
  result = Select(IsNan(x) | IsNan(y), kNan, result);
  return Select((y == 0.0) | (x == 1.0), 1.0, result);
}

// exp(y * log |x|) with the logarithm and the product as sums of two doubles, for the error of the exponent becomes
// the relative error of the result. Corner cases follow, see WithPowerCorners.
V PowerInParts(V x, V y) {
  const V magnitude = Abs(x);
  const DoubleDouble log = LogInParts(magnitude);
  V log_high = Select(magnitude == 0.0, -kInfinity, log.high);
  log_high = Select(magnitude == kInfinity, kInfinity, log_high);
  const DoubleDouble product = ExactProduct(y, log_high);
  const V low = Fma(y, log.low, product.low);
  const V is_one = magnitude == 1.0;
  const V exponent = Select(is_one, 0.0, product.high);
  // Beyond the range of exp, and next to its ends, low is nothing or not a number.
  const V has_low = (Abs(exponent) < (x.kind == Kind::kF64 ? 800.0 : 120.0)) & Not(is_one);
  return WithPowerCorners(x, y, ExpOfSum(exponent, Select(has_low, low, x.Like(0))));
}

// Of small numbers the products of CubeRootStep would lose their low parts: these are scaled.
V Cbrt(V x) {
  const V magnitude = Abs(x);
  const V root = x.ir->has_fast_double() ? CubeRootDouble(magnitude) : CubeRootInParts(magnitude);
  return Select((magnitude > 0.0) & (magnitude < kInfinity), CopySign(root, x), x);
}

namespace {

// What an arctangent depends on the format for.
struct AngleConstants {
  absl::Span<const double> p;  // atan(t) = t + t^3 p(t^2)
  double too_large;            // from here on, numbers are scaled down
  double down;
  double too_small;
  double up;
  double quarter_high;  // pi / 4
  double quarter_low;
};

const AngleConstants& AngleConstantsOf(Kind kind) {
  static constexpr double kDoubleP[] = {
      -0.33333333333333331483,  0.19999999999999804046,  -0.14285714285659828482,  0.11111111105155446754,
      -0.090909087535008717418, 0.076922963750320025311, -0.066664248857357444322, 0.058789289978059121322,
      -0.052304542704376670581, 0.045515932196568673063, -0.034570561956489428979, 0.016285756827583593859};  // 2^-58.1
  // Those of math_wide.cc.
  static constexpr double kSingleP[] = {-0.33333333331440671523, 0.1999999891725971265,    -0.14285612509160904995,
                                        0.11107495073807521784,  -0.090289827308354972732, 0.071353207539005042891,
                                        -0.040432155970614860201};  // 2^-38.4
  static const AngleConstants kDouble = {
      kDoubleP, 0x1p1020, 0x1p-4, 0x1p-400, 0x1p600, 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55};
  static const AngleConstants kSingle = {kSingleP, 0x1p100, 0x1p-30, 0x1p-60, 0x1p90, 0x1.921fb6p-1, -0x1.777a5cp-26};
  return kind == Kind::kF64 ? kDouble : kSingle;
}

}  // namespace

// The angle within an eighth of a turn, of the smaller over the larger magnitude, less another eighth if it is more
// than a sixteenth; what is added to it is a number of eighths.
V Atan2InParts(V y, V x) {
  const AngleConstants& c = AngleConstantsOf(x.kind);
  constexpr double kTanPi8 = 0.41421356237309504880;
  const V a = Abs(y);
  const V b = Abs(x);
  const V is_steep = a > b;
  V smaller = Select(is_steep, b, a);
  V larger = Select(is_steep, a, b);
  // So that nothing overflows, and 1 / larger is a normal number.
  const V one = x.Like(1);
  const V none = x.Like(0);
  const V is_infinite = larger == kInfinity;
  const V scale = Select(larger > c.too_large, x.Like(c.down), Select(larger < c.too_small, x.Like(c.up), one));
  smaller = Select(is_infinite, Select(smaller == kInfinity, one, none), smaller * scale);
  larger = Select(is_infinite, one, larger * scale);
  const V is_wide = smaller > larger * kTanPi8;
  const DoubleDouble difference = ExactSum(smaller, -larger);
  const DoubleDouble sum = OrderedSum(larger, smaller);
  const DoubleDouble numerator = {Select(is_wide, difference.high, smaller), Select(is_wide, difference.low, none)};
  const DoubleDouble denominator = {Select(is_wide, sum.high, larger), Select(is_wide, sum.low, none)};
  const DoubleDouble t = Divide(numerator, denominator);
  const V square = t.high * t.high;
  // atan(t) = t + t^3 p(t^2), and t.low (1 - t^2) more.
  V angle = Select(larger == 0.0, none, t.high);
  V rest = Select(larger == 0.0, none, Fma(t.high * square, Polynomial(square, c.p), Fma(-t.low, square, t.low)));
  V eighths = Select(is_wide, one, none);
  const auto reflect = [&](V where, double whole) {
    angle = Select(where, -angle, angle);
    rest = Select(where, -rest, rest);
    eighths = Select(where, whole - eighths, eighths);
  };
  reflect(is_steep, 2.0);
  reflect(ToBits(x) < 0, 4.0);
  const DoubleDouble turned = ExactProduct(eighths, x.Like(c.quarter_high));
  const DoubleDouble total = ExactSum(turned.high, angle);
  const V low = Fma(eighths, x.Like(c.quarter_low), turned.low) + rest;
  return Select(IsNan(x) | IsNan(y), kNan, CopySign(total.high + (total.low + low), y));
}

V Asin(V x) { return Atan2InParts(x, Sqrt((1.0 - x) * (x + 1.0))); }
V Acos(V x) { return Atan2InParts(Sqrt((1.0 - x) * (x + 1.0)), x); }

// log(a + sqrt(a^2 + 1)), as log1p of what is small with a.
V Asinh(V x) {
  const V a = Abs(x);
  const V is_large = a > kLarge;
  const V square = a * a;
  const V argument = Select(is_large, a - 1.0, a + square / (Sqrt(square + 1.0) + 1.0));
  return CopySign(Select(a == kInfinity, a, AddLn2(is_large, Log1p(argument))), x);
}
// log(x + sqrt(x^2 - 1)), with t = x - 1.
V Acosh(V x) {
  const V t = x - 1.0;
  const V is_large = x > kLarge;
  return Select(x < 1.0, kNan, AddLn2(is_large, Log1p(Select(is_large, t, t + Sqrt(t * (t + 2.0))))));
}
V Atanh(V x) {
  const V a = Abs(x);
  return CopySign(Log1p(a * 2.0 / (1.0 - a)) * 0.5, x);
}

}  // namespace codegen
}  // namespace xla
