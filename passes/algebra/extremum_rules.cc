// Rules for maximum, minimum and clamp: operands that decide nothing or everything, extrema of extrema, and clamps
// that are written out. Those for integers also use what is known of ranges (IntRangeOf).
#include <cmath>

#include "passes/algebra/elementwise_rules.h"
#include "passes/algebra/splat_number.h"
#include "passes/algebra/value_facts.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

// maximum and minimum are lattice operations on every type: -0 is less than +0, and NaN absorbs everything.
HloOpcode Opposite(HloOpcode opcode) {
  return opcode == HloOpcode::kMaximum ? HloOpcode::kMinimum : HloOpcode::kMaximum;
}

// Whether all elements are the number of the type that no other exceeds (or goes below).
bool IsLimit(const HloInstruction& x, bool largest) {
  const PrimitiveType type = x.shape().element_type();
  const absl::StatusOr<Literal> limit = largest ? LiteralUtil::MaxValue(type) : LiteralUtil::MinValue(type);
  const absl::optional<Literal> value = SplatValue(x);
  return limit.ok() && value.has_value() && value->BitwiseEquals(*limit);
}

HloInstruction* ExtremumSelf(HloInstruction* root, const RuleContext&) {
  return root->operand(0) == root->operand(1) ? root->operand(0) : nullptr;
}

HloInstruction* ExtremumNeutral(HloInstruction* root, const RuleContext&) {
  return IsLimit(*root->operand(1), root->opcode() == HloOpcode::kMinimum) ? root->operand(0) : nullptr;
}
HloInstruction* ExtremumAbsorbing(HloInstruction* root, const RuleContext&) {
  if (!IsPredOrInt(root->shape().element_type())) return nullptr;
  return IsLimit(*root->operand(1), root->opcode() == HloOpcode::kMaximum) ? root->operand(1) : nullptr;
}
HloInstruction* ExtremumAbsorbingFloat(HloInstruction* root, const RuleContext&) {
  return IsLimit(*root->operand(1), root->opcode() == HloOpcode::kMaximum) ? root->operand(1) : nullptr;
}

// By what is known of the range of both.
HloInstruction* ExtremumOfRanges(HloInstruction* root, const RuleContext&) {
  if (!IsInt(root->shape().element_type())) return nullptr;
  const bool is_maximum = root->opcode() == HloOpcode::kMaximum;
  const IntRange a = IntRangeOf(*root->operand(0));
  const IntRange b = IntRangeOf(*root->operand(1));
  if (a.low >= b.high) return root->operand(is_maximum ? 0 : 1);
  if (b.low >= a.high) return root->operand(is_maximum ? 1 : 0);
  return nullptr;
}

HloInstruction* MaximumOfClearSign(HloInstruction* root, const RuleContext&) {
  const auto c = SplatFloat(*root->operand(1));
  if (!c.has_value() || !(*c <= 0)) return nullptr;
  return SignIsClear(*root->operand(0)) ? root->operand(0) : nullptr;
}

HloInstruction* MergeExtrema(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& inner = *root->operand(0);
  if (inner.opcode() != root->opcode()) return nullptr;
  if (!IsConstantLike(*root->operand(1)) || !IsConstantLike(*inner.operand(1)) || IsConstantLike(*inner.operand(0))) {
    return nullptr;
  }
  return context.build.Binary(root->opcode(), inner.operand(0),
                              context.build.Binary(root->opcode(), inner.operand(1), root->operand(1)));
}

// The operand of `root` that is itself an extremum of `other` and something.
HloInstruction* RepeatedExtremum(HloInstruction* root, const RuleContext&) {
  for (int i = 0; i < 2; ++i) {
    HloInstruction* const inner = root->operand(i);
    if (inner->opcode() != root->opcode()) continue;
    if (inner->operand(0) == root->operand(1 - i) || inner->operand(1) == root->operand(1 - i)) return inner;
  }
  return nullptr;
}

