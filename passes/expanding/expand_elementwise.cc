// The interpreter computes transcendental functions of f32 in f64 and rounds once; narrow floats go through f32. The
// expansions do the same with the formula of element_value.h, so that they agree with it.
//
// erf and tan have no such formula. What they become is off by an ulp of f64 here and there, which rounding to f32
// removes: compared for each of the 2^32 values. f64 itself is left alone.
//
// erf is a rational function on each of four ranges of |x|, as in fdlibm's s_erf.c, where the coefficients are from
// (Sun Microsystems, 1993; error below 1 ulp of f64):
//   [0, 0.84375)     x + x * P(x^2) / Q(x^2)
//   [0.84375, 1.25)  c + P(|x| - 1) / Q(|x| - 1)
//   [1.25, 6)        1 - exp(-x^2 - 0.5625) * exp(R(1/x^2) / S(1/x^2)) / |x|, with two pairs R, S, which meet at 1/0.35
//   [6, inf]         1
#include "passes/expanding/expand_elementwise.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "passes/base/rewrite_rule.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

using Wide = HloInstruction* (*)(HloInstruction* x, InstructionBuilder& build);

// A function of one float computed as the interpreter does: narrow types in f32, f32 in f64 unless the pass is told
// otherwise, each with its rounding.
HloInstruction* ComputeWide(HloInstruction* root, const RuleContext& context, Wide compute) {
  InstructionBuilder& build = context.build;
  const PrimitiveType own = root->shape().element_type();
  if (!IsFloat(own)) return nullptr;
  const PrimitiveType single = own == F64 ? F64 : F32;
  const PrimitiveType wide = context.pass.Option("arithmetic") == "f32" ? single : F64;
  HloInstruction* const x = build.Convert(build.Convert(root->operand(0), single), wide);
  return build.Convert(build.Convert(compute(x, build), single), own);
}

HloInstruction* Less(HloInstruction* x, double bound, InstructionBuilder& build) {
  return build.Compare(ComparisonDirection::kLt, x, build.SplatFloat(x->shape(), bound));
}

// The bits of an f32 or f64 array as integers, and back.
HloInstruction* ToBits(HloInstruction* x, InstructionBuilder& build) {
  Shape shape = x->shape().WithoutLayout();
  shape.set_element_type(shape.element_type() == F64 ? U64 : U32);
  return build.BitcastConvert(x, shape);
}

// `magnitude`, which is not negative, with the sign bit of x; both f32 or f64.
HloInstruction* WithSignOf(HloInstruction* x, HloInstruction* magnitude, InstructionBuilder& build) {
  HloInstruction* const bits = ToBits(x, build);
  Literal sign = bits->shape().element_type() == U64 ? Literal::Scalar<uint64_t>(uint64_t{1} << 63)
                                                     : Literal::Scalar<uint32_t>(uint32_t{1} << 31);
  HloInstruction* const sign_bit = build.And(bits, build.Splat(bits->shape(), std::move(sign)));
  return build.BitcastConvert(build.Or(ToBits(magnitude, build), sign_bit), magnitude->shape());
}

// 1 / (1 + exp(-x)), in the form of element_value.h that does not overflow for negative x.
HloInstruction* WideLogistic(HloInstruction* x, InstructionBuilder& build) {
  HloInstruction* const e =
      build.Unary(HloOpcode::kExp, build.Unary(HloOpcode::kNegate, build.Unary(HloOpcode::kAbs, x)));
  HloInstruction* const one = build.Splat(x->shape(), 1);
  return build.Div(build.Select(Less(x, 0, build), e, one), build.Add(one, e));
}

HloInstruction* WideRsqrt(HloInstruction* x, InstructionBuilder& build) {
  return build.Div(build.Splat(x->shape(), 1), build.Unary(HloOpcode::kSqrt, x));
}

HloInstruction* WideTan(HloInstruction* x, InstructionBuilder& build) {
  return build.Div(build.Unary(HloOpcode::kSin, x), build.Unary(HloOpcode::kCos, x));
}

// c[0] + x * (c[1] + x * ...).
HloInstruction* Polynomial(HloInstruction* x, absl::Span<const double> coefficients, InstructionBuilder& build) {
  HloInstruction* sum = build.SplatFloat(x->shape(), coefficients.back());
  for (size_t i = coefficients.size() - 1; i > 0; --i) {
    sum = build.Add(build.SplatFloat(x->shape(), coefficients[i - 1]), build.Mul(x, sum));
  }
  return sum;
}

HloInstruction* Quotient(HloInstruction* x, absl::Span<const double> over, absl::Span<const double> under,
                         InstructionBuilder& build) {
  return build.Div(Polynomial(x, over, build), Polynomial(x, under, build));
}

