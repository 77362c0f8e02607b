#include "passes/expanding/expand_map.h"

#include <cstdint>
#include <vector>

#include "passes/analyses/side_effects.h"
#include "passes/base/counted_loop.h"
#include "passes/base/inline_scalar_function.h"
#include "passes/base/rewrite_rule.h"
#include "passes/expanding/lift_scalar_function.h"
#include "xla_core/ir/clone_module.h"

namespace xla {
namespace {

HloInstruction* InlineMap(HloInstruction* map, const RuleContext& context) {
  const HloComputation& function = *map->called_computation(0);
  if (!CanInlineScalarFunction(function) || function.root()->opcode() == HloOpcode::kTuple) return nullptr;
  return InlineScalarFunction(function, map->operands(), map->shape(), context.build)[0];
}

HloInstruction* LiftMap(HloInstruction* map, const RuleContext& context) {
  const HloComputation& function = *map->called_computation(0);
  if (map->shape().IsScalar() || !CanLiftScalarFunction(function)) return nullptr;
  return LiftScalarFunction(function, map->operands(), map->shape(), context.build);
}

// Where the function cannot be written for whole arrays: a loop that applies it to one element an iteration.
// Functions with side effects stay, for their order is not defined by the loop.
HloInstruction* LoopOverElements(HloInstruction* map, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  const HloComputation& function = *map->called_computation(0);
  if (SideEffects().Has(function)) {
    if (context.pass.WantsExplanation("match")) {
      context.pass.Explain(*map, "stays: its function has side effects, which happen in an order of their own");
    }
    return nullptr;
  }
  if (map->shape().IsScalar()) return InlineBody(function, map->operands(), build.computation());
  const Shape shape = map->shape().WithoutLayout();
  const int64_t count = shape.ElementCount();
  if (count == 0) return build.Splat(shape, 0);
  const PrimitiveType counter = CounterTypeFor(count);
  std::vector<HloInstruction*> state;
  for (HloInstruction* operand : map->operands()) state.push_back(build.Reshape(operand, {count}));
  state.push_back(build.Splat(Shape::Array(shape.element_type(), {count}), 0));
  const std::vector<HloInstruction*> last =
      CountedLoop(build, "map", counter, count, state,
                  [&](InstructionBuilder& inside, HloInstruction* turn, absl::Span<HloInstruction* const> before) {
                    std::vector<HloInstruction*> arguments;
                    for (HloInstruction* operand : before.first(before.size() - 1)) {
                      arguments.push_back(inside.Reshape(inside.DynamicSlice(operand, {turn}, {1}), {}));
                    }
                    HloInstruction* const result = InlineBody(function, arguments, inside.computation());
                    std::vector<HloInstruction*> after(before.begin(), before.end());
                    after.back() = inside.DynamicUpdateSlice(before.back(), inside.Reshape(result, {1}), {turn});
                    return after;
                  });
  return build.Reshape(last.back(), shape.dimensions());
}

}  // namespace

absl::StatusOr<bool> ExpandMap(HloModule& module, PassContext& context) {
  static const RewriteRule kInline = {
      "inline-map", "map(x, y), to_apply=f => f(x, y) on arrays  (f elementwise)", {HloOpcode::kMap}, &InlineMap};
  static const RewriteRule kLift = {"lift-map",
                                    "map(x), to_apply=f => f(x) on arrays  (f with loops and conditionals, of scalars)",
                                    {HloOpcode::kMap},
                                    &LiftMap};
  static const RewriteRule kLoop = {
      "map-by-loop", "map(x), to_apply=f => while (i) { y[i] = f(x[i]) }", {HloOpcode::kMap}, &LoopOverElements};
  return ApplyRules({&kInline, &kLift, &kLoop}, module, context);
}

}  // namespace xla