HloInstruction* Absorbed(const HloInstruction& root) {
  for (int i = 0; i < 2; ++i) {
    const HloInstruction& inner = *root.operand(i);
    if (inner.opcode() != Opposite(root.opcode())) continue;
    HloInstruction* const other = root.operand(1 - i);
    if (inner.operand(0) == other || inner.operand(1) == other) return other;
  }
  return nullptr;
}
HloInstruction* AbsorbExtremum(HloInstruction* root, const RuleContext&) {
  return IsPredOrInt(root->shape().element_type()) ? Absorbed(*root) : nullptr;
}
HloInstruction* AbsorbFloatExtremum(HloInstruction* root, const RuleContext&) { return Absorbed(*root); }

// ---- Clamps. Bounds that are splats are given as scalars.

HloInstruction* AsBound(HloInstruction* splat, InstructionBuilder& build) {
  if (splat->shape().rank() == 0) return splat;
  if (splat->opcode() == HloOpcode::kBroadcast && splat->operand(0)->shape().rank() == 0) return splat->operand(0);
  absl::optional<Literal> value = SplatValue(*splat);
  return value.has_value() ? build.Constant(*std::move(value)) : splat;
}

// low < high, or the same bits. Neither is NaN.
bool AreOrdered(const HloInstruction& low, const HloInstruction& high) {
  if (const auto a = SplatFloat(low)) {
    const auto b = SplatFloat(high);
    return b.has_value() && (*a < *b || (*a == *b && std::signbit(*a) == std::signbit(*b)));
  }
  if (!SplatBits(low).has_value() || !SplatBits(high).has_value()) return false;
  return IntRangeOf(low).high <= IntRangeOf(high).low;
}

// minimum(maximum(x, low), high) is what clamp means; in the other order the bounds must not be crossed.
HloInstruction* FormClamp(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const inner = root->operand(0);
  if (root->shape().element_type() == PRED) return nullptr;
  if (inner->opcode() != Opposite(root->opcode()) || inner->users().size() != 1) return nullptr;
  const bool is_minimum = root->opcode() == HloOpcode::kMinimum;
  HloInstruction* const low = (is_minimum ? inner : root)->operand(1);
  HloInstruction* const high = (is_minimum ? root : inner)->operand(1);
  if (!AreOrdered(*low, *high)) return nullptr;
  return context.build.Clamp(AsBound(low, context.build), inner->operand(0), AsBound(high, context.build));
}

HloInstruction* BoundAsArray(HloInstruction* bound, const Shape& shape, InstructionBuilder& build) {
  return bound->shape().rank() == shape.rank() ? bound : build.BroadcastScalar(bound, shape);
}

// A bound that bounds nothing.
HloInstruction* OpenClamp(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const low = root->operand(0);
  HloInstruction* const x = root->operand(1);
  HloInstruction* const high = root->operand(2);
  if (IsLimit(*high, /*largest=*/true)) return context.build.Max(x, BoundAsArray(low, root->shape(), context.build));
  if (IsLimit(*low, /*largest=*/false)) return context.build.Min(x, BoundAsArray(high, root->shape(), context.build));
  return nullptr;
}

HloInstruction* ClampOfRanges(HloInstruction* root, const RuleContext& context) {
  if (!IsInt(root->shape().element_type())) return nullptr;
  const IntRange low = IntRangeOf(*root->operand(0));
  const IntRange x = IntRangeOf(*root->operand(1));
  const IntRange high = IntRangeOf(*root->operand(2));
  const auto bound = [&](int i) { return BoundAsArray(root->operand(i), root->shape(), context.build); };
  if (low.high <= x.low && x.high <= high.low) return root->operand(1);
  if (low.low >= high.high || x.low >= high.high) return bound(2);
  if (x.high <= low.low && low.high <= high.low) return bound(0);
  return nullptr;
}

