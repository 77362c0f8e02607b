// Functions of f32 that are computed in f64, from exp, log and an arctangent.
#include <limits>

#include "backends/cpu/codegen/math_functions.h"

namespace xla {
namespace codegen {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = 3.14159265358979323846;

// atan(t) for |t| <= tan(pi / 8).
V AtanOfSmall(V t) {
  static constexpr double kP[] = {-0.33333333331440671523, 0.1999999891725971265,    -0.14285612509160904995,
                                  0.11107495073807521784,  -0.090289827308354972732, 0.071353207539005042891,
                                  -0.040432155970614860201};  // 2^-38.4
  const V square = t * t;
  return Fma(t * square, Polynomial(square, kP), t);
}

// Whether y is an integer, for any y; beyond 2^51 all are, and even ones.
V IsInteger(V y) {
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52
  return (Abs(y) >= 0x1p51) | (((y + kRound) - kRound) == y);
}

}  // namespace

V CbrtWide(V x) { return CopySign(Exp(Log(Abs(x)) * (1.0 / 3.0)), x); }

// exp(y log |x|), with the sign and the corners of C's pow.
V PowerWide(V x, V y) {
  const V magnitude = Abs(x);
  const V exponent = Select(magnitude == 1.0, 0.0, y * Log(magnitude));
  const V power = Exp(exponent);
  const V is_odd = IsInteger(y) & Not(IsInteger(y * 0.5));
  const V is_negative = ToBits(x) < 0;
  V result = Select(is_negative & is_odd, -power, power);
  result = Select((x < 0.0) & (magnitude != kInfinity) & Not(IsInteger(y)), kNan, result);
  result = Select(IsNan(x) | IsNan(y), kNan, result);
  return Select((y == 0.0) | (x == 1.0), 1.0, result);
}

// The angle within an eighth of a turn, of the smaller over the larger magnitude, less another eighth if it is more
// than a sixteenth.
V Atan2Wide(V y, V x) {
  constexpr double kTanPi8 = 0.41421356237309504880;
  const V a = Abs(y);
  const V b = Abs(x);
  const V both_infinite = (a == kInfinity) & (b == kInfinity);
  const V is_steep = a > b;
  const V smaller = Select(both_infinite, 1.0, Select(is_steep, b, a));
  const V larger = Select(both_infinite, 1.0, Select(is_steep, a, b));
  const V is_wide = smaller > larger * kTanPi8;
  const V numerator = Select(is_wide, smaller - larger, smaller);
  const V denominator = Select(is_wide, smaller + larger, larger);
  const V quotient = Select(larger == 0.0, 0.0, numerator / denominator);
  V angle = AtanOfSmall(quotient);
  angle = Select(is_wide, angle + kPi / 4, angle);
  angle = Select(is_steep, kPi / 2 - angle, angle);
  angle = Select(ToBits(x) < 0, kPi - angle, angle);
  return Select(IsNan(x) | IsNan(y), kNan, CopySign(angle, y));
}

V AsinWide(V x) { return Atan2Wide(x, Sqrt((1.0 - x) * (x + 1.0))); }
V AcosWide(V x) { return Atan2Wide(Sqrt((1.0 - x) * (x + 1.0)), x); }

V SinhWide(V x) {
  static constexpr double kP[] = {0.16666666666698407623, 0.0083333333174643625948, 0.0001984128253011598958,
                                  2.7553770263641490405e-6, 2.5456706571523820711e-8};  // 2^-41.8
  const V a = Abs(x);
  const V square = a * a;
  const V small = Fma(a * square, Polynomial(square, kP), a);
  const V e = Exp(a);
  return CopySign(Select(a < 1.0, small, (e - 1.0 / e) * 0.5), x);
}
V CoshWide(V x) {
  const V e = Exp(Abs(x));
  return (e + 1.0 / e) * 0.5;
}

// log(a + sqrt(a^2 + 1)), as log1p of what is small with a.
V AsinhWide(V x) {
  const V a = Abs(x);
  const V square = a * a;
  const V result = Log1p(a + square / (Sqrt(square + 1.0) + 1.0));
  return CopySign(Select(a == kInfinity, a, result), x);
}
// log(x + sqrt(x^2 - 1)), with t = x - 1.
V AcoshWide(V x) {
  const V t = x - 1.0;
  return Select(x < 1.0, kNan, Log1p(t + Sqrt(t * (t + 2.0))));
}
V AtanhWide(V x) {
  const V a = Abs(x);
  return CopySign(Log1p(a * 2.0 / (1.0 - a)) * 0.5, x);
}

}  // namespace codegen
}  // namespace xla
