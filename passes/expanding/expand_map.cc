#include "passes/expanding/expand_map.h"

#include "passes/base/inline_scalar_function.h"
#include "passes/base/rewrite_rule.h"

namespace xla {
namespace {

HloInstruction* InlineMap(HloInstruction* map, const RuleContext& context) {
  const HloComputation& function = *map->called_computation(0);
  if (!CanInlineScalarFunction(function) || function.root()->opcode() == HloOpcode::kTuple) return nullptr;
  return InlineScalarFunction(function, map->operands(), map->shape(), context.build)[0];
}

}  // namespace

absl::StatusOr<bool> ExpandMap(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {
      "inline-map", "map(x, y), to_apply=f => f(x, y) on arrays  (f elementwise)", {HloOpcode::kMap}, &InlineMap};
  return ApplyRules({&kRule}, module, context);
}

}  // namespace xla