// One bound does nothing.
HloInstruction* HalfClampOfRanges(HloInstruction* root, const RuleContext& context) {
  if (!IsInt(root->shape().element_type())) return nullptr;
  const IntRange low = IntRangeOf(*root->operand(0));
  const IntRange x = IntRangeOf(*root->operand(1));
  const IntRange high = IntRangeOf(*root->operand(2));
  const auto bound = [&](int i) { return BoundAsArray(root->operand(i), root->shape(), context.build); };
  if (low.high <= x.low) return context.build.Min(root->operand(1), bound(2));
  if (x.high <= high.low && low.high <= high.low) return context.build.Max(root->operand(1), bound(0));
  return nullptr;
}

// Clamping into [a, b] and then into [c, d] is clamping between what the second clamp computes from a and b.
HloInstruction* MergeClamps(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& inner = *root->operand(1);
  if (inner.opcode() != HloOpcode::kClamp || root->shape().element_type() == PRED) return nullptr;
  for (const HloInstruction* clamp : {&inner, static_cast<const HloInstruction*>(root)}) {
    if (!AreOrdered(*clamp->operand(0), *clamp->operand(2))) return nullptr;
  }
  InstructionBuilder& build = context.build;
  HloInstruction* const low = AsBound(root->operand(0), build);
  HloInstruction* const high = AsBound(root->operand(2), build);
  return build.Clamp(build.Clamp(low, AsBound(inner.operand(0), build), high), inner.operand(1),
                     build.Clamp(low, AsBound(inner.operand(2), build), high));
}

}  // namespace

const RuleList& ExtremumRules() {
  static const std::vector<HloOpcode> extrema = {HloOpcode::kMaximum, HloOpcode::kMinimum};
  static const std::vector<HloOpcode> clamp = {HloOpcode::kClamp};
  static const auto* const rules = new RuleList{
      {"extremum-self", "maximum(x, x) => x  (also minimum)", extrema, &ExtremumSelf},
      {"extremum-neutral", "maximum(x, lowest) => x, minimum(x, highest) => x", extrema, &ExtremumNeutral},
      {"extremum-absorbing", "maximum(x, highest) => highest  (integers; also minimum)", extrema, &ExtremumAbsorbing},
      {"extremum-absorbing-float", "maximum(x, infinity) => infinity  (floats; also minimum)", extrema,
       &ExtremumAbsorbingFloat, kNoNans},
      {"extremum-of-ranges", "maximum(x, y) => x  (integers, x >= y always; also minimum)", extrema, &ExtremumOfRanges},
      {"maximum-clear-sign",
       "maximum(x, c) => x  (floats, x never negative, c <= 0)",
       {HloOpcode::kMaximum},
       &MaximumOfClearSign},
      {"extremum-merge", "maximum(maximum(x, c), d) => maximum(x, maximum(c, d))  (also minimum)", extrema,
       &MergeExtrema},
      {"extremum-repeated", "maximum(maximum(x, y), y) => maximum(x, y)  (also minimum)", extrema, &RepeatedExtremum},
      {"extremum-absorb", "minimum(maximum(x, y), y) => y  (integers; also the other way)", extrema, &AbsorbExtremum},
      {"extremum-absorb-float", "minimum(maximum(x, y), y) => y  (floats; also the other way)", extrema,
       &AbsorbFloatExtremum, kNoNans},
      {"clamp-form", "minimum(maximum(x, low), high) => clamp(low, x, high)  (low <= high; in either order)", extrema,
       &FormClamp},
      {"clamp-of-ranges", "clamp(low, x, high) => x  (integers, low <= x <= high always; or the bound that it hits)",
       clamp, &ClampOfRanges},
      {"clamp-half", "clamp(low, x, high) => minimum(x, high)  (integers, low <= x always; also the other bound)",
       clamp, &HalfClampOfRanges},
      {"clamp-open", "clamp(low, x, highest) => maximum(x, low), clamp(lowest, x, high) => minimum(x, high)", clamp,
       &OpenClamp},
      {"clamp-merge", "clamp(c, clamp(a, x, b), d) => clamp(clamp(c, a, d), x, clamp(c, b, d))", clamp, &MergeClamps},
  };
  return *rules;
}

}  // namespace xla
