// Parts keep clear of the limits of their type: numbers are multiplied, divided and measured between 1 and 4, and their
// exponents put back at the end; exponentials near overflow are products of their roots; logarithms near 1 are taken of
// exact sums. The corners are those of C99, annex G, as far as the interpreter has them.
//
// asin, acos and the functions made of them: W. Kahan, Branch Cuts for Complex Elementary Functions (1987).
#include "backends/scalar_code/complex_in_parts.h"

#include <algorithm>
#include <iterator>

#include "backends/scalar_code/double_double.h"
#include "backends/scalar_code/elementwise_emitter.h"
#include "backends/scalar_code/math_functions.h"
#include "xla_core/support/check.h"

namespace xla {
namespace codegen {
namespace {

// As static functions, which may call each other.
class InParts {
 public:
  using Parts = ComplexParts;

  static Parts Add(const Parts& x, const Parts& y) { return {SumOf(x.real, y.real), SumOf(x.imaginary, y.imaginary)}; }
  static Parts Subtract(const Parts& x, const Parts& y) { return Add(x, {-y.real, -y.imaginary}); }

  static Parts Multiply(const Parts& x, const Parts& y) {
    const Scaled a = Scale(x);
    const Scaled b = Scale(y);
    const V is_usual = a.is_usual & b.is_usual;
    const Parts product = ProductOf(a.parts, b.parts);
    return SelectParts(is_usual, ScaledBack(product, a.back, b.back), MultiplyParts(Bounded(x), Bounded(y)));
  }

  static Parts Divide(const Parts& x, const Parts& y) {
    const Scaled a = Scale(x);
    const Scaled b = Scale(y);
    const V is_zero = (y.real == 0.0) & (y.imaginary == 0.0);
    const V square = Fma(b.parts.real, b.parts.real, b.parts.imaginary * b.parts.imaginary);
    const Parts product = ProductOf(a.parts, {b.parts.real, -b.parts.imaginary});
    const Parts quotient = {product.real / square, product.imaginary / square};
    return SelectParts(a.is_usual & b.is_usual & Not(is_zero), ScaledBack(quotient, a.back, b.scale),
                       DivideParts(Bounded(x), SelectParts(b.is_usual & Not(is_zero), b.parts, y)));
  }

  // ---- Exponentials
  static Parts Exp(const Parts& x) {
    const Growth e = GrowthOf(x.real);
    const Parts turned = {e.Of(Real(HloOpcode::kCos, x.imaginary)),
                          Select(x.imaginary == 0.0, x.imaginary, e.Of(Real(HloOpcode::kSin, x.imaginary)))};
    const V is_nothing = x.real == -kInfinity;
    return {Select(is_nothing, 0.0, turned.real),
            Select(is_nothing, CopySign(x.real.Like(0), x.imaginary), turned.imaginary)};
  }

  // (exp(a) - 1) cos(b) - 2 sin(b / 2)^2, exp(a) sin(b)
  static Parts Expm1(const Parts& x) {
    const Growth e = GrowthOf(x.real);
    const V cosine = Real(HloOpcode::kCos, x.imaginary);
    const V half_sine = Real(HloOpcode::kSin, x.imaginary * 0.5);
    const V near = Real(HloOpcode::kExpm1, x.real) * cosine - half_sine * half_sine * 2.0;
    const V is_real = x.imaginary == 0.0;
    const V real = Select(is_real, Real(HloOpcode::kExpm1, x.real), Select(e.is_large, e.Of(cosine), near));
    return {real, Select(is_real, x.imaginary, e.Of(Real(HloOpcode::kSin, x.imaginary)))};
  }

  static Parts Sinh(const Parts& x) {
    const Growth e = GrowthOf(Abs(x.real));
    const V sine = Real(HloOpcode::kSin, x.imaginary);
    const V cosine = Real(HloOpcode::kCos, x.imaginary);
    const V is_real = x.imaginary == 0.0;
    const V large = CopySign(x.real.Like(0.5), x.real);
    return {Select(is_real, Real(HloOpcode::kSinh, x.real),
                   Select(e.is_large, e.Of(cosine * large), Real(HloOpcode::kSinh, x.real) * cosine)),
            Select(is_real, x.imaginary, Select(e.is_large, e.Of(sine * 0.5), Real(HloOpcode::kCosh, x.real) * sine))};
  }

