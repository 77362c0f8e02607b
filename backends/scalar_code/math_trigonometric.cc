// sin, cos and tan: x = n pi/2 + r, |r| <= pi/4; then sin(r), cos(r), exchanged and negated by n mod 4. For |x| <=
// 2^30, f32 is reduced in f64, where two doubles of pi/2 leave r good to f32, and f64 with three, and r in two parts.
// f32 where f64 is slow or missing is reduced like f64, up to 2^17. Larger arguments, which are rare, are left to the
// generator (RareOperations), if any lane has one.
#include "backends/scalar_code/double_double.h"
#include "backends/scalar_code/elementwise_emitter.h"
#include "backends/scalar_code/math_functions.h"

namespace xla {
namespace codegen {
namespace {

constexpr double kSingleSine[] = {-0.16666666663852430278, 0.0083333318735984412946, -0.00019840086134863201751,
                                  2.7249847946069237461e-6};  // 2^-35.7
constexpr double kSingleCosine[] = {0.041666666664318817259, -0.0013888887671088940966, 0.000024800599875957371928,
                                    -2.7300894222097941033e-7};  // 2^-39.6

// What a reduction depends on the format for.
struct AngleReduction {
  double round;  // 1.5 * 2^mantissa bits
  double high;   // pi/2 in three parts
  double middle;
  double low;
  absl::Span<const double> sine;    // sin(r) = r + r^3 p(r^2)
  absl::Span<const double> cosine;  // cos(r) = 1 - r^2 / 2 + r^4 p(r^2)
};

const AngleReduction& ReductionOf(Kind kind) {
  static constexpr double kDoubleSine[] = {
      -0.16666666666666665741,   0.008333333333333331483,   -0.00019841269841265065342, 2.7557319219339167171e-6,
      -2.5052106232447561468e-8, 1.6058531618983543865e-10, -7.5866971175535304267e-13};  // 2^-57.1
  static constexpr double kDoubleCosine[] = {0.041666666666666664354,    -0.0013888888888887397557,
                                             0.000024801587298765689129, -2.7557317271729777183e-7,
                                             2.08761462684000973e-9,     -1.1382632425298186215e-11};  // 2^-59.5
  static const AngleReduction kDouble = {6755399441055744.0,      0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                         -0x1.f1976b7ed8fbcp-110, kDoubleSine,          kDoubleCosine};
  static const AngleReduction kSingle = {12582912.0,      0x1.921fb6p+0, -0x1.777a5cp-25,
                                         -0x1.ee59dap-50, kSingleSine,   kSingleCosine};
  return kind == Kind::kF64 ? kDouble : kSingle;
}

// n, the integer nearest to x / (pi/2), and its bits, of which the lowest two count.
struct Quarters {
  V n;
  V bits;  // as many as those of x
};

Quarters QuartersOf(V x) {
  constexpr double kTwoOverPi = 0.63661977236758134308;
  const double round = ReductionOf(x.kind).round;
  const V shifted = Fma(x, x.Like(kTwoOverPi), x.Like(round));
  return {shifted - round, ToBits(shifted)};
}

struct Reduced {
  V r;        // f64
  V quarter;  // i32; its low two bits count
};

Reduced Reduce(V x) {
  Ir& ir = *x.ir;
  const V wide = ir.FloatToFloat(x, Kind::kF64);
  const auto [n, bits] = QuartersOf(wide);
  V r = Fma(-n, n.Like(0x1.921fb54442d18p+0), wide);
  r = Fma(-n, n.Like(0x1.1a62633145c07p-54), r);
  return {r, ir.ZeroExtend(bits, Kind::kI32)};
}

struct ReducedInParts {
  DoubleDouble r;
  V quarter;  // an integer of as many bits
};

// The first product cancels without rounding.
ReducedInParts ReduceInParts(V x) {
  const AngleReduction& c = ReductionOf(x.kind);
  const auto [n, bits] = QuartersOf(x);
  const V high = Fma(-n, n.Like(c.high), x);
  const DoubleDouble second = ExactProduct(n, n.Like(c.middle));
  const DoubleDouble rest = ExactSum(high, -second.high);
  const V low = Fma(-n, n.Like(c.low), rest.low - second.low);
  return {OrderedSum(rest.high, low), bits};
}

V SinOfRest(V r, V square) { return Fma(r * square, Polynomial(square, kSingleSine), r); }
V CosOfRest(V square) {
  return Fma(square * square, Polynomial(square, kSingleCosine), Fma(square, square.Like(-0.5), square.Like(1)));
}

// sin(r) + low cos(r)
V SinOfParts(const DoubleDouble& r, V square) {
  const V cosine = Fma(square, square.Like(-0.5), square.Like(1));
  return r.high + Fma(r.high * square, Polynomial(square, ReductionOf(square.kind).sine), r.low * cosine);
}
// cos(r) - low sin(r), with what 1 - r^2 / 2 loses.
V CosOfParts(const DoubleDouble& r, V square) {
  const V half = square * 0.5;
  const V above = 1.0 - half;
  const V lost = (1.0 - above) - half;
  const V rest = Fma(square * square, Polynomial(square, ReductionOf(square.kind).cosine), -(r.high * r.low));
  return above + (lost + rest);
}

// With the sign changed in quarters 2 and 3.
V WithTurnedSign(V value, V quarter) { return FromBits(ToBits(value) ^ ((quarter & 2) << (BitsOf(value.kind) - 2))); }

V WithLargeArguments(HloOpcode opcode, V x, V result) {
  const PrimitiveType type = x.kind == Kind::kF32 ? F32 : F64;
  const bool in_singles = x.kind == Kind::kF32 && !x.ir->has_fast_double();
  const V is_large = Abs(x) > (in_singles ? kLargestTurnedInSingles : kLargestTurned);
  return x.ir->rare().EvaluateWhere(is_large, opcode, {MakeElement(type, x)}, MakeElement(type, result)).value;
}

// sin(x + quarters pi/2)
V SinSingle(V x, int quarters) {
  const Reduced reduced = Reduce(x);
  const V r = x.ir->FloatToFloat(reduced.r, Kind::kF32);
  const V square = r * r;
  const V quarter = reduced.quarter + quarters;
  return WithTurnedSign(Select((quarter & 1) == 0, SinOfRest(r, square), CosOfRest(square)), quarter);
}
V SinOfReduced(const ReducedInParts& reduced, int quarters) {
  const V square = reduced.r.high * reduced.r.high;
  const V quarter = reduced.quarter + quarters;
  return WithTurnedSign(Select((quarter & 1) == 0, SinOfParts(reduced.r, square), CosOfParts(reduced.r, square)),
                        quarter);
}
// f32 whose angle is reduced in f64.
bool IsReducedInDouble(V x) { return x.kind == Kind::kF32 && x.ir->has_fast_double(); }
V SinOf(V x, int quarters) {
  return IsReducedInDouble(x) ? SinSingle(x, quarters) : SinOfReduced(ReduceInParts(x), quarters);
}

// In f64 up to the quotient: three roundings in f32 would come close to what tan may be off.
V TanSingle(V x) {
  const Reduced reduced = Reduce(x);
  const V square = reduced.r * reduced.r;
  const V sine = SinOfRest(reduced.r, square);
  const V cosine = CosOfRest(square);
  const V is_odd = (reduced.quarter & 1) != 0;
  const V quotient = Select(is_odd, -cosine, sine) / Select(is_odd, sine, cosine);
  return x.ir->FloatToFloat(quotient, Kind::kF32);
}
V TanOfReduced(const ReducedInParts& reduced) {
  const V square = reduced.r.high * reduced.r.high;
  const V sine = SinOfParts(reduced.r, square);
  const V cosine = CosOfParts(reduced.r, square);
  const V is_odd = (reduced.quarter & 1) != 0;
  return Select(is_odd, -cosine, sine) / Select(is_odd, sine, cosine);
}

}  // namespace

V TrigonometricOf(HloOpcode opcode, V high, V low, V quarter) {
  const ReducedInParts reduced = {{high, low}, quarter};
  if (opcode == HloOpcode::kTan) return TanOfReduced(reduced);
  return SinOfReduced(reduced, opcode == HloOpcode::kCos ? 1 : 0);
}

SineAndCosine SinCosInRange(V x) {
  const ReducedInParts reduced = ReduceInParts(x);
  const V square = reduced.r.high * reduced.r.high;
  const V sine = SinOfParts(reduced.r, square);
  const V cosine = CosOfParts(reduced.r, square);
  const V is_even = (reduced.quarter & 1) == 0;
  return {Select(x == 0.0, x, WithTurnedSign(Select(is_even, sine, cosine), reduced.quarter)),
          WithTurnedSign(Select(is_even, cosine, sine), reduced.quarter + 1)};
}

V Sin(V x) { return WithLargeArguments(HloOpcode::kSin, x, Select(x == 0.0, x, SinOf(x, 0))); }
V Cos(V x) { return WithLargeArguments(HloOpcode::kCos, x, SinOf(x, 1)); }
V Tan(V x) {
  const V result = IsReducedInDouble(x) ? TanSingle(x) : TanOfReduced(ReduceInParts(x));
  return WithLargeArguments(HloOpcode::kTan, x, Select(x == 0.0, x, result));
}

}  // namespace codegen
}  // namespace xla
