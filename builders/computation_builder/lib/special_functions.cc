// Erfc, ErfInv, Lgamma and Digamma of math.h.
#include <cmath>
#include <limits>
#include <utility>

#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/lib/lib_call.h"
#include "builders/computation_builder/lib/math.h"

namespace xla {
namespace {

constexpr double kPi = 3.14159265358979323846;

// erfc(x) = exp(-x^2) P(x) / Q(x) for 1 <= x < 8, and R / S for x >= 8.
constexpr double kErfcP[] = {2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687e0,
                             4.86371970985681366614e1,   1.96520832956077098242e2,  5.26445194995477358631e2,
                             9.34528527171957607540e2,   1.02755188689515710272e3,  5.57535335369399327526e2};
constexpr double kErfcQ[] = {1.0,
                             1.32281951154744992508e1,
                             8.67072140885989742329e1,
                             3.54937778887819891062e2,
                             9.75708501743205489753e2,
                             1.82390916687909736289e3,
                             2.24633760818710981792e3,
                             1.65666309194161350182e3,
                             5.57535340817727675546e2};
constexpr double kErfcR[] = {5.64189583547755073984e-1, 1.27536670759978104416e0, 5.01905042251180477414e0,
                             6.16021097993053585195e0,  7.40974269950448939160e0, 2.97886665372100240670e0};
constexpr double kErfcS[] = {1.0,
                             2.26052863220117276590e0,
                             9.39603524938001434673e0,
                             1.20489539808096656605e1,
                             1.70814450747565897222e1,
                             9.60896809063285878198e0,
                             3.36907645100081516050e0};

// gamma(z + 1) = sqrt(2 pi) t^(z + 1/2) e^-t A(z), t = z + g + 1/2, A(z) = c0 + sum c_i / (z + i).
constexpr double kLanczosG = 7;
constexpr double kLanczosC0 = 0.99999999999980993227684700473478;
constexpr double kLanczos[] = {676.520368121885098567009190444019, -1259.13921672240287047156078755283,
                               771.3234287776530788486528258894,   -176.61502916214059906584551354,
                               12.507343278686904814458936853,     -0.13857109526572011689554707,
                               9.984369578019570859563e-6,         1.50563273514931155834e-7};

// Calls that have one operand of floats, computed in f32 at least.
XlaOp OfFloats(const char* name, XlaOp operand, SourceLocation loc, XlaOp (*f)(LibCall&, XlaOp)) {
  LibCall call(name, {operand}, loc);
  if (!call.CheckFloat("operand", operand)) return XlaOp();
  return call.InF32IfNarrower(operand, [&](XlaOp x) { return f(call, x); });
}

// 1 - erf(x) loses all digits for large x: from 1 on, exp(-x^2) times quotients of polynomials, with another pair
// from 8 on.
XlaOp ErfcOf(LibCall& call, XlaOp x) {
  // Away from [1, inf) the polynomials mean nothing, but their values must not trap or be costly.
  const XlaOp magnitude = call->Max(call->Abs(x), call.Number(call.type(x), 1));
  const XlaOp middle = call->Div(EvaluatePolynomial(magnitude, kErfcP), EvaluatePolynomial(magnitude, kErfcQ));
  const XlaOp far = call->Div(EvaluatePolynomial(magnitude, kErfcR), EvaluatePolynomial(magnitude, kErfcS));
  const XlaOp quotient = call->Select(call->Lt(magnitude, call.Number(call.type(x), 8)), middle, far);
  const XlaOp decay = call->Exp(call->Neg(call->Mul(magnitude, magnitude)));
  // The quotient of the greatest numbers is inf / inf, but exp(-x^2) is 0 long before.
  const XlaOp zero = call.Number(call.type(x), 0);
  const XlaOp tail = call->Select(call->Eq(decay, zero), decay, call->Mul(decay, quotient));
  const XlaOp of_sign = call->Select(call->Lt(x, zero), call->Sub(call.Number(call.type(x), 2), tail), tail);
  const XlaOp is_near = call->Lt(call->Abs(x), call.Number(call.type(x), 1));
  const XlaOp near_or_tail = call->Select(is_near, call->Sub(call.Number(call.type(x), 1), call->Erf(x)), of_sign);
  return call->Select(call->Ne(x, x), x, near_or_tail);
}

// Halley's step on f(x) = erf(x) - y, with f''/f' = -2x. Beyond 1/2 the equation is that of erfc, 1 - y being exact.
XlaOp HalleyStep(LibCall& call, XlaOp x, XlaOp y) {
  const auto number = [&](double value) { return call.Number(call.type(x), value); };
  const XlaOp magnitude = call->Abs(y);
  const XlaOp of_erf = call->Sub(call->Erf(x), magnitude);
  const XlaOp of_erfc = call->Sub(call->Sub(number(1), magnitude), ErfcOf(call, x));
  const XlaOp error = call->Select(call->Gt(magnitude, number(0.5)), of_erfc, of_erf);
  const XlaOp slope = call->Mul(call->Exp(call->Neg(call->Mul(x, x))), number(2 / std::sqrt(kPi)));
  const XlaOp step = call->Div(error, slope);
  return call->Sub(x, call->Div(step, call->Add(call->Mul(x, step), number(1))));
}

// Winitzki's approximation, improved by two steps of Halley's method. Exact at 0 and at the ends; NaN outside of [-1,
// 1].
XlaOp ErfInvOf(LibCall& call, XlaOp y) {
  const auto number = [&](double value) { return call.Number(call.type(y), value); };
  constexpr double kA = 0.147;
  const XlaOp magnitude = call->Abs(y);
  const XlaOp log = call->Log1p(call->Neg(call->Mul(magnitude, magnitude)));
  // Winitzki: x^2 = sqrt(t^2 - log / a) - t, written without the difference, which cancels near 0.
  const XlaOp t = call->Add(call->Mul(log, number(0.5)), number(2 / (kPi * kA)));
  const XlaOp minus_log = call->Mul(log, number(-1 / kA));
  const XlaOp root = call->Sqrt(call->Add(call->Mul(t, t), minus_log));
  XlaOp x = call->Sqrt(call->Div(minus_log, call->Add(root, t)));
  x = HalleyStep(call, HalleyStep(call, x, y), y);
  const XlaOp at_end = call->Eq(magnitude, number(1));
  x = call->Select(at_end, FullLike(y, std::numeric_limits<double>::infinity()), x);
  x = call->Select(call->Eq(y, number(0)), y, call->Mul(x, call->Sign(y)));
  return call->Select(call->Gt(magnitude, number(1)), FullLike(y, std::nan("")), x);
}

// A(z) and its derivative.
std::pair<XlaOp, XlaOp> LanczosSum(LibCall& call, XlaOp z) {
  XlaOp sum = FullLike(z, kLanczosC0);
  XlaOp derivative = FullLike(z, 0);
  double i = 1;
  for (const double coefficient : kLanczos) {
    const XlaOp below = call->Add(z, call.Number(call.type(z), i++));
    const XlaOp term = call->Div(call.Number(call.type(z), coefficient), below);
    sum = call->Add(sum, term);
    derivative = call->Sub(derivative, call->Div(term, below));
  }
  return {sum, derivative};
}

// z with gamma(z + 1) = gamma(x), or gamma(1 - x) where the reflection formula is used.
struct ReflectedArgument {
  XlaOp needed;
  XlaOp z;
};

ReflectedArgument Reflect(LibCall& call, XlaOp x) {
  const XlaOp needed = call->Lt(x, call.Number(call.type(x), 0.5));
  return {needed, call->Select(needed, call->Neg(x), call->Sub(x, call.Number(call.type(x), 1)))};
}

// Lanczos's approximation for x of at least 1/2, and the reflection formula below. Infinite at poles and at
// infinities.
XlaOp LgammaOf(LibCall& call, XlaOp x) {
  const auto number = [&](double value) { return call.Number(call.type(x), value); };
  const ReflectedArgument reflection = Reflect(call, x);
  const XlaOp z = reflection.z;
  const XlaOp t = call->Add(z, number(kLanczosG + 0.5));
  const XlaOp log_t = call->Add(call->Log1p(call->Div(z, number(kLanczosG + 0.5))), number(std::log(kLanczosG + 0.5)));
  // (z + 1/2) log t - t, the terms taken together because they cancel.
  const XlaOp power = call->Mul(call->Sub(call->Add(z, number(0.5)), call->Div(t, log_t)), log_t);
  const XlaOp log_sum = call->Log(LanczosSum(call, z).first);
  const XlaOp direct = call->Add(call->Add(power, number(0.5 * std::log(2 * kPi))), log_sum);
  // log |gamma(x)| = log(pi / |sin(pi x)|) - log gamma(1 - x); the sine of the distance to the nearest integer.
  const XlaOp magnitude = call->Abs(x);
  const XlaOp fraction = call->Sub(magnitude, call->Floor(magnitude));
  const XlaOp distance = call->Min(fraction, call->Sub(number(1), fraction));
  const XlaOp log_sine = call->Log(call->Sin(call->Mul(distance, number(kPi))));
  // At the poles -log sin alone is infinite, but `direct` may be too.
  const XlaOp reflected = call->Select(
      call->IsFinite(log_sine), call->Sub(call->Sub(number(std::log(kPi)), log_sine), direct), call->Neg(log_sine));
  const XlaOp result = call->Select(reflection.needed, reflected, direct);
  const XlaOp infinity = FullLike(x, std::numeric_limits<double>::infinity());
  const XlaOp infinite = call->And(call->Not(call->IsFinite(x)), call->Eq(x, x));
  return call->Select(infinite, infinity, result);
}

// The derivative of lgamma, from the same sum. NaN at poles.
XlaOp DigammaOf(LibCall& call, XlaOp x) {
  const auto number = [&](double value) { return call.Number(call.type(x), value); };
  const ReflectedArgument reflection = Reflect(call, x);
  const XlaOp z = reflection.z;
  const XlaOp t = call->Add(z, number(kLanczosG + 0.5));
  const XlaOp log_t = call->Add(call->Log1p(call->Div(z, number(kLanczosG + 0.5))), number(std::log(kLanczosG + 0.5)));
  const auto [sum, derivative] = LanczosSum(call, z);
  const XlaOp direct = call->Sub(call->Add(log_t, call->Div(derivative, sum)), call->Div(number(kLanczosG), t));
  // digamma(x) = digamma(1 - x) - pi / tan(pi x); the tangent of x + 1/2 rounded down, which is close to 0.
  const XlaOp from_integer = call->Add(x, call->Abs(call->Floor(call->Add(x, number(0.5)))));
  const XlaOp angle = call->Mul(from_integer, number(kPi));
  const XlaOp cotangent = call->Div(call->Mul(call->Cos(angle), number(kPi)), call->Sin(angle));
  const XlaOp reflected = call->Sub(direct, cotangent);
  const XlaOp result = call->Select(reflection.needed, reflected, direct);
  const XlaOp at_pole = call->And(call->Le(x, number(0)), call->Eq(x, call->Floor(x)));
  return call->Select(at_pole, FullLike(x, std::nan("")), result);
}

}  // namespace

XlaOp Erfc(XlaOp operand, SourceLocation loc) { return OfFloats("Erfc", operand, loc, &ErfcOf); }
XlaOp ErfInv(XlaOp operand, SourceLocation loc) { return OfFloats("ErfInv", operand, loc, &ErfInvOf); }
XlaOp Lgamma(XlaOp operand, SourceLocation loc) { return OfFloats("Lgamma", operand, loc, &LgammaOf); }
XlaOp Digamma(XlaOp operand, SourceLocation loc) { return OfFloats("Digamma", operand, loc, &DigammaOf); }

}  // namespace xla
