#include "passes/precision/expand_total_order.h"

#include <cstdint>
#include <limits>

#include "passes/base/rewrite_rule.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

// The signed integer type of a pattern; PRIMITIVE_TYPE_INVALID if there is none of the width.
PrimitiveType PatternType(PrimitiveType type) {
  for (const PrimitiveType integer : {S8, S16, S32, S64}) {
    if (BitWidth(integer) == BitWidth(type)) return integer;
  }
  return PRIMITIVE_TYPE_INVALID;
}

// Integers in the order of the floats. Negative patterns have their magnitude inverted, so that -0 is -1.
HloInstruction* OrderedPattern(HloInstruction* x, InstructionBuilder& build) {
  if (PatternType(x->shape().element_type()) == PRIMITIVE_TYPE_INVALID) x = build.Convert(x, F32);
  const PrimitiveType float_type = x->shape().element_type();
  const PrimitiveType type = PatternType(float_type);
  Shape shape = x->shape().WithoutLayout();
  shape.set_element_type(float_type == F8E8M0FNU ? U8 : type);
  HloInstruction* const bits = build.BitcastConvert(x, shape);
  if (float_type == F8E8M0FNU) return bits;  // has no sign
  const int64_t width = BitWidth(type);
  const int64_t largest = std::numeric_limits<int64_t>::max() >> (64 - width);
  HloInstruction* const sign = build.Binary(HloOpcode::kShiftRightArithmetic, bits, build.Splat(shape, width - 1));
  return build.Xor(bits, build.And(sign, build.Splat(shape, largest)));
}

HloInstruction* ComparePatterns(HloInstruction* root, const RuleContext& context) {
  const CompareAttributes& attributes = root->attributes<CompareAttributes>();
  if (attributes.type != ComparisonType::kTotalOrder || !IsFloat(root->operand(0)->shape().element_type())) {
    return nullptr;
  }
  InstructionBuilder& build = context.build;
  HloInstruction* const x = OrderedPattern(root->operand(0), build);
  HloInstruction* const y = OrderedPattern(root->operand(1), build);
  return build.Compare(attributes.direction, x, y);
}

}  // namespace

absl::StatusOr<bool> ExpandTotalOrder(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {"compare-patterns",
                                    "compare(x, y), type=TOTALORDER => compare(pattern(x), pattern(y)), type=SIGNED",
                                    {HloOpcode::kCompare},
                                    &ComparePatterns};
  return ApplyRules({&kRule}, module, context);
}

}  // namespace xla