  static Parts Cosh(const Parts& x) {
    const Growth e = GrowthOf(Abs(x.real));
    const V sine = Real(HloOpcode::kSin, x.imaginary);
    const V cosine = Real(HloOpcode::kCos, x.imaginary);
    const V large = CopySign(x.real.Like(0.5), x.real);
    return {Select(e.is_large, e.Of(cosine * 0.5), Real(HloOpcode::kCosh, x.real) * cosine),
            Select(x.imaginary == 0.0, CopySign(x.imaginary, large * x.imaginary),
                   Select(e.is_large, e.Of(sine * large), Real(HloOpcode::kSinh, x.real) * sine))};
  }

  // (sinh a cosh a + i sin b cos b) / (sinh^2 a + cos^2 b); of large a, 1 and what is left of the angle.
  static Parts Tanh(const Parts& x) {
    constexpr double kFlat = 22;  // from here on, tanh is 1 to the last bit
    const V is_flat = Abs(x.real) > kFlat;
    const V a = Select(is_flat, 0.0, x.real);
    const V sine = Real(HloOpcode::kSin, x.imaginary);
    const V cosine = Real(HloOpcode::kCos, x.imaginary);
    const V sinh = Real(HloOpcode::kSinh, a);
    const V divisor = Fma(sinh, sinh, cosine * cosine);
    const V shrunk = Real(HloOpcode::kExp, Abs(x.real) * -2.0);
    const V one = CopySign(x.real.Like(1), x.real);
    const V is_real = x.imaginary == 0.0;
    const V is_infinite = IsInfinite(x.real);
    const V real = Select(is_real, Real(HloOpcode::kTanh, x.real),
                          Select(is_flat, one, sinh * Real(HloOpcode::kCosh, a) / divisor));
    const V imaginary = Select(is_flat, sine * cosine * 4.0 * shrunk, sine * cosine / divisor);
    return {real, Select(is_real, x.imaginary, Select(is_infinite, CopySign(x.real.Like(0), x.imaginary), imaginary))};
  }

  // 1 / (1 + exp(-x)), of negative real parts as exp(x) / (1 + exp(x)). Where the interpreter's exp(-x) is infinite, so
  // is its square, and it has no number either.
  static Parts Logistic(const Parts& x) {
    const double overflow = x.real.kind == Kind::kF32 ? 709.782712893384 : 11356.523406294143;
    const V is_negative = x.real < 0.0;
    const Parts e = Exp({-Abs(x.real), Select(is_negative, x.imaginary, -x.imaginary)});
    const V one = x.real.Like(1);
    const Parts numerator = SelectParts(is_negative, e, {one, one.Like(0)});
    const Parts result = Divide(numerator, {e.real + 1.0, e.imaginary});
    const V is_lost = x.real < -overflow;
    return {Select(is_lost, kNan, result.real), Select(is_lost, kNan, result.imaginary)};
  }

  // f(i x) = i g(x): g(a + bi) from f(-b + ai).
  static Parts Turned(Parts (*f)(const Parts&), const Parts& x) {
    const Parts turned = f({-x.imaginary, x.real});
    return {turned.imaginary, -turned.real};
  }
  static Parts Cos(const Parts& x) { return Cosh({-x.imaginary, x.real}); }

  // ---- Logarithms and powers
  static Parts Log(const Parts& x) { return {LogModulus(x), Atan2(x.imaginary, x.real)}; }

