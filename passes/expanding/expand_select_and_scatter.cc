#include "passes/expanding/expand_select_and_scatter.h"

#include <limits>

#include "passes/base/rewrite_rule.h"
#include "xla_core/ir/clone_module.h"

namespace xla {
namespace {

// (kept value, kept position, value, position) -> the pair to keep. -1 is the position of nothing.
HloComputation* KeepSelected(const HloComputation& select, PrimitiveType type, PrimitiveType position_type,
                             InstructionBuilder& build) {
  HloComputation* const reducer = NewComputation(build.module(), "selected_element");
  InstructionBuilder inside(reducer, build.origin());
  HloInstruction* const kept = inside.Parameter(0, Shape::Scalar(type));
  HloInstruction* const kept_at = inside.Parameter(1, Shape::Scalar(position_type));
  HloInstruction* const value = inside.Parameter(2, Shape::Scalar(type));
  HloInstruction* const at = inside.Parameter(3, Shape::Scalar(position_type));
  HloInstruction* const zero = inside.Zero(position_type);
  HloInstruction* const prefers_kept = InlineBody(select, {kept, value}, reducer);
  HloInstruction* const keeps_something =
      inside.And(prefers_kept, inside.Compare(ComparisonDirection::kGe, kept_at, zero));
  // A reducer may be given two partial results, of which the second may be nothing.
  HloInstruction* const keep = inside.Or(keeps_something, inside.Compare(ComparisonDirection::kLt, at, zero));
  reducer->set_root(inside.Tuple({inside.Select(keep, kept, value), inside.Select(keep, kept_at, at)}));
  build.UpdateStatus(inside.status());
  return reducer;
}

HloInstruction* ReduceAndScatter(HloInstruction* root, const RuleContext& context) {
  return SelectAndScatterValid(*root, {root->operand(0), root->operand(1), root->operand(2)}, context.build);
}

// Positions, but -1 where `valid`, which may be nullptr, says that there is nothing.
HloInstruction* PositionsOf(HloInstruction* positions, HloInstruction* valid, InstructionBuilder& build) {
  return valid == nullptr ? positions : build.Select(valid, positions, build.Splat(positions->shape(), -1));
}

}  // namespace

HloInstruction* SelectAndScatterValid(const HloInstruction& root, const SelectAndScatterOperands& operands,
                                      InstructionBuilder& build) {
  const Shape& shape = operands.x->shape();
  const int64_t elements = shape.ElementCount();
  const int64_t updates = operands.source->shape().ElementCount();
  if (elements == 0 || updates == 0) return build.BroadcastScalar(operands.init, shape);
  const PrimitiveType position_type = elements <= std::numeric_limits<int32_t>::max() ? S32 : S64;
  HloInstruction* const numbers =
      build.Reshape(build.Iota(Shape::Array(position_type, {elements}), 0), shape.dimensions());
  HloInstruction* const positions = PositionsOf(numbers, operands.valid, build);
  HloComputation* const reducer = KeepSelected(*root.called_computation(0), shape.element_type(), position_type, build);
  HloInstruction* const reduced =
      build.ReduceWindow({operands.x, positions}, {operands.init, build.Scalar(position_type, -1)},
                         root.attributes<WindowAttributes>().window, reducer);
  HloInstruction* const selected = PositionsOf(build.GetTupleElement(reduced, 1), operands.valid_source, build);
  ScatterAttributes attributes;
  attributes.inserted_window_dims = {0};
  attributes.scatter_dims_to_operand_dims = {0};
  attributes.index_vector_dim = 1;
  HloInstruction* const scattered =
      build.Scatter({build.Broadcast(operands.init, {elements}, {})}, build.Reshape(selected, {updates}),
                    {build.Reshape(operands.source, {updates})}, attributes, root.called_computation(1));
  return build.Reshape(scattered, shape.dimensions());
}

absl::StatusOr<bool> ExpandSelectAndScatter(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {"scatter-to-selected",
                                    "select-and-scatter(x, s, init) => scatter(init, positions that reduce-window "
                                    "selects, s)",
                                    {HloOpcode::kSelectAndScatter},
                                    &ReduceAndScatter};
  return ApplyRules({&kRule}, module, context);
}

}  // namespace xla
