// Rules for and, or, xor, not and shifts, all exact, and for arithmetic on predicates.
//
// They serve pred and integers alike; `not` inverts all bits of the type. Shift amounts are unsigned, and an amount
// of at least the width shifts everything out: to 0, or to the sign for shift-right-arithmetic.
#include <algorithm>

#include "passes/algebra/elementwise_rules.h"
#include "passes/algebra/splat_number.h"
#include "passes/algebra/value_facts.h"

namespace xla {
namespace {

uint64_t LowBits(int count) { return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }

HloInstruction* BitwiseSelf(HloInstruction* root, const RuleContext& context) {
  if (root->operand(0) != root->operand(1)) return nullptr;
  return root->opcode() == HloOpcode::kXor ? context.build.Splat(root->shape(), 0) : root->operand(0);
}

HloInstruction* BitwiseZero(HloInstruction* root, const RuleContext&) {
  if (!IsAnyZero(*root->operand(1))) return nullptr;
  return root->operand(root->opcode() == HloOpcode::kAnd ? 1 : 0);
}

HloInstruction* BitwiseAllOnes(HloInstruction* root, const RuleContext& context) {
  if (!IsAllOnes(*root->operand(1))) return nullptr;
  if (root->opcode() == HloOpcode::kXor) return context.build.Not(root->operand(0));
  return root->operand(root->opcode() == HloOpcode::kAnd ? 0 : 1);
}

HloInstruction* NotTwice(HloInstruction* root, const RuleContext&) {
  const HloInstruction& inner = *root->operand(0);
  return inner.opcode() == HloOpcode::kNot ? inner.operand(0) : nullptr;
}

// x op not(x), in either order.
HloInstruction* BitwiseComplement(HloInstruction* root, const RuleContext& context) {
  HloInstruction* x;
  if (!Match(root, m::AnyOrder(root->opcode(), m::Any(&x), m::Op(HloOpcode::kNot, m::Same(&x))), context.log)) {
    return nullptr;
  }
  return SplatOfBits(context.build, root->shape(), root->opcode() == HloOpcode::kAnd ? 0 : ~uint64_t{0});
}

HloInstruction* BitwiseMerge(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& inner = *root->operand(0);
  if (inner.opcode() != root->opcode() || !IsConstantLike(*root->operand(1)) || !IsConstantLike(*inner.operand(1)) ||
      IsConstantLike(*inner.operand(0))) {
    return nullptr;
  }
  return context.build.Binary(root->opcode(), inner.operand(0),
                              context.build.Binary(root->opcode(), inner.operand(1), root->operand(1)));
}

bool HasOperand(const HloInstruction& x, const HloInstruction* operand) {
  return x.operand(0) == operand || x.operand(1) == operand;
}

HloInstruction* BitwiseRepeated(HloInstruction* root, const RuleContext&) {
  for (int i = 0; i < 2; ++i) {
    HloInstruction* const inner = root->operand(i);
    HloInstruction* const other = root->operand(1 - i);
    if (inner->opcode() != HloOpcode::kAnd && inner->opcode() != HloOpcode::kOr) continue;
    if (HasOperand(*inner, other)) return inner->opcode() == root->opcode() ? inner : other;
  }
  return nullptr;
}

HloInstruction* XorRepeated(HloInstruction* root, const RuleContext&) {
  for (int i = 0; i < 2; ++i) {
    const HloInstruction& inner = *root->operand(i);
    const HloInstruction* const other = root->operand(1 - i);
    if (inner.opcode() == HloOpcode::kXor && HasOperand(inner, other)) {
      return inner.operand(inner.operand(0) == other ? 1 : 0);
    }
  }
  return nullptr;
}

// A mask that has all bits that x can have.
HloInstruction* MaskCovers(HloInstruction* root, const RuleContext&) {
  const auto mask = SplatBits(*root->operand(1));
  if (!mask.has_value() || !IsInt(root->shape().element_type())) return nullptr;
  const IntRange range = IntRangeOf(*root->operand(0));
  if (range.low < 0) return nullptr;
  int bits = 0;
  while (bits < 64 && (range.high >> bits) != 0) ++bits;
  return (~*mask & LowBits(bits)) == 0 ? root->operand(0) : nullptr;
}

HloInstruction* DeMorgan(HloInstruction* root, const RuleContext& context) {
  HloInstruction *x, *y;
  const auto pattern =
      m::Op(root->opcode(), m::Op(HloOpcode::kNot, m::Any(&x)).OneUse(), m::Op(HloOpcode::kNot, m::Any(&y)).OneUse());
  if (!Match(root, pattern, context.log)) return nullptr;
  const HloOpcode inside = root->opcode() == HloOpcode::kAnd ? HloOpcode::kOr : HloOpcode::kAnd;
  return context.build.Not(context.build.Binary(inside, x, y));
}

// ---- Shifts

// The amount of a shift by a splat, which is unsigned; as many as the type has bits stands for all greater ones.
absl::optional<int> ShiftAmount(const HloInstruction& shift) {
  const auto bits = SplatBits(*shift.operand(1));
  if (!bits.has_value()) return absl::nullopt;
  const int width = BitWidth(shift.shape().element_type());
  const uint64_t amount = width == 64 ? *bits : *bits & ((uint64_t{1} << width) - 1);
  return static_cast<int>(std::min<uint64_t>(amount, width));
}

HloInstruction* ShiftByNothing(HloInstruction* root, const RuleContext&) {
  return IsAnyZero(*root->operand(1)) || IsAnyZero(*root->operand(0)) ? root->operand(0) : nullptr;
}

HloInstruction* ShiftOut(HloInstruction* root, const RuleContext& context) {
  const auto amount = ShiftAmount(*root);
  if (!amount.has_value() || *amount < BitWidth(root->shape().element_type())) return nullptr;
  return context.build.Splat(root->shape(), 0);
}

// Adds the amounts of two shifts. Sums of at least the width give zero, or all sign bits for an arithmetic shift
// right.
HloInstruction* ShiftTwice(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& inner = *root->operand(0);
  if (inner.opcode() != root->opcode()) return nullptr;
  const auto a = ShiftAmount(inner);
  const auto b = ShiftAmount(*root);
  if (!a.has_value() || !b.has_value()) return nullptr;
  const int width = BitWidth(root->shape().element_type());
  int sum = *a + *b;
  if (sum >= width) {
    if (root->opcode() != HloOpcode::kShiftRightArithmetic) return context.build.Splat(root->shape(), 0);
    sum = width - 1;
  }
  return context.build.Binary(root->opcode(), inner.operand(0), SplatOfBits(context.build, root->shape(), sum));
}

// There and back again by the same amount: only the bits that fell out are gone.
HloInstruction* ShiftBack(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& inner = *root->operand(0);
  const HloOpcode back =
      root->opcode() == HloOpcode::kShiftLeft ? HloOpcode::kShiftRightLogical : HloOpcode::kShiftLeft;
  const bool arithmetic = root->opcode() == HloOpcode::kShiftLeft && inner.opcode() == HloOpcode::kShiftRightArithmetic;
  if (inner.opcode() != back && !arithmetic) return nullptr;
  const auto a = ShiftAmount(inner);
  const auto b = ShiftAmount(*root);
  const int width = BitWidth(root->shape().element_type());
  if (!a.has_value() || a != b || *a >= width) return nullptr;
  const uint64_t mask = root->opcode() == HloOpcode::kShiftLeft ? ~LowBits(*a) : LowBits(width - *a);
  return context.build.And(inner.operand(0), SplatOfBits(context.build, root->shape(), mask));
}

// ---- Predicates: their sum is `or`, their product `and`.
HloInstruction* PredicateArithmetic(HloInstruction* root, const RuleContext& context) {
  if (root->shape().element_type() != PRED || root->parent()->instruction_count() <= 3) return nullptr;
  const bool is_or = root->opcode() == HloOpcode::kAdd || root->opcode() == HloOpcode::kMaximum;
  return context.build.Binary(is_or ? HloOpcode::kOr : HloOpcode::kAnd, root->operand(0), root->operand(1));
}

}  // namespace

const RuleList& BitwiseRules() {
  static const std::vector<HloOpcode> and_or = {HloOpcode::kAnd, HloOpcode::kOr};
  static const std::vector<HloOpcode> all = {HloOpcode::kAnd, HloOpcode::kOr, HloOpcode::kXor};
  static const std::vector<HloOpcode> shifts = {HloOpcode::kShiftLeft, HloOpcode::kShiftRightArithmetic,
                                                HloOpcode::kShiftRightLogical};
  static const std::vector<HloOpcode> emptying = {HloOpcode::kShiftLeft, HloOpcode::kShiftRightLogical};
  static const auto* const rules = new RuleList{
      {"predicate-arithmetic",
       "add(p, q) => or(p, q), maximum => or, multiply => and, minimum => and  (predicates; not a whole reducer)",
       {HloOpcode::kAdd, HloOpcode::kMultiply, HloOpcode::kMaximum, HloOpcode::kMinimum},
       &PredicateArithmetic},
      {"bitwise-self", "and(x, x) => x, or(x, x) => x, xor(x, x) => 0", all, &BitwiseSelf},
      {"bitwise-zero", "and(x, 0) => 0, or(x, 0) => x, xor(x, 0) => x", all, &BitwiseZero},
      {"bitwise-all-ones", "and(x, ~0) => x, or(x, ~0) => ~0, xor(x, ~0) => not(x)", all, &BitwiseAllOnes},
      {"not-twice", "not(not(x)) => x", {HloOpcode::kNot}, &NotTwice},
      {"bitwise-complement", "and(x, not(x)) => 0, or(x, not(x)) => ~0, xor(x, not(x)) => ~0", all, &BitwiseComplement},
      {"bitwise-merge", "and(and(x, c), d) => and(x, and(c, d))  (also or, xor)", all, &BitwiseMerge},
      {"bitwise-repeated", "and(and(x, y), y) => and(x, y), and(or(x, y), y) => y  (also with or at the root)", and_or,
       &BitwiseRepeated},
      {"xor-repeated", "xor(xor(x, y), y) => x", {HloOpcode::kXor}, &XorRepeated},
      {"mask-covers", "and(x, c) => x  (integers; c has all bits that x can have)", {HloOpcode::kAnd}, &MaskCovers},
      {"de-morgan", "and(not(x), not(y)) => not(or(x, y))  (also or)", and_or, &DeMorgan},
      {"shift-by-nothing", "shift-left(x, 0) => x, shift-left(0, x) => 0  (all shifts)", shifts, &ShiftByNothing},
      {"shift-out", "shift-left(x, c) => 0  (c at least the width of the type; also shift-right-logical)", emptying,
       &ShiftOut},
      {"shift-twice", "shift-left(shift-left(x, c), d) => shift-left(x, c + d)  (all shifts)", shifts, &ShiftTwice},
      {"shift-back", "shift-left(shift-right-logical(x, c), c) => and(x, mask)  (and the other way)", emptying,
       &ShiftBack},
  };
  return *rules;
}

}  // namespace xla
