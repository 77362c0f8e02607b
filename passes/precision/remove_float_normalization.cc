#include "passes/precision/remove_float_normalization.h"

#include "passes/base/rewrite_rule.h"

namespace xla {
namespace {

// Whether every value of float type `from` is one of `to`, infinities, NaN and -0 included. Among narrow types this
// would take a table of their corners, which no program has asked for.
bool KeepsEveryValue(PrimitiveType from, PrimitiveType to) {
  if (to == F64) return IsFloat(from);
  return to == F32 && IsNarrowFloatType(from);
}

HloInstruction* SkipWider(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const inner = root->operand(0);
  if (inner->opcode() != HloOpcode::kConvert || inner->HasControlEdges()) return nullptr;
  HloInstruction* const x = inner->operand(0);
  if (!KeepsEveryValue(x->shape().element_type(), inner->shape().element_type())) return nullptr;
  return context.build.Convert(x, root->shape().element_type());
}

}  // namespace

absl::StatusOr<bool> RemoveFloatNormalization(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {"skip-wider-type",
                                    "convert(convert(x bf16) f32) bf16 => x; => convert(x) for another type",
                                    {HloOpcode::kConvert},
                                    &SkipWider,
                                    kExact,
                                    /*dynamic_dimensions=*/true};
  return ApplyRules({&kRule}, module, context);
}

}  // namespace xla
