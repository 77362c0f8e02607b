// Rules for add and subtract.
//
// Integers wrap, so every identity of the integers holds for them. For floats the exact ones are few: x + (-0) is x
// for every x, but -0 + (+0) is +0, so adding +0 can only be dropped where x is never -0; x - x is NaN for
// infinities; and (x + c) + d rounds twice. Rules that differ only in that exist twice, and the second one names the
// fast-math groups that it needs.
#include <cmath>

#include "passes/algebra/element_types.h"
#include "passes/algebra/elementwise_rules.h"
#include "passes/algebra/splat_number.h"
#include "passes/algebra/value_facts.h"

namespace xla {
namespace {


HloInstruction* AddZero(HloInstruction* root, const RuleContext&) {
  return IsNeutralZero(*root->operand(1)) ? root->operand(0) : nullptr;
}
HloInstruction* AddPositiveZero(HloInstruction* root, const RuleContext&) {
  if (!IsSignedFloat(root->shape().element_type()) || !IsAnyZero(*root->operand(1))) return nullptr;
  return NeverNegativeZero(*root->operand(0)) ? root->operand(0) : nullptr;
}
HloInstruction* AddAnyZero(HloInstruction* root, const RuleContext&) {
  return IsInexact(*root) && IsAnyZero(*root->operand(1)) ? root->operand(0) : nullptr;
}

HloInstruction* AddNegate(HloInstruction* root, const RuleContext& context) {
  if (root->shape().element_type() == F8E8M0FNU) return nullptr;
  HloInstruction *x, *y;
  if (!Match(root, m::AnyOrder(HloOpcode::kAdd, m::Any(&x), m::Op(HloOpcode::kNegate, m::Any(&y))), context.log)) {
    return nullptr;
  }
  return context.build.Sub(x, y);
}

HloInstruction* SubtractZero(HloInstruction* root, const RuleContext&) {
  return IsNumber(*root->operand(1), 0.0) ? root->operand(0) : nullptr;
}
HloInstruction* SubtractAnyZero(HloInstruction* root, const RuleContext&) {
  return IsInexact(*root) && IsAnyZero(*root->operand(1)) ? root->operand(0) : nullptr;
}

HloInstruction* SubtractNegate(HloInstruction* root, const RuleContext& context) {
  if (root->shape().element_type() == F8E8M0FNU) return nullptr;
  HloInstruction *x, *y;
  if (!Match(root, m::Op(HloOpcode::kSubtract, m::Any(&x), m::Op(HloOpcode::kNegate, m::Any(&y))), context.log)) {
    return nullptr;
  }
  return context.build.Add(x, y);
}

// Of integers and floats that have all numbers' negatives.
HloInstruction* NegatedSplat(InstructionBuilder& build, const HloInstruction& splat) {
  if (const auto bits = SplatBits(splat)) {
    return splat.shape().element_type() == PRED ? nullptr : SplatOfBits(build, splat.shape(), 0 - *bits);
  }
  const auto value = SplatFloat(splat);
  if (!value.has_value() || std::isnan(*value) || !IsSignedFloat(splat.shape().element_type())) return nullptr;
  return build.SplatFloat(splat.shape(), -*value);
}

// One form for both, so that other rules need to look for sums only.
HloInstruction* SubtractConstant(HloInstruction* root, const RuleContext& context) {
  if (IsConstantLike(*root->operand(0))) return nullptr;
  HloInstruction* const negated = NegatedSplat(context.build, *root->operand(1));
  return negated == nullptr ? nullptr : context.build.Add(root->operand(0), negated);
}

HloInstruction* ZeroSubtract(HloInstruction* root, const RuleContext& context) {
  const PrimitiveType type = root->shape().element_type();
  const bool applies = IsInt(type) ? IsAnyZero(*root->operand(0)) : IsSplatOfNegativeZero(*root->operand(0));
  if (!applies || type == F8E8M0FNU) return nullptr;
  return context.build.Unary(HloOpcode::kNegate, root->operand(1));
}
HloInstruction* AnyZeroSubtract(HloInstruction* root, const RuleContext& context) {
  if (!IsInexact(*root) || !IsAnyZero(*root->operand(0))) return nullptr;
  return context.build.Unary(HloOpcode::kNegate, root->operand(1));
}

HloInstruction* SubtractSelf(HloInstruction* root, const RuleContext& context) {
  if (!IsIntegral(*root) || root->operand(0) != root->operand(1)) return nullptr;
  return context.build.Splat(root->shape(), 0);
}
HloInstruction* SubtractSelfNoNans(HloInstruction* root, const RuleContext& context) {
  if (!IsInexact(*root) || root->operand(0) != root->operand(1)) return nullptr;
  return context.build.Splat(root->shape(), 0);
}

// The other operand of a sum one of whose operands is `term`.
HloInstruction* SumLess(const HloInstruction& sum, const HloInstruction* term) {
  if (sum.opcode() != HloOpcode::kAdd) return nullptr;
  if (sum.operand(0) == term) return sum.operand(1);
  return sum.operand(1) == term ? sum.operand(0) : nullptr;
}

HloInstruction* CancelInSum(const HloInstruction& root) {
  for (int i = 0; i < 2; ++i) {
    const HloInstruction& difference = *root.operand(i);
    if (difference.opcode() == HloOpcode::kSubtract && difference.operand(1) == root.operand(1 - i)) {
      return difference.operand(0);
    }
  }
  return nullptr;
}

HloInstruction* CancelInDifference(const HloInstruction& root, InstructionBuilder& build) {
  HloInstruction* const a = root.operand(0);
  HloInstruction* const b = root.operand(1);
  if (HloInstruction* rest = SumLess(*a, b)) return rest;
  if (HloInstruction* rest = SumLess(*b, a)) return build.Unary(HloOpcode::kNegate, rest);
  if (b->opcode() == HloOpcode::kSubtract && b->operand(0) == a) return b->operand(1);
  if (a->opcode() == HloOpcode::kSubtract && a->operand(0) == b) {
    return build.Unary(HloOpcode::kNegate, a->operand(1));
  }
  return nullptr;
}

HloInstruction* Cancel(const HloInstruction& root, InstructionBuilder& build) {
  return root.opcode() == HloOpcode::kAdd ? CancelInSum(root) : CancelInDifference(root, build);
}
HloInstruction* CancelIntegers(HloInstruction* root, const RuleContext& context) {
  return IsIntegral(*root) ? Cancel(*root, context.build) : nullptr;
}
HloInstruction* CancelFloats(HloInstruction* root, const RuleContext& context) {
  return IsInexact(*root) ? Cancel(*root, context.build) : nullptr;
}

// x + c, with anything and a constant.
bool IsSumWithConstant(const HloInstruction& x) {
  return x.opcode() == HloOpcode::kAdd && IsConstantLike(*x.operand(1)) && !IsConstantLike(*x.operand(0));
}
bool IsConstantLess(const HloInstruction& x) {
  return x.opcode() == HloOpcode::kSubtract && IsConstantLike(*x.operand(0)) && !IsConstantLike(*x.operand(1));
}

// add(x + c, d), add(x + c, y + d) and add(c - x, d): brings the constants together, where they fold. Where both
// operands are sums, neither may have other users, or the number of additions would grow.
HloInstruction* MergeIntoSum(const HloInstruction& root, InstructionBuilder& build) {
  HloInstruction* const a = root.operand(0);
  HloInstruction* const b = root.operand(1);
  const bool used_once = a->users().size() == 1 && b->users().size() == 1;
  if (IsSumWithConstant(*a) && IsSumWithConstant(*b) && used_once) {
    return build.Add(build.Add(a->operand(0), b->operand(0)), build.Add(a->operand(1), b->operand(1)));
  }
  if (!IsConstantLike(*b)) return nullptr;
  if (IsSumWithConstant(*a)) return build.Add(a->operand(0), build.Add(a->operand(1), b));
  if (IsConstantLess(*a)) return build.Sub(build.Add(a->operand(0), b), a->operand(1));
  return nullptr;
}

HloInstruction* MergeIntoDifference(const HloInstruction& root, InstructionBuilder& build) {
  HloInstruction* const c = root.operand(0);
  HloInstruction* const b = root.operand(1);
  if (!IsConstantLike(*c)) return nullptr;
  if (IsSumWithConstant(*b)) return build.Sub(build.Sub(c, b->operand(1)), b->operand(0));
  if (IsConstantLess(*b)) return build.Add(b->operand(1), build.Sub(c, b->operand(0)));
  return nullptr;
}

HloInstruction* MergeConstants(const HloInstruction& root, InstructionBuilder& build) {
  return root.opcode() == HloOpcode::kAdd ? MergeIntoSum(root, build) : MergeIntoDifference(root, build);
}
HloInstruction* MergeIntegerConstants(HloInstruction* root, const RuleContext& context) {
  return IsIntegral(*root) ? MergeConstants(*root, context.build) : nullptr;
}
HloInstruction* MergeFloatConstants(HloInstruction* root, const RuleContext& context) {
  return IsInexact(*root) ? MergeConstants(*root, context.build) : nullptr;
}

// a * c + b * c => (a + b) * c, and the same for differences. Only if both products are needed for nothing else, so
// that one multiplication goes.
HloInstruction* FactorOut(const HloInstruction& root, InstructionBuilder& build) {
  const HloInstruction& left = *root.operand(0);
  const HloInstruction& right = *root.operand(1);
  for (const HloInstruction* product : {&left, &right}) {
    if (product->opcode() != HloOpcode::kMultiply || product->users().size() != 1) return nullptr;
  }
  if (&left == &right) return nullptr;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      if (left.operand(i) != right.operand(j)) continue;
      return build.Mul(build.Binary(root.opcode(), left.operand(1 - i), right.operand(1 - j)), left.operand(i));
    }
  }
  return nullptr;
}
HloInstruction* FactorIntegers(HloInstruction* root, const RuleContext& context) {
  return IsIntegral(*root) ? FactorOut(*root, context.build) : nullptr;
}
HloInstruction* FactorFloats(HloInstruction* root, const RuleContext& context) {
  return IsInexact(*root) ? FactorOut(*root, context.build) : nullptr;
}

}  // namespace

