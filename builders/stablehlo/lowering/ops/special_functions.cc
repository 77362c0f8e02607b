#include "builders/stablehlo/lowering/ops/special_functions.h"

#include <cmath>
#include <limits>

#include "absl/types/span.h"
#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/lib/math.h"

namespace xla {
namespace stablehlo {
namespace {

// Chebyshev coefficients of exp(-x) I1(x) / x in u = x / 4 - 1 for x from 0 to 8, and of sqrt(x) exp(-x) I1(x) in u =
// 16 / x - 1 from 8 on, computed with 40 digits. What is left out is below 1e-18.
constexpr double kBesselNear[] = {
    0.12629359322181682741,    -0.17641651835783405515,    0.10264365868984709538,     -0.052945981208094991427,
    0.024726449030626516828,   -0.010564084894626198156,   0.0041564229443128881567,   -0.001513572450631253149,
    0.0005122859561685757729,  -0.00016176081582589674559, 0.000047815651075500542264, -0.000013273163656039435828,
    3.4702513081376784767e-6,  -8.5687202646954547407e-7,  2.0032947535521352623e-7,   -4.4450591287963280807e-8,
    9.3815373864957717839e-9,  -1.8872497517228292879e-9,  3.625590281552117037e-10,   -6.6634897235020277422e-11,
    1.1736186298890901631e-11, -1.9839743977649437152e-12, 3.2237933659455747098e-13,  -5.0421855047279116871e-14,
    7.6006842947354069341e-15, -1.105596947735386308e-15,  1.5536319577562004689e-16,  -2.1114212143581660782e-17};
constexpr double kBesselFar[] = {
    0.38928811750914006024,     -0.0097610974913614684078,  -0.00011058893876262371629, -3.8825648088776903935e-6,
    -2.5122362378702089253e-7,  -2.6314688468895195068e-8,  -3.835380385964237022e-9,   -5.5897434621965838069e-10,
    -1.8974958123505412345e-11, 3.2526035830154882386e-11,  1.4125807436613781332e-11,  2.0356285441470895072e-12,
    -7.1985517762459085121e-13, -4.0835511110921973182e-13, -2.101541842772664313e-14,  4.2724400167119513543e-14,
    1.0420276984128802764e-14,  -3.8144030724370078048e-15, -1.8803547755107824485e-15, 3.3082023109209282827e-16,
    2.9626289976459501391e-16,  -3.2095259219934239588e-17, -4.6503053684893583256e-17, 4.4143483230717079499e-18,
    7.5172963108421048054e-18};

// The sum of c[k] T_k(u), by Clenshaw's recurrence.
XlaOp ChebyshevSum(ComputationBuilder& b, XlaOp u, absl::Span<const double> c) {
  const XlaOp twice = b.Add(u, u);
  XlaOp next = ZerosLike(u), after = ZerosLike(u);
  for (size_t k = c.size() - 1; k > 0; --k) {
    const XlaOp sum = b.Add(b.Sub(b.Mul(twice, next), after), ScalarLike(u, c[k]));
    after = next;
    next = sum;
  }
  return b.Add(b.Sub(b.Mul(u, next), after), ScalarLike(u, c[0]));
}

// Terms of the zeta function that are added up one by one before Euler and Maclaurin's formula has the rest, and the
// terms of that: with these, the error is below 1e-16 of the sum for q > 0.
constexpr int kZetaTerms = 12;
// Bernoulli's numbers B_2j / (2j)!.
constexpr double kBernoulli[] = {1.0 / 12,
                                 -1.0 / 720,
                                 1.0 / 30240,
                                 -1.0 / 1209600,
                                 1.0 / 47900160,
                                 -691.0 / 1307674368000,
                                 1.0 / 74724249600,
                                 -3617.0 / 10670622842880000,
                                 43867.0 / 5109094217170944000,
                                 -174611.0 / 802857662698291200000.0};

XlaOp IsWhole(ComputationBuilder& b, XlaOp x) { return b.Eq(b.Floor(x), x); }

}  // namespace

XlaOp BesselI1e(ComputationBuilder& b, XlaOp x) {
  const XlaOp magnitude = b.Abs(x);
  const XlaOp near =
      b.Mul(ChebyshevSum(b, b.Sub(b.Mul(magnitude, ScalarLike(x, 0.25)), ScalarLike(x, 1)), kBesselNear), magnitude);
  const XlaOp far = b.Div(ChebyshevSum(b, b.Sub(b.Div(ScalarLike(x, 16), magnitude), ScalarLike(x, 1)), kBesselFar),
                          b.Sqrt(magnitude));
  return b.Mul(b.Select(b.Le(magnitude, ScalarLike(x, 8)), near, far), b.Sign(x));
}

XlaOp HurwitzZeta(ComputationBuilder& b, XlaOp x, XlaOp q) {
  const XlaOp minus_x = b.Neg(x);
  XlaOp sum = b.Pow(q, minus_x);
  for (int k = 1; k < kZetaTerms; ++k) sum = b.Add(sum, b.Pow(b.Add(q, ScalarLike(q, k)), minus_x));
  // With a = q + n: a^(1-x) / (x-1) + a^-x (1/2 + sum of B_2j / (2j)! x (x+1) .. (x+2j-2) a^(1-2j)).
  const XlaOp a = b.Add(q, ScalarLike(q, kZetaTerms));
  const XlaOp power = b.Pow(a, minus_x);
  const XlaOp integral = b.Div(b.Mul(power, a), b.Sub(x, ScalarLike(x, 1)));
  XlaOp factor = b.Div(x, a);
  XlaOp tail = FullLike(x, 0.5);
  for (int j = 1; j <= static_cast<int>(sizeof(kBernoulli) / sizeof(double)); ++j) {
    tail = b.Add(tail, b.Mul(factor, ScalarLike(x, kBernoulli[j - 1])));
    factor =
        b.Mul(factor, b.Div(b.Mul(b.Add(x, ScalarLike(x, 2 * j - 1)), b.Add(x, ScalarLike(x, 2 * j))), b.Mul(a, a)));
  }
  const XlaOp value = b.Add(b.Add(sum, integral), b.Mul(power, tail));
  const XlaOp infinity = FullLike(x, std::numeric_limits<double>::infinity());
  const XlaOp nan = FullLike(x, std::nan(""));
  const XlaOp one = ScalarLike(x, 1);
  const XlaOp is_even = b.Eq(b.Rem(x, FullLike(x, 2)), ZerosLike(x));
  const XlaOp at_pole = b.Select(b.And(IsWhole(b, q), is_even), infinity, nan);
  const XlaOp for_q = b.Select(b.Le(q, ScalarLike(q, 0)), at_pole, value);
  return b.Select(b.Lt(x, one), nan, b.Select(b.Eq(x, one), infinity, for_q));
}

XlaOp Polygamma(ComputationBuilder& b, XlaOp n, XlaOp x) {
  const XlaOp zero = ScalarLike(n, 0);
  const XlaOp n_plus_one = b.Add(n, ScalarLike(n, 1));
  const XlaOp factorial = b.Exp(Lgamma(n_plus_one));
  const XlaOp is_odd = b.Ne(b.Rem(n, FullLike(n, 2)), ZerosLike(n));
  const XlaOp sign = b.Select(is_odd, OnesLike(n), FullLike(n, -1));
  const XlaOp higher = b.Mul(b.Mul(sign, factorial), HurwitzZeta(b, n_plus_one, x));
  const XlaOp value = b.Select(b.Eq(n, zero), Digamma(x), higher);
  return b.Select(b.And(IsWhole(b, n), b.Ge(n, zero)), value, FullLike(n, std::nan("")));
}

}  // namespace stablehlo
}  // namespace xla