// The tail 1 - erf for |x| in [1.25, 6]; larger values must not come, because their squares might overflow.
HloInstruction* ErfTail(HloInstruction* magnitude, InstructionBuilder& build) {
  constexpr double kNearOver[] = {-9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01,
                                  -6.23753324503260060396e+01, -1.62396669462573470355e+02, -1.84605092906711035994e+02,
                                  -8.12874355063065934246e+01, -9.81432934416914548592e+00};
  constexpr double kNearUnder[] = {1,
                                   1.96512716674392571292e+01,
                                   1.37657754143519042600e+02,
                                   4.34565877475229228821e+02,
                                   6.45387271733267880336e+02,
                                   4.29008140027567833386e+02,
                                   1.08635005541779435134e+02,
                                   6.57024977031928170135e+00,
                                   -6.04244152148580987438e-02};
  constexpr double kFarOver[] = {-9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01,
                                 -1.60636384855821916062e+02, -6.37566443368389627722e+02, -1.02509513161107724954e+03,
                                 -4.83519191608651397019e+02};
  constexpr double kFarUnder[] = {1,
                                  3.03380607434824582924e+01,
                                  3.25792512996573918826e+02,
                                  1.53672958608443695994e+03,
                                  3.19985821950859553908e+03,
                                  2.55305040643316442583e+03,
                                  4.74528541206955367215e+02,
                                  -2.24409524465858183362e+01};
  HloInstruction* const square = build.Mul(magnitude, magnitude);
  HloInstruction* const s = build.Div(build.Splat(square->shape(), 1), square);
  HloInstruction* const exponent =
      build.Select(Less(magnitude, 1 / 0.35, build), Quotient(s, kNearOver, kNearUnder, build),
                   Quotient(s, kFarOver, kFarUnder, build));
  HloInstruction* const first =
      build.Sub(build.Unary(HloOpcode::kNegate, square), build.SplatFloat(square->shape(), 0.5625));
  return build.Div(build.Mul(build.Unary(HloOpcode::kExp, first), build.Unary(HloOpcode::kExp, exponent)), magnitude);
}

// erf in f64 as in fdlibm's s_erf.c: the range of |x| decides which rational function counts, and all of them are
// computed.
HloInstruction* WideErf(HloInstruction* x, InstructionBuilder& build) {
  constexpr double kSmallOver[] = {1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02,
                                   -5.77027029648944159157e-03, -2.37630166566501626084e-05};
  constexpr double kSmallUnder[] = {1,
                                    3.97917223959155352819e-01,
                                    6.50222499887672944485e-02,
                                    5.08130628187576562776e-03,
                                    1.32494738004321644526e-04,
                                    -3.96022827877536812320e-06};
  constexpr double kMiddle = 8.45062911510467529297e-01;
  constexpr double kMiddleOver[] = {
      -2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01, 3.18346619901161753674e-01,
      -1.10894694282396677476e-01, 3.54783043256182359371e-02, -2.16637559486879084300e-03};
  constexpr double kMiddleUnder[] = {1,
                                     1.06420880400844228286e-01,
                                     5.40397917702171048937e-01,
                                     7.18286544141962662868e-02,
                                     1.26171219808761642112e-01,
                                     1.36370839120290507362e-02,
                                     1.19844998467991074170e-02};
  HloInstruction* const one = build.Splat(x->shape(), 1);
  HloInstruction* const magnitude = build.Unary(HloOpcode::kAbs, x);
  // Each range computes with arguments that it can stand; the selects take what belongs to x.
  HloInstruction* const is_small = Less(magnitude, 0.84375, build);
  HloInstruction* const near_zero = build.Select(is_small, x, build.Splat(x->shape(), 0));
  HloInstruction* const small = build.Add(
      near_zero, build.Mul(near_zero, Quotient(build.Mul(near_zero, near_zero), kSmallOver, kSmallUnder, build)));
  HloInstruction* const bounded = build.Clamp(build.ScalarFloat(x->shape().element_type(), 0.84375), magnitude,
                                              build.ScalarFloat(x->shape().element_type(), 6));
  HloInstruction* const middle = build.Add(build.SplatFloat(x->shape(), kMiddle),
                                           Quotient(build.Sub(bounded, one), kMiddleOver, kMiddleUnder, build));
  HloInstruction* const large = build.Sub(one, ErfTail(bounded, build));
  HloInstruction* const beyond = build.Select(Less(magnitude, 1.25, build), middle, large);
  return build.Select(is_small, small, WithSignOf(x, beyond, build));
}

HloInstruction* Logistic(HloInstruction* root, const RuleContext& context) {
  return ComputeWide(root, context, &WideLogistic);
}
HloInstruction* Rsqrt(HloInstruction* root, const RuleContext& context) {
  return ComputeWide(root, context, &WideRsqrt);
}
HloInstruction* Tan(HloInstruction* root, const RuleContext& context) {
  if (root->shape().element_type() == F64) return nullptr;
  return ComputeWide(root, context, &WideTan);
}
// The polynomials need f64 to be as good as the op table promises.
HloInstruction* Erf(HloInstruction* root, const RuleContext& context) {
  if (root->shape().element_type() == F64 || context.pass.Option("arithmetic") == "f32") return nullptr;
  return ComputeWide(root, context, &WideErf);
}

HloInstruction* Clamp(HloInstruction* root, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  const auto spread = [&](int i) {
    HloInstruction* const bound = root->operand(i);
    return bound->shape().IsScalar() ? build.BroadcastScalar(bound, root->shape()) : bound;
  };
  HloInstruction* const low = spread(0);
  return build.Min(build.Max(low, root->operand(1)), spread(2));
}