const RuleList& AdditionRules() {
  static const auto* const rules = new RuleList{
      {"add-zero", "add(x, 0) => x  (of floats -0: adding +0 makes a +0 of -0)", {HloOpcode::kAdd}, &AddZero},
      {"add-positive-zero", "add(x, +0) => x  (x is never -0)", {HloOpcode::kAdd}, &AddPositiveZero},
      {"add-any-zero", "add(x, +0) => x", {HloOpcode::kAdd}, &AddAnyZero, kNoSignedZeros},
      {"add-negate", "add(x, negate(y)) => subtract(x, y)", {HloOpcode::kAdd}, &AddNegate},
      {"subtract-zero", "subtract(x, +0) => x", {HloOpcode::kSubtract}, &SubtractZero},
      {"subtract-any-zero", "subtract(x, -0) => x", {HloOpcode::kSubtract}, &SubtractAnyZero, kNoSignedZeros},
      {"zero-subtract", "subtract(0, x) => negate(x)  (of floats -0)", {HloOpcode::kSubtract}, &ZeroSubtract},
      {"any-zero-subtract", "subtract(+0, x) => negate(x)", {HloOpcode::kSubtract}, &AnyZeroSubtract, kNoSignedZeros},
      {"subtract-self", "subtract(x, x) => 0  (integers)", {HloOpcode::kSubtract}, &SubtractSelf},
      {"subtract-self-no-nans", "subtract(x, x) => 0  (floats)", {HloOpcode::kSubtract}, &SubtractSelfNoNans, kNoNans},
      {"subtract-negate", "subtract(x, negate(y)) => add(x, y)", {HloOpcode::kSubtract}, &SubtractNegate},
      {"subtract-constant", "subtract(x, c) => add(x, -c)", {HloOpcode::kSubtract}, &SubtractConstant},
      {"add-cancel",
       "add(subtract(a, b), b) => a, subtract(add(a, b), b) => a, subtract(a, subtract(a, b)) => b ...  "
       "(integers)",
       {HloOpcode::kAdd, HloOpcode::kSubtract},
       &CancelIntegers},
      {"add-cancel-floats",
       "add(subtract(a, b), b) => a ...  (floats)",
       {HloOpcode::kAdd, HloOpcode::kSubtract},
       &CancelFloats,
       kReassociate | kNoNans},
      {"add-merge-constants",
       "add(add(x, c), d) => add(x, add(c, d)), add(add(x, c), add(y, d)) => add(add(x, y), add(c, d)) ...  (integers)",
       {HloOpcode::kAdd, HloOpcode::kSubtract},
       &MergeIntegerConstants},
      {"add-merge-float-constants",
       "add(add(x, c), d) => add(x, add(c, d)) ...  (floats)",
       {HloOpcode::kAdd, HloOpcode::kSubtract},
       &MergeFloatConstants,
       kReassociate},
      {"add-factor",
       "add(multiply(a, c), multiply(b, c)) => multiply(add(a, b), c)  (integers; also subtract)",
       {HloOpcode::kAdd, HloOpcode::kSubtract},
       &FactorIntegers},
      {"add-factor-floats",
       "add(multiply(a, c), multiply(b, c)) => multiply(add(a, b), c)  (floats; also subtract)",
       {HloOpcode::kAdd, HloOpcode::kSubtract},
       &FactorFloats,
       kReassociate},
  };
  return *rules;
}

}  // namespace xla
