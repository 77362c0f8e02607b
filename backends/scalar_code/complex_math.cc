#include "backends/scalar_code/complex_math.h"

#include <limits>

#include "backends/scalar_code/double_double.h"
#include "backends/scalar_code/math_functions.h"

namespace xla {
namespace codegen {
namespace {

using Parts = ComplexParts;

V IsFinite(V x) { return Abs(x) < std::numeric_limits<double>::infinity(); }
V IsTooLarge(V angle) { return Not(Abs(angle) <= kLargestTurned); }
V Never(V x) { return x.ir->Int(Kind::kI1, 0, x.lanes); }
ComplexMath Always(const Parts& value) { return {value, Never(value.real)}; }

ComplexMath ExpOf(const Parts& x) {
  const V e = Exp(x.real);
  const SineAndCosine turn = SinCosInRange(x.imaginary);
  return {{e * turn.cosine, e * turn.sine}, IsTooLarge(x.imaginary)};
}

// With s, c of half the angle: (exp(a) - 1) cos(b) - 2 s^2, exp(a) 2 s c.
ComplexMath Expm1Of(const Parts& x) {
  const SineAndCosine half = SinCosInRange(x.imaginary * 0.5);
  const V versine = half.sine * half.sine * 2.0;
  return {{Expm1Double(x.real) * (1.0 - versine) - versine, Exp(x.real) * (half.sine * half.cosine * 2.0)},
          IsTooLarge(x.imaginary)};
}

// Near 1 the modulus is squared without loss: squares of f32 are exact in f64.
Parts LogOf(const Parts& x) {
  const DoubleDouble square = ExactSum(x.real * x.real, x.imaginary * x.imaginary);
  return {LogOfSum(square.high, square.low) * 0.5, Atan2Wide(x.imaginary, x.real)};
}

// Near 0, |1 + x|^2 is 1 + a (a + 2) + b^2; elsewhere |1 + x| is rounded before its logarithm is taken, as the
// interpreter does.
Parts Log1pOf(const Parts& x) {
  const V is_near = (Abs(x.real) < 0.5) & (Abs(x.imaginary) < 0.5);
  const V square = x.imaginary * x.imaginary;
  const V above = x.real + 1.0;
  const DoubleDouble near = ExactSum(x.real * (x.real + 2.0) + square, x.real.Like(1));
  const V modulus = Sqrt(above * above + square);
  const V log = LogOfSum(Select(is_near, near.high, modulus), Select(is_near, near.low, 0.0));
  return {Select(is_near, log * 0.5, log), Atan2Wide(x.imaginary, above)};
}

// (t, b / 2t) with t^2 = (|x| + |a|) / 2, or the parts exchanged where a < 0.
Parts SqrtOf(const Parts& x) {
  const V modulus = Sqrt(x.real * x.real + x.imaginary * x.imaginary);
  const V t = Sqrt((modulus + Abs(x.real)) * 0.5);
  const V other = x.imaginary / (t * 2.0);
  const V is_left = x.real < 0.0;
  return {Select(is_left, Abs(other), t), Select(is_left, CopySign(t, x.imaginary), other)};
}

struct Hyperbolic {
  V sine;
  V cosine;
};
Hyperbolic HyperbolicOf(V x) { return {Sinh(x), Cosh(x)}; }

ComplexMath SinOf(const Parts& x) {
  const SineAndCosine a = SinCosInRange(x.real);
  const Hyperbolic b = HyperbolicOf(x.imaginary);
  return {{a.sine * b.cosine, a.cosine * b.sine}, IsTooLarge(x.real)};
}
ComplexMath CosOf(const Parts& x) {
  const SineAndCosine a = SinCosInRange(x.real);
  const Hyperbolic b = HyperbolicOf(x.imaginary);
  return {{a.cosine * b.cosine, -(a.sine * b.sine)}, IsTooLarge(x.real)};
}

// (sinh a cosh a + i sin b cos b) / (sinh^2 a + cos^2 b), which is not a number where sinh^2 is infinite.
ComplexMath TanhOf(const Parts& x) {
  const Hyperbolic a = HyperbolicOf(x.real);
  const SineAndCosine b = SinCosInRange(x.imaginary);
  const V divisor = a.sine * a.sine + b.cosine * b.cosine;
  return {{a.sine * a.cosine / divisor, b.sine * b.cosine / divisor}, IsTooLarge(x.imaginary)};
}

// f(i x) = i g(x): g(a + bi) from f(-b + ai).
ComplexMath Turned(ComplexMath (*f)(const Parts&), const Parts& x) {
  const ComplexMath turned = f({-x.imaginary, x.real});
  return {{turned.value.imaginary, -turned.value.real}, turned.is_special};
}

ComplexMath LogisticOf(const Parts& x) {
  const V one = x.real.Like(1);
  const ComplexMath e = ExpOf({-x.real, -x.imaginary});
  return {DivideParts({one, one.Like(0)}, {e.value.real + 1.0, e.value.imaginary}), e.is_special};
}

// Powers of 0 and 1 are exact.
ComplexMath PowerOf(const Parts& x, const Parts& y) {
  ComplexMath power = ExpOf(MultiplyParts(y, LogOf(x)));
  const V is_real = x.imaginary == 0.0;
  power.is_special =
      power.is_special | (is_real & ((x.real == 0.0) | (x.real == 1.0))) | ((y.real == 0.0) & (y.imaginary == 0.0));
  return power;
}

ComplexMath RsqrtOf(const Parts& x) { return Always(DivideParts({x.real.Like(1), x.real.Like(0)}, SqrtOf(x))); }

struct Row {
  HloOpcode opcode;
  ComplexMath (*emit)(const Parts& x);
};
constexpr Row kRows[] = {
    {HloOpcode::kExp, ExpOf},
    {HloOpcode::kExpm1, Expm1Of},
    {HloOpcode::kLog, [](const Parts& x) { return Always(LogOf(x)); }},
    {HloOpcode::kLog1p, [](const Parts& x) { return Always(Log1pOf(x)); }},
    {HloOpcode::kSqrt, [](const Parts& x) { return Always(SqrtOf(x)); }},
    {HloOpcode::kRsqrt, RsqrtOf},
    {HloOpcode::kSin, SinOf},
    {HloOpcode::kCos, CosOf},
    {HloOpcode::kTan, [](const Parts& x) { return Turned(TanhOf, x); }},
    {HloOpcode::kTanh, TanhOf},
    {HloOpcode::kLogistic, LogisticOf},
};

absl::optional<ComplexMath> EmitFunction(HloOpcode opcode, const Parts& x, const Parts& y) {
  if (opcode == HloOpcode::kPower) return PowerOf(x, y);
  for (const Row& row : kRows) {
    if (row.opcode == opcode) return row.emit(x);
  }
  return absl::nullopt;
}

}  // namespace

ComplexParts MultiplyParts(const ComplexParts& x, const ComplexParts& y) {
  return {x.real * y.real - x.imaginary * y.imaginary, x.real * y.imaginary + x.imaginary * y.real};
}
ComplexParts DivideParts(const ComplexParts& x, const ComplexParts& y) {
  const V scale = y.real * y.real + y.imaginary * y.imaginary;
  return {(x.real * y.real + x.imaginary * y.imaginary) / scale, (x.imaginary * y.real - x.real * y.imaginary) / scale};
}

absl::optional<ComplexMath> EmitComplexMath(HloOpcode opcode, const ComplexParts& x, const ComplexParts& y) {
  absl::optional<ComplexMath> math = EmitFunction(opcode, x, y);
  if (!math.has_value()) return math;
  V is_usual = IsFinite(math->value.real) & IsFinite(math->value.imaginary) & IsFinite(x.real) & IsFinite(x.imaginary);
  if (opcode == HloOpcode::kPower) is_usual = is_usual & IsFinite(y.real) & IsFinite(y.imaginary);
  math->is_special = math->is_special | Not(is_usual);
  return math;
}

}  // namespace codegen
}  // namespace xla
