// Rules for functions of one number (negate, abs, sign, roundings, is-finite), parts of complex numbers, and power.
//
// Negation and abs are exact in every type that has the negatives of its numbers; f8e8m0fnu does not, and integers
// have one number, the smallest, that is its own negative. A power is C's pow: pow(x, 0) and pow(1, x) are 1 even for
// NaN.
#include <cmath>

#include "passes/algebra/element_types.h"
#include "passes/algebra/elementwise_rules.h"
#include "passes/algebra/splat_number.h"
#include "passes/algebra/value_facts.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

// f8e8m0fnu rounds what is negative or zero to something else.
bool IsNumberLike(PrimitiveType type) { return IsInt(type) || IsSignedFloat(type) || IsComplex(type); }

HloInstruction* NegateTwice(HloInstruction* root, const RuleContext&) {
  const HloInstruction& inner = *root->operand(0);
  return inner.opcode() == HloOpcode::kNegate && IsNumberLike(TypeOf(*root)) ? inner.operand(0) : nullptr;
}

HloInstruction* NegateDifference(HloInstruction* root, const RuleContext& context, bool floats) {
  HloInstruction *x, *y;
  if (IsInt(TypeOf(*root)) == floats || !IsNumberLike(TypeOf(*root))) return nullptr;
  if (!Match(root, m::Op(HloOpcode::kNegate, m::Op(HloOpcode::kSubtract, m::Any(&x), m::Any(&y)).OneUse()),
             context.log)) {
    return nullptr;
  }
  return context.build.Sub(y, x);
}
HloInstruction* NegateIntegerDifference(HloInstruction* root, const RuleContext& context) {
  return NegateDifference(root, context, /*floats=*/false);
}
HloInstruction* NegateFloatDifference(HloInstruction* root, const RuleContext& context) {
  return NegateDifference(root, context, /*floats=*/true);
}

// -(x * c) => x * -c, -(x / c) => x / -c: signs of products are exact. A quotient of integers is not symmetric at the
// smallest of them.
HloInstruction* NegateScaled(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& inner = *root->operand(0);
  if (inner.users().size() != 1 || inner.operand_count() != 2) return nullptr;
  const HloInstruction& c = *inner.operand(1);
  if (inner.opcode() == HloOpcode::kMultiply && IsInt(TypeOf(*root))) {
    const auto bits = SplatBits(c);
    if (!bits.has_value()) return nullptr;
    return context.build.Mul(inner.operand(0), SplatOfBits(context.build, root->shape(), 0 - *bits));
  }
  if (inner.opcode() != HloOpcode::kMultiply && inner.opcode() != HloOpcode::kDivide) return nullptr;
  const auto value = SplatFloat(c);
  if (!value.has_value() || std::isnan(*value) || !HasNegativeZero(TypeOf(*root))) return nullptr;
  return context.build.Binary(inner.opcode(), inner.operand(0), context.build.SplatFloat(root->shape(), -*value));
}

// abs(abs(x)) => abs(x), abs(negate(x)) => abs(x).
HloInstruction* AbsOfSigned(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const inner = root->operand(0);
  if (TypeOf(*inner) == F8E8M0FNU) return nullptr;
  if (inner->opcode() == HloOpcode::kAbs) return TypeOf(*root) == TypeOf(*inner) ? inner : nullptr;
  return inner->opcode() == HloOpcode::kNegate ? context.build.Unary(HloOpcode::kAbs, inner->operand(0)) : nullptr;
}
HloInstruction* AbsOfPositive(HloInstruction* root, const RuleContext&) {
  HloInstruction* const x = root->operand(0);
  const bool applies = IsInt(TypeOf(*x)) ? IntRangeOf(*x).low >= 0 : IsFloat(TypeOf(*x)) && SignIsClear(*x);
  return applies ? x : nullptr;
}

HloInstruction* SignTwice(HloInstruction* root, const RuleContext&) {
  HloInstruction* const inner = root->operand(0);
  const PrimitiveType type = TypeOf(*root);
  return inner->opcode() == HloOpcode::kSign && (IsInt(type) || IsSignedFloat(type)) ? inner : nullptr;
}

