// Rules for divide and remainder.
//
// Integer division truncates. HLO defines x / 0 as -1 (all bits set), x mod 0 as x, and the smallest number / -1 as
// itself, which rules keep. By a power of two, a dividend that is never negative is shifted or masked; negative ones
// would round in the other direction. Floats are divided by multiplying only with exact reciprocals, those of powers
// of two.
#include <cmath>
#include <limits>

#include "passes/algebra/element_types.h"
#include "passes/algebra/elementwise_rules.h"
#include "passes/algebra/splat_number.h"
#include "passes/algebra/value_facts.h"

namespace xla {
namespace {


__int128 Magnitude(const IntRange& number) { return number.low < 0 ? -number.low : number.low; }

// The range of a splat of integers has one number.
absl::optional<IntRange> IntegerSplat(const HloInstruction& x) {
  if (!IsIntegral(x) || !SplatBits(x).has_value()) return absl::nullopt;
  return IntRangeOf(x);
}

// The k of 2^k; nullopt if `number` is none.
absl::optional<int> LogOfPowerOfTwo(const IntRange& number) {
  const __int128 value = number.low;
  if (value <= 0 || (value & (value - 1)) != 0) return absl::nullopt;
  int log = 0;
  while ((__int128{1} << log) < value) ++log;
  return log;
}

HloInstruction* DivideOne(HloInstruction* root, const RuleContext&) {
  if (IsComplex(root->shape().element_type())) return nullptr;
  return IsNumber(*root->operand(1), 1) ? root->operand(0) : nullptr;
}
HloInstruction* DivideComplexOne(HloInstruction* root, const RuleContext&) {
  return IsNumber(*root->operand(1), 1) ? root->operand(0) : nullptr;
}

HloInstruction* DivideMinusOne(HloInstruction* root, const RuleContext& context) {
  const PrimitiveType type = root->shape().element_type();
  if (!IsSignedInt(type) && !IsSignedFloat(type)) return nullptr;
  const bool is_minus_one = IsInt(type) ? IsAllOnes(*root->operand(1)) : IsNumber(*root->operand(1), -1);
  return is_minus_one ? context.build.Unary(HloOpcode::kNegate, root->operand(0)) : nullptr;
}

HloInstruction* DivideByZero(HloInstruction* root, const RuleContext& context) {
  if (!IsIntegral(*root) || !IsAnyZero(*root->operand(1))) return nullptr;
  return SplatOfBits(context.build, root->shape(), ~uint64_t{0});
}

HloInstruction* DivideSelf(HloInstruction* root, const RuleContext& context) {
  if (!IsSignedFloat(root->shape().element_type()) || root->operand(0) != root->operand(1)) return nullptr;
  return context.build.Splat(root->shape(), 1);
}

HloInstruction* DivideNegates(HloInstruction* root, const RuleContext& context) {
  if (!IsSignedFloat(root->shape().element_type())) return nullptr;
  HloInstruction *x, *y;
  if (!Match(root,
             m::Op(HloOpcode::kDivide, m::Op(HloOpcode::kNegate, m::Any(&x)), m::Op(HloOpcode::kNegate, m::Any(&y))),
             context.log)) {
    return nullptr;
  }
  return context.build.Div(x, y);
}

HloInstruction* DivideNegateConstant(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const negate = root->operand(0);
  const auto value = SplatFloat(*root->operand(1));
  if (negate->opcode() != HloOpcode::kNegate || !value.has_value() || std::isnan(*value)) return nullptr;
  if (!IsSignedFloat(root->shape().element_type()) || !HasNegativeZero(root->shape().element_type())) return nullptr;
  return context.build.Div(negate->operand(0), context.build.SplatFloat(root->shape(), -*value));
}

// |x| < |c|: the quotient is 0 and the remainder is x.
bool IsBelowDivisor(const HloInstruction& x, const HloInstruction& divisor) {
  const auto c = IntegerSplat(divisor);
  if (!c.has_value()) return false;
  const IntRange range = IntRangeOf(x);
  return range.high < Magnitude(*c) && -range.low < Magnitude(*c);
}
HloInstruction* DivideSmall(HloInstruction* root, const RuleContext& context) {
  return IsBelowDivisor(*root->operand(0), *root->operand(1)) ? context.build.Splat(root->shape(), 0) : nullptr;
}
HloInstruction* RemainderSmall(HloInstruction* root, const RuleContext&) {
  return IsBelowDivisor(*root->operand(0), *root->operand(1)) ? root->operand(0) : nullptr;
}

HloInstruction* DivideByPowerOfTwo(HloInstruction* root, const RuleContext& context) {
  const auto c = IntegerSplat(*root->operand(1));
  if (!c.has_value() || IntRangeOf(*root->operand(0)).low < 0) return nullptr;
  const auto log = LogOfPowerOfTwo(*c);
  if (!log.has_value()) return nullptr;
  return context.build.Binary(HloOpcode::kShiftRightLogical, root->operand(0),
                              SplatOfBits(context.build, root->shape(), *log));
}
HloInstruction* RemainderByPowerOfTwo(HloInstruction* root, const RuleContext& context) {
  const auto c = IntegerSplat(*root->operand(1));
  if (!c.has_value() || IntRangeOf(*root->operand(0)).low < 0 || !LogOfPowerOfTwo(*c).has_value()) return nullptr;
  return context.build.And(root->operand(0),
                           SplatOfBits(context.build, root->shape(), static_cast<uint64_t>(c->low - 1)));
}

// (x / c) / d = x / (c * d) for positive constants whose product fits: integer division rounds towards zero both
// times.
HloInstruction* MergeDivisors(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& inner = *root->operand(0);
  if (inner.opcode() != HloOpcode::kDivide) return nullptr;
  const auto c = IntegerSplat(*inner.operand(1));
  const auto d = IntegerSplat(*root->operand(1));
  constexpr __int128 kLimit = __int128{1} << 62;
  if (!c.has_value() || !d.has_value() || c->low <= 0 || d->low <= 0 || c->low > kLimit || d->low > kLimit) {
    return nullptr;
  }
  const __int128 product = c->low * d->low;
  if (product > IntRangeOfType(root->shape().element_type()).high) return nullptr;
  return context.build.Div(inner.operand(0), SplatOfBits(context.build, root->shape(), static_cast<uint64_t>(product)));
}

double SmallestNormal(PrimitiveType type) {
  switch (type) {
    case F16:
      return 0x1p-14;
    case F64:
      return std::numeric_limits<double>::min();
    default:
      return std::numeric_limits<float>::min();
  }
}

// 1 / c for a power of two c; both are normal numbers, so that nothing rounds.
HloInstruction* DivideByFloatPowerOfTwo(HloInstruction* root, const RuleContext& context) {
  const PrimitiveType type = root->shape().element_type();
  const auto c = SplatFloat(*root->operand(1));
  if (!IsIeeeFloat(type) || !c.has_value()) return nullptr;
  int exponent;
  if (std::fabs(std::frexp(*c, &exponent)) != 0.5) return nullptr;
  const double smallest = SmallestNormal(type);
  if (std::fabs(*c) < smallest || std::fabs(1 / *c) < smallest) return nullptr;
  return context.build.Mul(root->operand(0), context.build.SplatFloat(root->shape(), 1 / *c));
}

HloInstruction* RemainderOne(HloInstruction* root, const RuleContext& context) {
  const auto c = IntegerSplat(*root->operand(1));
  return c.has_value() && Magnitude(*c) == 1 ? context.build.Splat(root->shape(), 0) : nullptr;
}
HloInstruction* RemainderZero(HloInstruction* root, const RuleContext&) {
  return IsIntegral(*root) && IsAnyZero(*root->operand(1)) ? root->operand(0) : nullptr;
}
HloInstruction* ZeroRemainder(HloInstruction* root, const RuleContext&) {
  return IsIntegral(*root) && IsAnyZero(*root->operand(0)) ? root->operand(0) : nullptr;
}
HloInstruction* RemainderSelf(HloInstruction* root, const RuleContext& context) {
  if (!IsIntegral(*root) || root->operand(0) != root->operand(1)) return nullptr;
  return context.build.Splat(root->shape(), 0);
}
HloInstruction* RemainderTwice(HloInstruction* root, const RuleContext&) {
  HloInstruction* const inner = root->operand(0);
  if (!IsIntegral(*root) && !IsIeeeFloat(root->shape().element_type())) return nullptr;
  return inner->opcode() == HloOpcode::kRemainder && inner->operand(1) == root->operand(1) ? inner : nullptr;
}

}  // namespace

const RuleList& DivisionRules() {
  static const std::vector<HloOpcode> divide = {HloOpcode::kDivide};
  static const std::vector<HloOpcode> remainder = {HloOpcode::kRemainder};
  static const auto* const rules = new RuleList{
      {"divide-one", "divide(x, 1) => x  (not complex)", divide, &DivideOne},
      {"divide-complex-one", "divide(z, 1) => z", divide, &DivideComplexOne, kNoNans | kNoSignedZeros},
      {"divide-minus-one", "divide(x, -1) => negate(x)", divide, &DivideMinusOne},
      {"divide-zero", "divide(x, 0) => -1, or the largest number if unsigned  (integers)", divide, &DivideByZero},
      {"divide-self", "divide(x, x) => 1  (floats)", divide, &DivideSelf, kNoNans},
      {"divide-negates", "divide(negate(x), negate(y)) => divide(x, y)  (floats)", divide, &DivideNegates},
      {"divide-negate-constant", "divide(negate(x), c) => divide(x, -c)  (floats)", divide, &DivideNegateConstant},
      {"divide-small", "divide(x, c) => 0  (integers, |x| < |c| always)", divide, &DivideSmall},
      {"divide-power-of-two", "divide(x, 2^k) => shift-right-logical(x, k)  (integers, x never negative)", divide,
       &DivideByPowerOfTwo},
      {"divide-merge", "divide(divide(x, c), d) => divide(x, c * d)  (integers, c and d positive, no overflow)", divide,
       &MergeDivisors},
      {"divide-float-power-of-two", "divide(x, 2^k) => multiply(x, 2^-k)  (floats)", divide, &DivideByFloatPowerOfTwo},
      {"remainder-one", "remainder(x, 1) => 0  (integers, also -1)", remainder, &RemainderOne},
      {"remainder-zero", "remainder(x, 0) => x  (integers)", remainder, &RemainderZero},
      {"zero-remainder", "remainder(0, x) => 0  (integers)", remainder, &ZeroRemainder},
      {"remainder-self", "remainder(x, x) => 0  (integers)", remainder, &RemainderSelf},
      {"remainder-twice", "remainder(remainder(x, y), y) => remainder(x, y)", remainder, &RemainderTwice},
      {"remainder-small", "remainder(x, c) => x  (integers, |x| < |c| always)", remainder, &RemainderSmall},
      {"remainder-power-of-two", "remainder(x, 2^k) => and(x, 2^k - 1)  (integers, x never negative)", remainder,
       &RemainderByPowerOfTwo},
  };
  return *rules;
}

}  // namespace xla
