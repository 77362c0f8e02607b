// Rules for multiply.
//
// Exact for floats are factors of 1, -1 and signs in general, and joint scaling by powers of two that cannot overflow
// or become denormal in between. x * 0 is NaN for infinite x and -0 for negative x, so that one needs fast-math
// groups; complex products hide such terms even where a factor is 1.
#include <cmath>

#include "passes/algebra/element_types.h"
#include "passes/algebra/elementwise_rules.h"
#include "passes/algebra/splat_number.h"

namespace xla {
namespace {


// (a + bi) * (1 + 0i) is a * 1 - b * 0, where b may be infinite.
HloInstruction* MultiplyOne(HloInstruction* root, const RuleContext&) {
  if (IsComplex(root->shape().element_type())) return nullptr;
  return IsNumber(*root->operand(1), 1) ? root->operand(0) : nullptr;
}
HloInstruction* MultiplyComplexOne(HloInstruction* root, const RuleContext&) {
  return IsNumber(*root->operand(1), 1) ? root->operand(0) : nullptr;
}

HloInstruction* MultiplyZero(HloInstruction* root, const RuleContext&) {
  return IsIntegral(*root) && IsAnyZero(*root->operand(1)) ? root->operand(1) : nullptr;
}
HloInstruction* MultiplyAnyZero(HloInstruction* root, const RuleContext& context) {
  if (!IsInexact(*root) || !IsAnyZero(*root->operand(1))) return nullptr;
  return context.build.Splat(root->shape(), 0);
}

HloInstruction* MultiplyMinusOne(HloInstruction* root, const RuleContext& context) {
  const PrimitiveType type = root->shape().element_type();
  const bool is_minus_one =
      IsInt(type) ? IsAllOnes(*root->operand(1)) : IsSignedFloat(type) && IsNumber(*root->operand(1), -1);
  return is_minus_one ? context.build.Unary(HloOpcode::kNegate, root->operand(0)) : nullptr;
}

HloInstruction* MultiplyNegates(HloInstruction* root, const RuleContext& context) {
  if (!IsIntegral(*root) && !IsInexact(*root)) return nullptr;
  HloInstruction *x, *y;
  if (!Match(root,
             m::Op(HloOpcode::kMultiply, m::Op(HloOpcode::kNegate, m::Any(&x)), m::Op(HloOpcode::kNegate, m::Any(&y))),
             context.log)) {
    return nullptr;
  }
  return context.build.Mul(x, y);
}

HloInstruction* MultiplyNegateConstant(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const negate = root->operand(0);
  if (negate->opcode() != HloOpcode::kNegate || IsConstantLike(*negate->operand(0))) return nullptr;
  HloInstruction* const c = root->operand(1);
  if (const auto bits = SplatBits(*c)) {
    return context.build.Mul(negate->operand(0), SplatOfBits(context.build, c->shape(), 0 - *bits));
  }
  const auto value = SplatFloat(*c);
  if (!value.has_value() || std::isnan(*value) || !IsSignedFloat(root->shape().element_type())) return nullptr;
  return context.build.Mul(negate->operand(0), context.build.SplatFloat(c->shape(), -*value));
}

bool IsScaled(const HloInstruction& x) {
  return x.opcode() == HloOpcode::kMultiply && IsConstantLike(*x.operand(1)) && !IsConstantLike(*x.operand(0));
}

HloInstruction* MergeConstantFactors(const HloInstruction& root, InstructionBuilder& build) {
  HloInstruction* const a = root.operand(0);
  HloInstruction* const b = root.operand(1);
  if (!IsScaled(*a)) return nullptr;
  if (IsConstantLike(*b)) return build.Mul(a->operand(0), build.Mul(a->operand(1), b));
  if (!IsScaled(*b) || a->users().size() != 1 || b->users().size() != 1) return nullptr;
  return build.Mul(build.Mul(a->operand(0), b->operand(0)), build.Mul(a->operand(1), b->operand(1)));
}
HloInstruction* MergeIntegerConstantFactors(HloInstruction* root, const RuleContext& context) {
  return IsIntegral(*root) ? MergeConstantFactors(*root, context.build) : nullptr;
}
HloInstruction* MergeFloatConstantFactors(HloInstruction* root, const RuleContext& context) {
  return IsInexact(*root) ? MergeConstantFactors(*root, context.build) : nullptr;
}

// The largest finite number of a float type; f64 for all types that are not listed.
double LargestFinite(PrimitiveType type) {
  switch (type) {
    case F16:
      return 65504;
    case BF16:
      return 0x1.fep127;
    case F32:
      return 0x1.fffffep127;
    default:
      return 0x1.fffffffffffffp1023;
  }
}

bool IsPowerOfTwo(double value) {
  int exponent;
  return std::frexp(std::fabs(value), &exponent) == 0.5;
}

// Scaling up by 2^k is exact until it overflows, and what has overflowed is not brought back by a factor of 1 or more.
HloInstruction* MergeScales(HloInstruction* root, const RuleContext& context) {
  const PrimitiveType type = root->shape().element_type();
  const HloInstruction& scaled = *root->operand(0);
  if (!IsIeeeFloat(type) || !IsScaled(scaled)) return nullptr;
  const auto inner = SplatFloat(*scaled.operand(1));
  const auto outer = SplatFloat(*root->operand(1));
  if (!inner.has_value() || !outer.has_value()) return nullptr;
  if (!IsPowerOfTwo(*inner) || !(std::fabs(*inner) >= 1) || !(std::fabs(*outer) >= 1)) return nullptr;
  const double product = *inner * *outer;
  if (!(std::fabs(product) <= LargestFinite(type))) return nullptr;
  return context.build.Mul(scaled.operand(0), context.build.SplatFloat(root->shape(), product));
}

bool IsConvertedPredicate(const HloInstruction& x) {
  return x.opcode() == HloOpcode::kConvert && x.operand(0)->shape().element_type() == PRED;
}

// s1 has no 1: there true converts to -1.
HloInstruction* SelectByPredicate(const HloInstruction& root, InstructionBuilder& build) {
  const PrimitiveType type = root.shape().element_type();
  if (type == S1) return nullptr;
  for (int i = 0; i < 2; ++i) {
    if (!IsConvertedPredicate(*root.operand(i)) || IsConvertedPredicate(*root.operand(1 - i))) continue;
    return build.Select(root.operand(i)->operand(0), root.operand(1 - i), build.Splat(root.shape(), 0));
  }
  return nullptr;
}
HloInstruction* MultiplyPredicate(HloInstruction* root, const RuleContext& context) {
  return IsIntegral(*root) ? SelectByPredicate(*root, context.build) : nullptr;
}
HloInstruction* MultiplyFloatPredicate(HloInstruction* root, const RuleContext& context) {
  return IsSignedFloat(root->shape().element_type()) ? SelectByPredicate(*root, context.build) : nullptr;
}

// 0 and 1 times 0 or 1 is exact in any type that has them.
HloInstruction* MultiplyTwoPredicates(HloInstruction* root, const RuleContext& context) {
  const PrimitiveType type = root->shape().element_type();
  if (type == S1 || type == F8E8M0FNU || IsComplex(type)) return nullptr;
  const HloInstruction& a = *root->operand(0);
  const HloInstruction& b = *root->operand(1);
  if (!IsConvertedPredicate(a) || !IsConvertedPredicate(b)) return nullptr;
  return context.build.Convert(context.build.And(a.operand(0), b.operand(0)), type);
}

}  // namespace

const RuleList& MultiplicationRules() {
  static const std::vector<HloOpcode> multiply = {HloOpcode::kMultiply};
  static const auto* const rules = new RuleList{
      {"multiply-one", "multiply(x, 1) => x  (not complex)", multiply, &MultiplyOne},
      {"multiply-complex-one", "multiply(z, 1) => z", multiply, &MultiplyComplexOne, kNoNans | kNoSignedZeros},
      {"multiply-zero", "multiply(x, 0) => 0  (integers)", multiply, &MultiplyZero},
      {"multiply-any-zero", "multiply(x, 0) => 0  (floats)", multiply, &MultiplyAnyZero, kNoNans | kNoSignedZeros},
      {"multiply-minus-one", "multiply(x, -1) => negate(x)", multiply, &MultiplyMinusOne},
      {"multiply-negates", "multiply(negate(x), negate(y)) => multiply(x, y)", multiply, &MultiplyNegates},
      {"multiply-negate-constant", "multiply(negate(x), c) => multiply(x, -c)", multiply, &MultiplyNegateConstant},
      {"multiply-two-predicates", "multiply(convert(p), convert(q)) => convert(and(p, q))", multiply,
       &MultiplyTwoPredicates},
      {"multiply-predicate", "multiply(x, convert(p)) => select(p, x, 0)  (integers)", multiply, &MultiplyPredicate},
      {"multiply-float-predicate", "multiply(x, convert(p)) => select(p, x, 0)  (floats)", multiply,
       &MultiplyFloatPredicate, kNoNans | kNoSignedZeros},
      {"multiply-merge-constants",
       "multiply(multiply(x, c), d) => multiply(x, multiply(c, d)), "
       "multiply(multiply(x, c), multiply(y, d)) => multiply(multiply(x, y), multiply(c, d))  (integers)",
       multiply, &MergeIntegerConstantFactors},
      {"multiply-merge-scales",
       "multiply(multiply(x, 2^k), c) => multiply(x, 2^k * c)  (floats; k >= 0, |c| >= 1, no overflow)", multiply,
       &MergeScales},
      {"multiply-merge-float-constants", "multiply(multiply(x, c), d) => multiply(x, multiply(c, d)) ...  (floats)",
       multiply, &MergeFloatConstantFactors, kReassociate},
  };
  return *rules;
}

}  // namespace xla