  // Near 0, |1 + x|^2 is 1 + a (a + 2) + b^2, of which the sum is exact.
  static Parts Log1p(const Parts& x) {
    const V is_near = (Abs(x.real) < 0.5) & (Abs(x.imaginary) < 0.5);
    const V a = Select(is_near, x.real, 0.0);
    const V b = Select(is_near, x.imaginary, 0.0);
    const DoubleDouble linear = ExactSum(a * 2.0, b * b);
    const V above = Fma(a, a, linear.high) + (linear.low + Fma(b, b, -(b * b)));
    const V sum = x.real + 1.0;
    return {Select(is_near, Real(HloOpcode::kLog1p, above) * 0.5, LogModulus({sum, x.imaginary})),
            Atan2(x.imaginary, sum)};
  }

  // (t, b / 2t) with t^2 = (|x| + |a|) / 2, or the parts exchanged where a < 0; of a number of an exponent near 0.
  static Parts Root(const Parts& x) {
    const bool is_single = x.real.kind == Kind::kF32;
    const V largest = EmitMaximum(Abs(x.real), Abs(x.imaginary));
    const V is_large = largest > (is_single ? 0x1p60 : 0x1p500);
    const V is_small = largest < (is_single ? 0x1p-40 : 0x1p-400);
    const auto factor = [&](double of_large, double of_small) {
      return Select(is_large, of_large, Select(is_small, of_small, x.real.Like(1)));
    };
    const V scale = is_single ? factor(0x1p-80, 0x1p90) : factor(0x1p-600, 0x1p700);
    const V back = is_single ? factor(0x1p40, 0x1p-45) : factor(0x1p300, 0x1p-350);
    const V a = Abs(x.real * scale);
    const V b = x.imaginary * scale;
    const V t = Sqrt((Sqrt(Fma(a, a, b * b)) + a) * 0.5);
    const V other = b / (t * 2.0);
    const V is_left = x.real < 0.0;
    const Parts root = {Select(is_left, Abs(other), t) * back, Select(is_left, CopySign(t, b), other) * back};
    const V is_zero = largest == 0.0;
    const V is_infinite = IsInfinite(x.imaginary);
    return {Select(is_infinite, kInfinity, Select(is_zero, 0.0, root.real)),
            Select(is_infinite | is_zero, x.imaginary, root.imaginary)};
  }

  static Parts Rsqrt(const Parts& x) { return Divide({x.real.Like(1), x.real.Like(0)}, Root(x)); }

  // exp(y log x), with a product as C has it, which is infinite where a factor is.
  static Parts Power(const Parts& x, const Parts& y) {
    const Parts log = Log(x);
    const Parts product = MultiplyParts(y, log);
    const V is_infinite = IsInfinite(log.real) | IsInfinite(y.real) | IsInfinite(y.imaginary);
    const Parts signs = MultiplyParts(SignsOf(y), SignsOf(log));
    const V is_lost = IsNan(product.real) & IsNan(product.imaginary) & is_infinite;
    const Parts power = Exp(SelectParts(is_lost, {signs.real * kInfinity, signs.imaginary * kInfinity}, product));
    const V one = x.real.Like(1);
    const V zero = x.real.Like(0);
    const V is_real = x.imaginary == 0.0;
    const V is_zero = is_real & (x.real == 0.0);
    const V is_one = (is_real & (x.real == 1.0)) | ((y.real == 0.0) & (y.imaginary == 0.0));
    const V of_reals = (is_zero | (is_real & IsInfinite(x.real))) & (y.imaginary == 0.0);
    const V vanishes = is_zero & (y.real > 0.0);
    Parts result = SelectParts(of_reals, {RealPower(x.real, y.real), zero}, power);
    result = SelectParts(vanishes, {zero, zero}, result);
    return SelectParts(is_one, {one, zero}, result);
  }

  // -i log((x + iy) / sqrt(x^2 + y^2)): a common factor of x and y changes nothing.
  static Parts Angle(const Parts& y, const Parts& x) {
    const Scaled a = Scale(x);
    const Scaled b = Scale(y);
    const V scale = EmitMinimum(a.scale, b.scale);
    const Parts u = {x.real * scale, x.imaginary * scale};
    const Parts v = {y.real * scale, y.imaginary * scale};
    const Parts uu = Multiply(u, u);
    const Parts vv = Multiply(v, v);
    const Parts root = Root({uu.real + vv.real, uu.imaginary + vv.imaginary});
    const Parts log = Log(Divide({u.real - v.imaginary, u.imaginary + v.real}, root));
    return {log.imaginary, -log.real};
  }

