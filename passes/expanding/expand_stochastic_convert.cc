#include "passes/expanding/expand_stochastic_convert.h"

#include <cmath>
#include <utility>

#include "passes/base/rewrite_rule.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

// Whether the random bits, read as a fraction, are below `fraction`, f64 in [0, 1).
HloInstruction* Away(HloInstruction* fraction, HloInstruction* random, InstructionBuilder& build) {
  const double scale = std::ldexp(1, BitWidth(random->shape().element_type()));
  HloInstruction* const bound = build.Convert(build.Mul(fraction, build.SplatFloat(fraction->shape(), scale)), U64);
  return build.Compare(ComparisonDirection::kLt, build.Convert(random, U64), bound);
}

// Convert saturates and takes NaN to 0, as the definition requires; what is below the last integer may be rounded up to
// it.
HloInstruction* ToInteger(HloInstruction* x, HloInstruction* random, PrimitiveType type, InstructionBuilder& build) {
  HloInstruction* const magnitude = build.Unary(HloOpcode::kAbs, x);
  HloInstruction* const floor = build.Unary(HloOpcode::kFloor, magnitude);
  HloInstruction* const away = Away(build.Sub(magnitude, floor), random, build);
  HloInstruction* const rounded = build.Select(away, build.Add(floor, build.Splat(x->shape(), 1)), floor);
  HloInstruction* const negative = build.Compare(ComparisonDirection::kLt, x, build.Splat(x->shape(), 0));
  return build.Convert(build.Select(negative, build.Unary(HloOpcode::kNegate, rounded), rounded), type);
}

// The integer type whose values are the patterns of a float type; PRIMITIVE_TYPE_INVALID if there is none.
PrimitiveType PatternType(PrimitiveType type) {
  if (type == F8E8M0FNU) return PRIMITIVE_TYPE_INVALID;
  switch (BitWidth(type)) {
    case 8:
      return U8;
    case 16:
      return U16;
    case 32:
      return U32;
    default:
      return PRIMITIVE_TYPE_INVALID;
  }
}

// Patterns of non-negative floats count upwards with their values, so that the neighbours of a magnitude are the
// pattern that convert rounds it to and the one before or after it.
HloInstruction* ToFloat(HloInstruction* x, HloInstruction* random, PrimitiveType type, InstructionBuilder& build) {
  Shape patterns = x->shape().WithoutLayout();
  patterns.set_element_type(PatternType(type));
  Shape values = patterns;
  values.set_element_type(type);
  const auto value_of = [&](HloInstruction* pattern) {
    return build.Convert(build.BitcastConvert(pattern, values), F64);
  };
  absl::StatusOr<Literal> max = LiteralUtil::MaxFiniteValue(type);
  build.UpdateStatus(max.status());
  if (!max.ok()) return x;

  HloInstruction* const magnitude = build.Unary(HloOpcode::kAbs, x);
  HloInstruction* const nearest = build.BitcastConvert(build.Convert(magnitude, type), patterns);
  HloInstruction* const above_it = build.Compare(ComparisonDirection::kGt, value_of(nearest), magnitude);
  HloInstruction* const floor = build.Sub(nearest, build.Convert(above_it, patterns.element_type()));
  HloInstruction* const below = value_of(floor);
  HloInstruction* const above = value_of(build.Add(floor, build.Splat(patterns, 1)));
  HloInstruction* const away = Away(build.Div(build.Sub(magnitude, below), build.Sub(above, below)), random, build);
  HloInstruction* const chosen = build.Select(away, above, below);
  HloInstruction* const is_negative = build.Compare(ComparisonDirection::kLt, x, build.Splat(x->shape(), 0));
  HloInstruction* const signed_choice = build.Select(is_negative, build.Unary(HloOpcode::kNegate, chosen), chosen);
  HloInstruction* const limit = build.Convert(build.Splat(values, *std::move(max)), F64);
  HloInstruction* const is_between = build.And(build.Compare(ComparisonDirection::kLt, magnitude, limit),
                                               build.Compare(ComparisonDirection::kLt, below, magnitude));
  return build.Convert(build.Select(is_between, signed_choice, x), type);
}

HloInstruction* ChooseNeighbour(HloInstruction* root, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  const PrimitiveType type = root->shape().element_type();
  HloInstruction* const x = root->operand(0);
  if (type == F64) return build.Convert(x, F64);
  if (!IsInt(type) && PatternType(type) == PRIMITIVE_TYPE_INVALID) return nullptr;
  HloInstruction* const wide = build.Convert(x, F64);
  return IsInt(type) ? ToInteger(wide, root->operand(1), type, build) : ToFloat(wide, root->operand(1), type, build);
}

}  // namespace

absl::StatusOr<bool> ExpandStochasticConvert(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {"choose-neighbour",
                                    "stochastic-convert(x, random) => random < fraction ? above : below",
                                    {HloOpcode::kStochasticConvert},
                                    &ChooseNeighbour};
  return ApplyRules({&kRule}, module, context);
}

}  // namespace xla
