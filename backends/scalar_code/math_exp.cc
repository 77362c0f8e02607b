// exp(x) = 2^n exp(r) with n the integer nearest to x / ln 2 and |r| <= ln 2 / 2.
//
// n is taken by adding 1.5 * 2^(mantissa bits), which leaves it in the low bits of the sum: no conversion, and nothing
// undefined for NaN. Where no instruction does it, 2^n is multiplied in two steps, so that results may be denormal,
// rounded once, and n = 128 is not an exception.
#include "backends/scalar_code/double_double.h"
#include "backends/scalar_code/exp_reduction.h"
#include "backends/scalar_code/math_functions.h"

namespace xla {
namespace codegen {
namespace {

constexpr double kLog2E = 1.4426950408889634074;

// What depends on the format.
struct ExpConstants {
  double round;  // 1.5 * 2^mantissa bits
  int bias;
  int mantissa_bits;
  double ln2_high;
  double ln2_low;
  double overflow;             // exp of more is infinite
  double underflow;            // exp of less rounds to zero
  absl::Span<const double> q;  // (exp(r) - 1 - r) / r^2
};

// Coefficients of the polynomials for exp, and constants of the argument's reduction, by the kind of float.
const ExpConstants& ConstantsOf(Kind kind) {
  // 2^-26.7 and 2^-55.9.
  static constexpr double kSingleQ[] = {0.5, 0.16666577024562307067, 0.041666554660756741902, 0.0083631732469999252703,
                                        0.0013926176335399584004};
  static constexpr double kDoubleQ[] = {0.5,
                                        0.16666666666666670986,
                                        0.041666666666666669752,
                                        0.0083333333333261407179,
                                        0.0013888888888883752298,
                                        0.00019841269874801072764,
                                        0.000024801587325533778562,
                                        2.7557255425009612854e-6,
                                        2.7557273660822465681e-7,
                                        2.5105206680681060213e-8,
                                        2.0914679595617735113e-9};
  static const ExpConstants kSingle = {12582912.0, 127, 23, 0x1.62e430p-1, -0x1.05c610p-29, 89, -104.5, kSingleQ};
  static const ExpConstants kDouble = {6755399441055744.0,    1023, 52,   0x1.62e42fefa39efp-1,
                                       0x1.abc9e3b39803fp-56, 710,  -746, kDoubleQ};
  return kind == Kind::kF32 ? kSingle : kDouble;
}

V ExpOfRest(V r) { return Fma(r * r, ExpQuadratic(r), r) + 1.0; }

// 2^n exp(r)
V Scaled(V n, V r) {
  const V rest = ExpOfRest(r);
  if (const absl::optional<V> scaled = r.ir->ScaledAtOnce(rest, n)) return *scaled;
  const ExpConstants& c = ConstantsOf(r.kind);
  const V half = Fma(n, r.Like(0.5), r.Like(c.round)) - c.round;
  return rest * PowerOfTwo(half) * PowerOfTwo(n - half);
}

// Of arguments for which exp is neither beyond the largest number nor, by far, below the smallest one.
V ExpInRange(V x) {
  const ReducedExp reduced = ReduceExp(x);
  return Scaled(reduced.n, reduced.r);
}

// Of arguments for which exp is a normal number.
V NormalExp(V x) {
  const ReducedExp reduced = ReduceExp(x);
  const V rest = ExpOfRest(reduced.r);
  if (const absl::optional<V> scaled = x.ir->ScaledAtOnce(rest, reduced.n)) return *scaled;
  return rest * PowerOfTwo(reduced.n);
}

V KeptInRange(V x) {
  const ExpConstants& c = ConstantsOf(x.kind);
  const V low = Select(x < c.underflow, c.underflow, x);
  return Select(low > c.overflow, c.overflow, low);
}

}  // namespace

ReducedExp ReduceExp(V x) {
  const ExpConstants& c = ConstantsOf(x.kind);
  const V n = Fma(x, x.Like(kLog2E), x.Like(c.round)) - c.round;
  const V high = Fma(-n, x.Like(c.ln2_high), x);
  const V r = Fma(-n, x.Like(c.ln2_low), high);
  return {n, r, Fma(-n, x.Like(c.ln2_low), high - r)};
}

V ExpQuadratic(V r) { return Polynomial(r, ConstantsOf(r.kind).q); }

V PowerOfTwo(V n) {
  const ExpConstants& c = ConstantsOf(n.kind);
  return FromBits((ToBits(n + c.round) + c.bias) << c.mantissa_bits);
}

// What rounds to zero, as all that a mask has taken out of a softmax, is not computed: processors take long over
// products that are too small.
V Exp(V x) {
  const ExpConstants& c = ConstantsOf(x.kind);
  const V low = Select(x < c.underflow, 0.0, x);
  return Select(x < c.underflow, 0.0, ExpInRange(Select(low > c.overflow, c.overflow, low)));
}

V ExpOfSum(V x, V low) {
  const ReducedExp reduced = ReduceExp(KeptInRange(x));
  return Scaled(reduced.n, reduced.r + low);
}

// 2 (2^(n-1) expm1(r) + (2^(n-1) - 1/2)), halved because 2^128 is not an f32. r is taken with what its rounding lost,
// and added to the constant first, which cancels most of it where n is 1.
V Expm1(V x) {
  const V low = Select(x < -30.0, -30.0, x);
  const ReducedExp reduced = ReduceExp(Select(low > 89.0, 89.0, low));
  const V& r = reduced.r;
  const V rest = Fma(r * r, ExpQuadratic(r), reduced.lost);
  const V scale = PowerOfTwo(reduced.n - 1.0);
  return Select(x == 0.0, x, Fma(scale, rest, Fma(scale, r, scale - 0.5)) * 2.0);
}

V Logistic(V x) {
  const ExpConstants& c = ConstantsOf(x.kind);
  const V argument = -Abs(x);
  const V e = ExpInRange(Select(argument < c.underflow, c.underflow, argument));
  return Select(x < 0.0, e, x.Like(1)) / (e + 1.0);
}

// x + x^3 p(x^2) up to 0.6, then 1 - 2 / (exp(2 x) + 1).
V Tanh(V x) {
  static constexpr double kP[] = {-0.33333330332731547095, 0.13332915366987453388, -0.053873948848643333586,
                                  0.021110959049514789646, -0.0062691197196497291741};  // 2^-26.6
  const V a = Abs(x);
  const V square = a * a;
  const V small = Fma(a * square, Polynomial(square, kP), a);
  const V e = NormalExp(Select(a > 10.0, 10.0, a) * 2.0);
  const V large = 1.0 - 2.0 / (e + 1.0);
  return CopySign(Select(a < 0.6, small, large), x);
}

namespace {

// exp(x) / 2, which is finite wherever sinh and cosh are: exp(x - ln 2), with what rounding the difference loses. From
// 90 on it is infinite.
V HalfExp(V x) {
  const DoubleDouble difference = ExactSum(Select(x > 90.0, 90.0, x), x.Like(-0x1.62e430p-1));
  return ExpOfSum(difference.high, difference.low + 0x1.05c610p-29);
}

}  // namespace

// With e = exp(a) - 1: (e + e / (e + 1)) / 2, where exp(-a) still matters.
V SinhSingle(V x) {
  const V a = Abs(x);
  const V e = Expm1(Select(a > 20.0, 20.0, a));
  const V small = (e + e / (e + 1.0)) * 0.5;
  const V result = Select(a > 10.0, HalfExp(a), small);
  return Select(a < 0x1p-12, x, CopySign(result, x));
}
// With h = exp(a) / 2: h + 1 / (4 h).
V CoshSingle(V x) {
  const V half = HalfExp(Abs(x));
  return half + 0.25 / half;
}

// x + x p(x^2) up to 1, then 1 - exp(l(x)), where l is log(erfc(x)); from 4 on that is 1.
V Erf(V x) {
  static constexpr double kP[] = {0.12837916584835094603,    -0.37612626666720331023,  0.11283594715160217732,
                                  -0.026854212010626412443,  0.0051890874234339739861, -0.00080168642871658695293,
                                  0.000078758750626854883411};  // 2^-29.5
  static constexpr double kL[] = {0.00032013804967769883665, -1.1302334348419940295,      -0.6318260515591630143,
                                  -0.1100800829488202466,    0.026421136005663896682,     -0.0047595962932662646444,
                                  0.00059680562566077970634, -0.000046058042689189779247, 1.6371514145936435649e-6};
  const V a = Abs(x);
  const V small = Fma(a, Polynomial(a * a, kP), a);
  const V large = 1.0 - NormalExp(Polynomial(Select(a > 4.0, 4.0, a), kL));
  return CopySign(Select(a < 1.0, small, large), x);
}

}  // namespace codegen
}  // namespace xla