// Of what is a whole number already. Only where whole numbers stay whole when they are stored.
HloInstruction* RoundWhole(HloInstruction* root, const RuleContext&) {
  HloInstruction* const x = root->operand(0);
  if (!IsIeeeFloat(TypeOf(*root))) return nullptr;
  const bool is_whole = HasTrait(x->opcode(), opcode_trait::kRoundsToInteger) || x->opcode() == HloOpcode::kSign ||
                        x->opcode() == HloOpcode::kIota ||
                        (x->opcode() == HloOpcode::kConvert && IsPredOrInt(TypeOf(*x->operand(0))));
  return is_whole ? x : nullptr;
}

HloInstruction* IsFiniteOfSigned(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& inner = *root->operand(0);
  const bool applies =
      inner.opcode() == HloOpcode::kNegate || (inner.opcode() == HloOpcode::kAbs && IsFloat(TypeOf(*inner.operand(0))));
  if (!applies || !IsIeeeFloat(TypeOf(inner))) return nullptr;
  return context.build.Unary(HloOpcode::kIsFinite, inner.operand(0));
}
HloInstruction* IsFiniteOfInteger(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& x = *root->operand(0);
  const PrimitiveType type = TypeOf(x);
  if (x.opcode() != HloOpcode::kConvert || !IsPredOrInt(TypeOf(*x.operand(0)))) return nullptr;
  // Every integer of HLO is less than 2^64, which f16 and narrower types do not reach.
  if (type != BF16 && type != F32 && type != F64) return nullptr;
  return context.build.Splat(root->shape(), 1);
}

// ---- Complex numbers and their parts

HloInstruction* PartOfReal(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const x = root->operand(0);
  if (!IsSignedFloat(TypeOf(*x))) return nullptr;
  return root->opcode() == HloOpcode::kReal ? x : context.build.Splat(root->shape(), 0);
}
HloInstruction* PartOfComplex(HloInstruction* root, const RuleContext&) {
  const HloInstruction& z = *root->operand(0);
  if (z.opcode() != HloOpcode::kComplex) return nullptr;
  return z.operand(root->opcode() == HloOpcode::kReal ? 0 : 1);
}
HloInstruction* PartOfConvert(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& z = *root->operand(0);
  if (z.opcode() != HloOpcode::kConvert || !IsComplex(TypeOf(z)) || IsComplex(TypeOf(*z.operand(0)))) return nullptr;
  if (root->opcode() == HloOpcode::kImag) return context.build.Splat(root->shape(), 0);
  return context.build.Convert(z.operand(0), TypeOf(*root));
}
HloInstruction* ComplexOfParts(HloInstruction* root, const RuleContext& context) {
  HloInstruction* z;
  if (!Match(root,
             m::Op(HloOpcode::kComplex, m::Op(HloOpcode::kReal, m::Any(&z)), m::Op(HloOpcode::kImag, m::Same(&z))),
             context.log)) {
    return nullptr;
  }
  return TypeOf(*z) == TypeOf(*root) ? z : nullptr;
}

// ---- power, which is C's: exact where these say so.

HloInstruction* PowerZero(HloInstruction* root, const RuleContext& context) {
  if (!IsAnyZero(*root->operand(1)) || TypeOf(*root) == F8E8M0FNU) return nullptr;
  return TypeOf(*root) == S1 ? nullptr : context.build.Splat(root->shape(), 1);
}
HloInstruction* PowerOne(HloInstruction* root, const RuleContext&) {
  if (!IsInt(TypeOf(*root)) && !IsSignedFloat(TypeOf(*root))) return nullptr;
  return IsNumber(*root->operand(1), 1) ? root->operand(0) : nullptr;
}
HloInstruction* OnePower(HloInstruction* root, const RuleContext&) {
  return IsNumber(*root->operand(0), 1) && TypeOf(*root) != F8E8M0FNU ? root->operand(0) : nullptr;
}
// The square of an f32 has no more than 48 digits, so that f64, in which powers are computed, holds it.
HloInstruction* PowerTwo(HloInstruction* root, const RuleContext& context) {
  const PrimitiveType type = TypeOf(*root);
  const bool is_exact = IsInt(type) || (IsSignedFloat(type) && type != F64);
  if (!is_exact || !IsNumber(*root->operand(1), 2)) return nullptr;
  return context.build.Mul(root->operand(0), root->operand(0));
}
HloInstruction* PowerThree(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const x = root->operand(0);
  if (!IsInt(TypeOf(*root)) || !IsNumber(*root->operand(1), 3)) return nullptr;
  return context.build.Mul(context.build.Mul(x, x), x);
}
// The reciprocal of an f32 is never so close to the middle between two f32 that rounding it to f64 first, in which
// powers are computed, makes a difference.
HloInstruction* PowerMinusOne(HloInstruction* root, const RuleContext& context) {
  const PrimitiveType type = TypeOf(*root);
  if (type != F32 && type != F16 && type != BF16) return nullptr;
  if (!IsNumber(*root->operand(1), -1)) return nullptr;
  return context.build.Div(context.build.Splat(root->shape(), 1), root->operand(0));
}
HloInstruction* TwoPower(HloInstruction* root, const RuleContext& context) {
  if (!IsInt(TypeOf(*root)) || !IsNumber(*root->operand(0), 2)) return nullptr;
  return context.build.Binary(HloOpcode::kShiftLeft, context.build.Splat(root->shape(), 1), root->operand(1));
}

}  // namespace