  // ---- Inverses
  // Of large numbers, asin is atan2(a, |b|) + i log(2 |x|), and acos the rest of a quarter.
  static Parts Asin(const Parts& x) {
    const Roots roots = RootsOf(x);
    const Parts& s = roots.of_less;
    const Parts& t = roots.of_more;
    const V real = Atan2(x.real, s.real * t.real - s.imaginary * t.imaginary);
    const V imaginary = Real(HloOpcode::kAsinh, s.real * t.imaginary - s.imaginary * t.real);
    return {Select(roots.is_large, Atan2(x.real, Abs(x.imaginary)), real),
            Select(roots.is_large, roots.large, imaginary)};
  }
  static Parts Acos(const Parts& x) {
    const Roots roots = RootsOf(x);
    const Parts& s = roots.of_less;
    const Parts& t = roots.of_more;
    const V imaginary = Real(HloOpcode::kAsinh, t.real * s.imaginary - t.imaginary * s.real);
    return {Select(roots.is_large, Atan2(Abs(x.imaginary), x.real), Atan2(s.real, t.real) * 2.0),
            Select(roots.is_large, -roots.large, imaginary)};
  }
  static Parts Acosh(const Parts& x) {
    const Parts angle = Acos(x);
    return {Abs(angle.imaginary), CopySign(angle.real, x.imaginary)};
  }

  // log(1 + 4a / ((1 - a)^2 + b^2)) / 4, atan2(2b, (1 - a)(1 + a) - b^2) / 2
  static Parts Atanh(const Parts& x) {
    constexpr double kQuarterTurn = 1.57079632679489661923;
    const V a = Abs(x.real);
    const V b = x.imaginary;
    const V below = 1.0 - a;
    const V real = Real(HloOpcode::kLog1p, a * 4.0 / Fma(below, below, b * b)) * 0.25;
    const V imaginary = Atan2(b * 2.0, below * (a + 1.0) - b * b) * 0.5;
    const V is_large = IsInfinite(b) | ((EmitMaximum(a, Abs(b)) > 0x1p60) & Not(IsNan(b)));
    return {CopySign(Select(is_large, 0.0, real), x.real),
            Select(is_large, CopySign(b.Like(kQuarterTurn), b), imaginary)};
  }

 private:
  static V Real(HloOpcode opcode, V x) { return *EmitFloatRow(opcode, x, x); }
  static V Atan2(V y, V x) { return *EmitFloatRow(HloOpcode::kAtan2, y, x); }
  static V RealPower(V x, V y) { return *EmitFloatRow(HloOpcode::kPower, x, y); }
  static V IsInfinite(V x) { return Abs(x) == kInfinity; }

  // The bits of the interpreter, which rounds sums of f64 to the 64 bits of a long double first: what is then half way
  // between two f64 becomes the even one. Sums of f32, which it rounds to f64, are those that are rounded once.
  static V SumOf(V x, V y) {
    if (x.kind == Kind::kF32) return x + y;
    const DoubleDouble sum = ExactSum(x, y);
    const V bits = ToBits(sum.high);
    const V half = FromBits(bits & (int64_t{0x7FF} << 52)) * 0x1p-53;
    const V is_half = (sum.low != 0.0) & (Abs(sum.low) >= half * (1 - 0x1p-11));
    const V is_outward = Not((sum.low < 0.0) ^ (sum.high < 0.0));
    const V other = FromBits(bits + Select(is_outward, bits.LikeInt(1), bits.LikeInt(-1)));
    return Select(is_half & ((bits & 1) != 0), other, sum.high);
  }
  static Parts SelectParts(V condition, const Parts& on_true, const Parts& on_false) {
    return {Select(condition, on_true.real, on_false.real), Select(condition, on_true.imaginary, on_false.imaginary)};
  }

