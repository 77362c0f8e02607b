// log(x) = e ln 2 + log(m), m between about 2/3 and 4/3 (f32) or sqrt(1/2) and sqrt(2) (f64).
#include <limits>

#include "backends/scalar_code/log_in_parts.h"
#include "backends/scalar_code/math_functions.h"

namespace xla {
namespace codegen {
namespace {

// Of what is not positive and finite.
V WithLimits(V x, V log) {
  V result = Select(x == kInfinity, x, log);
  result = Select(x == 0.0, -kInfinity, result);
  return Select((x < 0.0) | IsNan(x), std::numeric_limits<double>::quiet_NaN(), result);
}

// log(1 + f) = f - f^2 / 2 + f^3 p(f)
V LogSingle(V x) {
  static constexpr double kP[] = {0.33333333333333333333, -0.2499994418624398406,  0.19999948351310606814,
                                  -0.1667331625320224932, 0.1429186718198800576,   -0.12288721609296725128,
                                  0.10915654793276691002, -0.12422200575409693242, 0.11330617385023777246};  // 2^-28.6
  constexpr int64_t kTwoThirds = 0x3F2AAAAB;
  const V is_denormal = x < 0x1p-126;
  const V bits = ToBits(Select(is_denormal, x * 0x1p23, x));
  const V above = bits - kTwoThirds;
  const V exponent_bits = x.ir->Binary(Ir::Op::kShiftRightArithmetic, above, above.LikeInt(23));
  const V e = x.ir->IntToFloat(exponent_bits, Kind::kF32, true) - Select(is_denormal, x.Like(23), x.Like(0));
  const V f = FromBits(bits - (above & static_cast<int64_t>(0xFF800000))) - 1.0;
  V rest = f * f * Fma(f, Polynomial(f, kP), f.Like(-0.5));
  rest = Fma(e, e.Like(-0x1.05c610p-29), rest);
  return Fma(e, e.Like(0x1.62e430p-1), f + rest);
}

// x = 2^e (1 + f), with 1 + f between sqrt(1/2) and sqrt(2).
struct Split {
  V e;
  V f;
};

// x = 2^e * (1 + f) with 1 + f between sqrt(1/2) and sqrt(2), by arithmetic on the bits; denormals are scaled first.
// The exponent becomes a double by being put into the mantissa of 2^52.
Split SplitDouble(V x) {
  constexpr int64_t kSqrtHalf = 0x3FE6A09E667F3BCD;
  constexpr int64_t kExponentMask = static_cast<int64_t>(0xFFF0000000000000);
  constexpr int64_t kTwoTo52Bits = int64_t{1075} << 52;
  constexpr int kBias = 1023;
  const V is_denormal = x < 0x1p-1022;
  const V bits = ToBits(Select(is_denormal, x * 0x1p54, x));
  const V above = bits - kSqrtHalf;
  // The exponent, biased so that it is not negative, in the mantissa of 2^52.
  const V biased = ((above + (int64_t{kBias} << 52)) >> 52) & 0xFFF;
  const V e =
      FromBits(biased | kTwoTo52Bits) - Select(is_denormal, x.Like(0x1p52 + kBias + 54), x.Like(0x1p52 + kBias));
  return {e, FromBits(bits - (above & kExponentMask)) - 1.0};
}

// log(x) + small. With s = f / (2 + f): log(1 + f) = 2 atanh(s) = f - f^2/2 + s (f^2/2 + s^2 p(s^2)).
V LogDouble(V x, V small) {
  static constexpr double kP[] = {0.66666666666666666464, 0.40000000000000879686, 0.28571428570801956942,
                                  0.22222222392089007936, 0.18181795600060792441, 0.15386241881938595507,
                                  0.13268714792348096667, 0.13087236196659622326};  // 2^-64.9
  const auto [e, f] = SplitDouble(x);
  const V half_square = f * f * 0.5;
  const V s = f / (f + 2.0);
  const V s2 = s * s;
  V rest = Fma(Fma(s2, Polynomial(s2, kP), half_square), s, small);
  rest = Fma(e, e.Like(0x1.abc9e3b39803fp-56), rest);
  return Fma(e, e.Like(0x1.62e42fefa39efp-1), f - (half_square - rest));
}

}  // namespace

V Log(V x) { return WithLimits(x, x.kind == Kind::kF32 ? LogSingle(x) : LogDouble(x, x.Like(0))); }

V LogOfSum(V x, V low) { return WithLimits(x, LogDouble(x, low / x)); }

// log(u) and what 1 + x lost by being rounded to u.
V Log1p(V x) {
  const V u = x + 1.0;
  const V lost = x - (u - 1.0);
  const V sum = x.kind == Kind::kF32 ? Log(u) + lost / u : LogOfSum(u, lost);
  return Select((x == 0.0) | (u == kInfinity), x, Select(u == 0.0, -kInfinity, sum));
}

namespace {

// As SplitDouble.
Split SplitSingle(V x) {
  constexpr int64_t kSqrtHalf = 0x3F3504F3;
  constexpr int64_t kExponentMask = static_cast<int64_t>(0xFF800000);
  const V is_denormal = x < 0x1p-126;
  const V bits = ToBits(Select(is_denormal, x * 0x1p24, x));
  const V above = bits - kSqrtHalf;
  const V exponent = x.ir->Binary(Ir::Op::kShiftRightArithmetic, above, above.LikeInt(23));
  const V e = x.ir->IntToFloat(exponent, Kind::kF32, true) - Select(is_denormal, x.Like(24), x.Like(0));
  return {e, FromBits(bits - (above & kExponentMask)) - 1.0};
}

// What a logarithm in parts depends on the format for.
struct LogConstants {
  absl::Span<const double> p;
  double two_thirds_high;
  double two_thirds_low;
  double ln2_high;  // with so few bits that an exponent times it is exact
  double ln2_low;
};

const LogConstants& LogConstantsOf(Kind kind) {
  static constexpr double kDoubleP[] = {0.4000000000000000222,  0.28571428571429363652, 0.22222222221656232066,
                                        0.18181818335314403612, 0.15384594970895285049, 0.1333480423823466543,
                                        0.11706248540673652725, 0.11723051030692409336};  // 2^-66.4
  // The first terms of the series: the others are less than 2^-28 of the tail.
  static constexpr double kSingleP[] = {2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13};
  static const LogConstants kDouble = {kDoubleP, 0x1.5555555555555p-1, 0x1.5555555555555p-55, 0x1.62e42fefa3800p-1,
                                       0x1.ef35793c76730p-45};
  static const LogConstants kSingle = {kSingleP, 0x1.555556p-1, -0x1.555556p-26, 0x1.62e4p-1, 0x1.7f7d1cp-20};
  return kind == Kind::kF64 ? kDouble : kSingle;
}

}  // namespace

// 2 atanh(s) = 2 s + 2/3 s^3 + s^5 p(s^2), all but the last, which is less than a 5,000th of the first, in two parts.
DoubleDouble LogInParts(V x) {
  const LogConstants& c = LogConstantsOf(x.kind);
  const auto [e, f] = x.kind == Kind::kF64 ? SplitDouble(x) : SplitSingle(x);
  const DoubleDouble s = Divide({f, f.Like(0)}, OrderedSum(f.Like(2), f));
  const DoubleDouble s2 = Multiply(s, s);
  const DoubleDouble s3 = Multiply(s2, s);
  const DoubleDouble third = Multiply(s3, {f.Like(c.two_thirds_high), f.Like(c.two_thirds_low)});
  const V tail = s3.high * s2.high * Polynomial(s2.high, c.p);
  const DoubleDouble log = OrderedSum(s.high * 2.0, third.high);
  const V low = log.low + (tail + Fma(s.low, f.Like(2), third.low));
  const DoubleDouble sum = OrderedSum(e * c.ln2_high, log.high);
  return OrderedSum(sum.high, sum.low + Fma(e, f.Like(c.ln2_low), low));
}

}  // namespace codegen
}  // namespace xla