const RuleList& FunctionRules() {
  static const std::vector<HloOpcode> parts = {HloOpcode::kReal, HloOpcode::kImag};
  static const auto* const rules = new RuleList{
      {"negate-twice", "negate(negate(x)) => x", {HloOpcode::kNegate}, &NegateTwice},
      {"negate-difference",
       "negate(subtract(x, y)) => subtract(y, x)  (integers)",
       {HloOpcode::kNegate},
       &NegateIntegerDifference},
      {"negate-float-difference",
       "negate(subtract(x, y)) => subtract(y, x)  (floats)",
       {HloOpcode::kNegate},
       &NegateFloatDifference,
       kNoSignedZeros},
      {"negate-scaled",
       "negate(multiply(x, c)) => multiply(x, -c)  (floats also divide)",
       {HloOpcode::kNegate},
       &NegateScaled},
      {"abs-of-signed", "abs(abs(x)) => abs(x), abs(negate(x)) => abs(x)", {HloOpcode::kAbs}, &AbsOfSigned},
      {"abs-of-positive", "abs(x) => x  (x has never a sign)", {HloOpcode::kAbs}, &AbsOfPositive},
      {"sign-twice", "sign(sign(x)) => sign(x)", {HloOpcode::kSign}, &SignTwice},
      {"round-whole",
       "floor(ceil(x)) => ceil(x)  (any rounding of what is whole already)",
       {HloOpcode::kFloor, HloOpcode::kCeil, HloOpcode::kRoundNearestAfz, HloOpcode::kRoundNearestEven},
       &RoundWhole},
      {"is-finite-of-signed",
       "is-finite(negate(x)) => is-finite(x)  (also abs)",
       {HloOpcode::kIsFinite},
       &IsFiniteOfSigned},
      {"is-finite-of-integer", "is-finite(convert(n)) => true", {HloOpcode::kIsFinite}, &IsFiniteOfInteger},
      {"part-of-real", "real(x) => x, imag(x) => 0  (floats)", parts, &PartOfReal},
      {"part-of-complex", "real(complex(x, y)) => x, imag(complex(x, y)) => y", parts, &PartOfComplex},
      {"part-of-convert", "real(convert(x)) => convert(x), imag(convert(x)) => 0  (x is real)", parts, &PartOfConvert},
      {"complex-of-parts", "complex(real(z), imag(z)) => z", {HloOpcode::kComplex}, &ComplexOfParts},
      {"power-zero", "power(x, 0) => 1", {HloOpcode::kPower}, &PowerZero},
      {"power-one", "power(x, 1) => x  (not complex)", {HloOpcode::kPower}, &PowerOne},
      {"one-power", "power(1, x) => 1", {HloOpcode::kPower}, &OnePower},
      {"power-two",
       "power(x, 2) => multiply(x, x)  (integers, and floats narrower than f64)",
       {HloOpcode::kPower},
       &PowerTwo},
      {"power-three", "power(x, 3) => multiply(multiply(x, x), x)  (integers)", {HloOpcode::kPower}, &PowerThree},
      {"power-minus-one", "power(x, -1) => divide(1, x)  (f32, f16, bf16)", {HloOpcode::kPower}, &PowerMinusOne},
      {"two-power", "power(2, x) => shift-left(1, x)  (integers)", {HloOpcode::kPower}, &TwoPower},
  };
  return *rules;
}

}  // namespace xla