  // The same infinities and NaN, and numbers whose products are finite.
  static Parts Bounded(const Parts& x) {
    const auto bounded = [](V part) {
      return Select(Abs(part) < kInfinity, CopySign(EmitMinimum(Abs(part), part.Like(0x1p60)), part), part);
    };
    return {bounded(x.real), bounded(x.imaginary)};
  }
  // Of an infinite number, 1 for each infinite part and 0 for another one, with their signs; of another one, numbers in
  // place of NaN.
  static Parts SignsOf(const Parts& x) {
    const V is_infinite = IsInfinite(x.real) | IsInfinite(x.imaginary);
    const auto sign = [&](V part) {
      const V zero = part.Like(0);
      return Select(is_infinite, CopySign(Select(IsInfinite(part), 1.0, zero), part),
                    Select(IsNan(part), CopySign(zero, part), part));
    };
    return {sign(x.real), sign(x.imaginary)};
  }

  // x = parts * back, with the larger part between 1 and 4 and a power of two, whose inverse is `scale`. Parts of
  // denormal numbers may be less; those of infinities and NaN mean nothing.
  struct Scaled {
    Parts parts;
    V scale;
    V back;
    V is_usual;  // finite
  };
  static Scaled Scale(const Parts& x) {
    const bool is_single = x.real.kind == Kind::kF32;
    const int mantissa_bits = is_single ? 23 : 52;
    const int64_t twice_bias = is_single ? 254 : 2046;
    const V largest = EmitMaximum(Abs(x.real), Abs(x.imaginary));
    // As of a word, where an i64 may be a pair of them.
    const V exponent = x.real.ir->ZeroExtend(ToBits(largest) >> mantissa_bits, Kind::kI32);
    const V least = exponent.LikeInt(1);
    const V bounded =
        Select(exponent < 1, least, Select(exponent > twice_bias - 1, exponent.LikeInt(twice_bias - 1), exponent));
    const auto power = [&](V field) {
      return FromBits(x.real.ir->ZeroExtend(field, IntKind(is_single ? 32 : 64)) << mantissa_bits);
    };
    const V scale = power(twice_bias - bounded);
    return {{x.real * scale, x.imaginary * scale}, scale, power(bounded), largest < kInfinity};
  }
  // x times two powers of two, of which the product may be out of range where the result is not.
  static Parts ScaledBack(const Parts& x, V a, V b) {
    const V is_mixed = (a < 1.0) ^ (b < 1.0);
    const V both = a * b;
    const auto part = [&](V value) { return Select(is_mixed, value * both, value * a * b); };
    return {part(x.real), part(x.imaginary)};
  }

  // x y, each part with the rounding errors of its products.
  static Parts ProductOf(const Parts& x, const Parts& y) {
    const V w = x.imaginary * y.imaginary;
    const V v = x.imaginary * y.real;
    return {Fma(x.real, y.real, -w) - Fma(x.imaginary, y.imaginary, -w),
            Fma(x.real, y.imaginary, v) + Fma(x.imaginary, y.real, -v)};
  }

  // exp(a), as the square of its root where it might overflow.
  struct Growth {
    V root;
    V is_large;
    V Of(V x) const { return Select(is_large, x * root * root, x * root); }
  };
  static Growth GrowthOf(V a) {
    const V is_large = a > (a.kind == Kind::kF32 ? 80.0 : 700.0);
    return {Real(HloOpcode::kExp, Select(is_large, a * 0.5, a)), is_large};
  }

