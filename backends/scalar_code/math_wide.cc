// Functions of f32 that are computed in f64 with less effort than those of f64 take, from exp, log and an arctangent.
// Their errors vanish when the result is rounded to the 24 bits of f32; so polynomials are short, and no low parts
// are kept.
#include "backends/scalar_code/math_functions.h"

namespace xla {
namespace codegen {
namespace {

constexpr double kPi = 3.14159265358979323846;

// atan(t) for |t| <= tan(pi / 8).
V AtanOfSmall(V t) {
  static constexpr double kP[] = {-0.33333333331440671523, 0.1999999891725971265,    -0.14285612509160904995,
                                  0.11107495073807521784,  -0.090289827308354972732, 0.071353207539005042891,
                                  -0.040432155970614860201};  // 2^-38.4
  const V square = t * t;
  return Fma(t * square, Polynomial(square, kP), t);
}

}  // namespace

V CbrtWide(V x) { return CopySign(Exp(Log(Abs(x)) * (1.0 / 3.0)), x); }

V PowerWide(V x, V y) {
  const V magnitude = Abs(x);
  return WithPowerCorners(x, y, Exp(Select(magnitude == 1.0, 0.0, y * Log(magnitude))));
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

}  // namespace codegen
}  // namespace xla