// |x| < infinity, which fails for NaN. In f32 every narrow float has its value, and NaN stays NaN.
HloInstruction* IsFinite(HloInstruction* root, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  HloInstruction* const own = root->operand(0);
  HloInstruction* const x = build.Convert(own, own->shape().element_type() == F64 ? F64 : F32);
  return Less(build.Unary(HloOpcode::kAbs, x), std::numeric_limits<double>::infinity(), build);
}

// NaN and zeros are their own signs.
HloInstruction* Sign(HloInstruction* root, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  const PrimitiveType own = root->shape().element_type();
  if (IsComplex(root->operand(0)->shape().element_type())) return nullptr;
  if (BitWidth(own) == 1) return root->operand(0);  // 0 and -1 of s1
  // Some narrow floats have no zero to compare with.
  HloInstruction* const x = build.Convert(root->operand(0), IsNarrowFloatType(own) ? F32 : own);
  HloInstruction* const zero = build.Splat(x->shape(), 0);
  HloInstruction* const negative = build.Compare(ComparisonDirection::kLt, x, zero);
  HloInstruction* const positive = build.Compare(ComparisonDirection::kGt, x, zero);
  HloInstruction* const sign =
      build.Select(positive, build.Splat(x->shape(), 1), build.Select(negative, build.Splat(x->shape(), -1), x));
  return build.Convert(sign, own);
}

// |x| rounded down, and up again if half or more was cut off; nothing is cut off values too large to have fractions.
HloInstruction* RoundNearestAfz(HloInstruction* root, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  const PrimitiveType own = root->shape().element_type();
  HloInstruction* const x = build.Convert(root->operand(0), own == F64 ? F64 : F32);
  HloInstruction* const magnitude = build.Unary(HloOpcode::kAbs, x);
  HloInstruction* const floor = build.Unary(HloOpcode::kFloor, magnitude);
  HloInstruction* const up =
      build.Compare(ComparisonDirection::kGe, build.Sub(magnitude, floor), build.SplatFloat(x->shape(), 0.5));
  HloInstruction* const rounded = build.Select(up, build.Add(floor, build.Splat(x->shape(), 1)), floor);
  return build.Convert(WithSignOf(x, rounded, build), own);
}

HloInstruction* Mulhi(HloInstruction* root, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  const PrimitiveType own = root->shape().element_type();
  if (BitWidth(own) > 32) return nullptr;
  const PrimitiveType wide = IsSignedInt(own) ? S64 : U64;
  HloInstruction* const product =
      build.Mul(build.Convert(root->operand(0), wide), build.Convert(root->operand(1), wide));
  return build.Convert(
      build.Binary(HloOpcode::kShiftRightArithmetic, product, build.Splat(product->shape(), BitWidth(own))), own);
}

}  // namespace

absl::StatusOr<bool> ExpandElementwise(HloModule& module, PassContext& context) {
  static const auto* const rules = new std::vector<RewriteRule>{
      {"expand-clamp", "clamp(lo, x, hi) => min(max(lo, x), hi)", {HloOpcode::kClamp}, &Clamp},
      {"expand-erf", "erf(x) => rational functions by range of |x|", {HloOpcode::kErf}, &Erf},
      {"expand-is-finite", "is-finite(x) => |x| < inf", {HloOpcode::kIsFinite}, &IsFinite},
      {"expand-logistic", "logistic(x) => (x < 0 ? e : 1) / (1 + e), e = exp(-|x|)", {HloOpcode::kLogistic}, &Logistic},
      {"expand-mulhi", "mulhi(x, y) => wide(x) * wide(y) >> bits", {HloOpcode::kMulhi}, &Mulhi},
      {"expand-round-nearest-afz",
       "round-nearest-afz(x) => floor(|x|) + (fraction >= 1/2), with x's sign",
       {HloOpcode::kRoundNearestAfz},
       &RoundNearestAfz},
      {"expand-rsqrt", "rsqrt(x) => 1 / sqrt(x)", {HloOpcode::kRsqrt}, &Rsqrt},
      {"expand-sign", "sign(x) => x > 0 ? 1 : x < 0 ? -1 : x", {HloOpcode::kSign}, &Sign},
      {"expand-tan", "tan(x) => sine(x) / cosine(x)", {HloOpcode::kTan}, &Tan},
  };
  const std::vector<std::string> ops = context.ListOption("ops");
  std::vector<const RewriteRule*> chosen;
  for (const std::string& op : ops) {
    const auto rule = std::find_if(rules->begin(), rules->end(),
                                   [&](const RewriteRule& r) { return op == HloOpcodeName(r.opcodes[0]); });
    if (rule == rules->end()) {
      return absl::InvalidArgumentError(
          "expand-elementwise cannot expand '" + op +
          "'; ops are any of clamp, erf, is-finite, logistic, mulhi, round-nearest-afz, rsqrt, sign and tan");
    }
    chosen.push_back(&*rule);
  }
  return ApplyRules(chosen, module, context);
}

}  // namespace xla