  // log |x|: of the larger part and of what the smaller one adds; near 1, of |x|^2 - 1.
  static V LogModulus(const Parts& x) {
    const V a = Abs(x.real);
    const V b = Abs(x.imaginary);
    const V larger = EmitMaximum(a, b);
    const V smaller = EmitMinimum(a, b);
    const V is_near = (larger > 0.5) & (larger < 2.0);
    const V m = Select(is_near, larger, 1.0);
    const V n = Select(is_near, smaller, 0.0);
    const DoubleDouble mm = ExactProduct(m, m);
    const DoubleDouble nn = ExactProduct(n, n);
    const DoubleDouble less = ExactSum(mm.high - 1.0, nn.high);
    const V near = Real(HloOpcode::kLog1p, less.high + (less.low + (mm.low + nn.low))) * 0.5;
    const V ratio = Select(larger == 0.0, 0.0, smaller / larger);
    const V far = Real(HloOpcode::kLog, larger) + Real(HloOpcode::kLog1p, ratio * ratio) * 0.5;
    return Select(IsInfinite(a) | IsInfinite(b), kInfinity, Select(is_near, near, far));
  }

  // sqrt(1 - x) and sqrt(1 + x), and what is used instead for large x.
  struct Roots {
    Parts of_less;
    Parts of_more;
    V is_large;
    V large;  // log(2 |x|), with the sign of b
  };
  static Roots RootsOf(const Parts& x) {
    constexpr double kLn2 = 0.69314718055994530942;
    const V is_large = (Abs(x.real) > 0x1p40) | (Abs(x.imaginary) > 0x1p40);
    return {Root({1.0 - x.real, -x.imaginary}), Root({x.real + 1.0, x.imaginary}), is_large,
            CopySign(LogModulus(x) + kLn2, x.imaginary)};
  }
};

struct ComplexRow {
  HloOpcode opcode;
  ComplexParts (*emit)(const ComplexParts& x, const ComplexParts& y);
};

template <ComplexParts (*kFunction)(const ComplexParts&)>
ComplexParts OfFirst(const ComplexParts& x, const ComplexParts&) {
  return kFunction(x);
}
template <ComplexParts (*kFunction)(const ComplexParts&)>
ComplexParts OfTurned(const ComplexParts& x, const ComplexParts&) {
  return InParts::Turned(kFunction, x);
}

constexpr ComplexRow kComplexRows[] = {
    {HloOpcode::kAdd, &InParts::Add},
    {HloOpcode::kSubtract, &InParts::Subtract},
    {HloOpcode::kPower, &InParts::Power},
    {HloOpcode::kAtan2, &InParts::Angle},
    {HloOpcode::kExp, &OfFirst<InParts::Exp>},
    {HloOpcode::kExpm1, &OfFirst<InParts::Expm1>},
    {HloOpcode::kLog, &OfFirst<InParts::Log>},
    {HloOpcode::kLog1p, &OfFirst<InParts::Log1p>},
    {HloOpcode::kSqrt, &OfFirst<InParts::Root>},
    {HloOpcode::kRsqrt, &OfFirst<InParts::Rsqrt>},
    {HloOpcode::kLogistic, &OfFirst<InParts::Logistic>},
    {HloOpcode::kSin, &OfTurned<InParts::Sinh>},
    {HloOpcode::kCos, &OfFirst<InParts::Cos>},
    {HloOpcode::kTan, &OfTurned<InParts::Tanh>},
    {HloOpcode::kSinh, &OfFirst<InParts::Sinh>},
    {HloOpcode::kCosh, &OfFirst<InParts::Cosh>},
    {HloOpcode::kTanh, &OfFirst<InParts::Tanh>},
    {HloOpcode::kAsin, &OfFirst<InParts::Asin>},
    {HloOpcode::kAcos, &OfFirst<InParts::Acos>},
    {HloOpcode::kAsinh, &OfTurned<InParts::Asin>},
    {HloOpcode::kAcosh, &OfFirst<InParts::Acosh>},
    {HloOpcode::kAtanh, &OfFirst<InParts::Atanh>},
};

}  // namespace

ComplexParts EmitComplexInParts(HloOpcode opcode, const ComplexParts& x, const ComplexParts& y) {
  const auto* const row = std::find_if(std::begin(kComplexRows), std::end(kComplexRows),
                                       [opcode](const ComplexRow& row) { return row.opcode == opcode; });
  CHECK(row != std::end(kComplexRows));
  return row->emit(x, y);
}

}  // namespace codegen
}  // namespace xla
