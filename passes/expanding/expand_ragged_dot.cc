#include "passes/expanding/expand_ragged_dot.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "passes/base/counted_loop.h"
#include "passes/base/rewrite_rule.h"

namespace xla {
namespace {

// An iota along `dimension` of an array like `shape`.
HloInstruction* PositionsAlong(const Shape& shape, int64_t dimension, InstructionBuilder& build) {
  return build.Iota(Shape::Array(S64, shape.dimensions()), dimension);
}

// Whether positions lie in [begin, end), scalars.
HloInstruction* Between(HloInstruction* positions, HloInstruction* begin, HloInstruction* end,
                        InstructionBuilder& build) {
  const Shape& shape = positions->shape();
  return build.And(build.Compare(ComparisonDirection::kGe, positions, build.BroadcastScalar(begin, shape)),
                   build.Compare(ComparisonDirection::kLt, positions, build.BroadcastScalar(end, shape)));
}

HloInstruction* ZeroOutside(HloInstruction* mask, HloInstruction* x, InstructionBuilder& build) {
  return build.Select(mask, x, build.Splat(x->shape(), 0));
}

// The dot within a group: all attributes but the ragged ones. Precisions beyond the two operands' are dropped.
DotAttributes PlainDot(const RaggedDotAttributes& a) {
  DotAttributes dot;
  dot.lhs_batch_dims = a.lhs_batch_dims;
  dot.rhs_batch_dims = a.rhs_batch_dims;
  dot.lhs_contracting_dims = a.lhs_contracting_dims;
  dot.rhs_contracting_dims = a.rhs_contracting_dims;
  dot.algorithm = a.algorithm;
  if (a.operand_precision.size() >= 2) {
    dot.operand_precision.assign(a.operand_precision.begin(), a.operand_precision.begin() + 2);
  }
  return dot;
}

HloInstruction* Dot(HloInstruction* lhs, HloInstruction* rhs, const DotAttributes& attributes, const Shape& shape,
                    InstructionBuilder& build) {
  return build.MakeOfShape(HloOpcode::kDot, shape.WithoutLayout(), {lhs, rhs},
                           std::make_unique<DotAttributes>(attributes));
}

// Sizes as s64, negative ones 0, none above `limit`, so that no sum of them overflows.
HloInstruction* GroupSizes(HloInstruction* sizes, int64_t limit, InstructionBuilder& build) {
  if (sizes->shape().element_type() == U64) sizes = build.Min(sizes, build.Splat(sizes->shape(), limit));
  HloInstruction* const wide = build.Convert(sizes, S64);
  return build.Min(build.Max(wide, build.Splat(wide->shape(), 0)), build.Splat(wide->shape(), limit));
}

HloInstruction* Total(HloInstruction* sizes, InstructionBuilder& build) {
  return build.Reduce(sizes, build.Zero(S64), {0}, HloOpcode::kAdd);
}

// A loop over groups; `make` gives the new result from the last one, the group and where it begins and ends along the
// ragged dimension. state: result, begin, sizes, lhs, rhs.
using MakeResult =
    absl::FunctionRef<HloInstruction*(InstructionBuilder& build, HloInstruction* group, HloInstruction* begin,
                                      HloInstruction* end, absl::Span<HloInstruction* const> state)>;

// A loop over the groups that keeps the end of the previous one as the begin of the next; ends are cut to the ragged
// size. `make` gives the result after a group.
HloInstruction* LoopOverGroups(HloInstruction* ragged_dot, HloInstruction* sizes, int64_t ragged_size,
                               InstructionBuilder& build, MakeResult make) {
  const int64_t groups = sizes->shape().dimension(0);
  return CountedLoop(
      build, "ragged_dot", S64, groups,
      {build.Splat(ragged_dot->shape(), 0), build.Zero(S64), sizes, ragged_dot->operand(0), ragged_dot->operand(1)},
      [&](InstructionBuilder& inside, HloInstruction* group, absl::Span<HloInstruction* const> state) {
        HloInstruction* const size = inside.Reshape(inside.DynamicSlice(state[2], {group}, {1}), {});
        HloInstruction* const end = inside.Min(inside.Add(state[1], size), inside.Scalar(S64, ragged_size));
        std::vector<HloInstruction*> after(state.begin(), state.end());
        after[0] = make(inside, group, state[1], end, state);
        after[1] = end;
        return after;
      })[0];
}

// The three forms of the ragged dot, by what the ragged dimension is: a batch dimension (rows after the last group
// become zero), a contracted one (a result for each group), or a free one (each group has its own rhs).
HloInstruction* SplitGroups(HloInstruction* root, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  const RaggedDotAttributes& a = root->attributes<RaggedDotAttributes>();
  HloInstruction* const lhs = root->operand(0);
  HloInstruction* const rhs = root->operand(1);
  if (root->operand(2)->shape().rank() != 1) return nullptr;
  const int64_t ragged = a.lhs_ragged_dims[0];
  const int64_t ragged_size = lhs->shape().dimension(static_cast<int>(ragged));
  const Shape& shape = root->shape();
  if (shape.ElementCount() == 0 || lhs->shape().ElementCount() == 0 || rhs->shape().ElementCount() == 0) {
    return build.Splat(shape, 0);
  }
  const DotAttributes dot = PlainDot(a);
  HloInstruction* const sizes = GroupSizes(root->operand(2), ragged_size, build);

  if (absl::c_linear_search(a.lhs_batch_dims, ragged)) {
    const int64_t in_result =
        std::find(a.lhs_batch_dims.begin(), a.lhs_batch_dims.end(), ragged) - a.lhs_batch_dims.begin();
    HloInstruction* const within =
        Between(PositionsAlong(shape, in_result, build), build.Zero(S64), Total(sizes, build), build);
    return ZeroOutside(within, Dot(lhs, rhs, dot, shape, build), build);
  }
  if (absl::c_linear_search(a.lhs_contracting_dims, ragged)) {
    const auto at = std::find(a.lhs_contracting_dims.begin(), a.lhs_contracting_dims.end(), ragged);
    const int64_t rhs_ragged = a.rhs_contracting_dims[at - a.lhs_contracting_dims.begin()];
    Shape part = shape.WithoutLayout();
    part.DeleteDimension(0);
    return LoopOverGroups(root, sizes, ragged_size, build,
                          [&](InstructionBuilder& inside, HloInstruction* group, HloInstruction* begin,
                              HloInstruction* end, absl::Span<HloInstruction* const> state) {
                            const auto masked = [&](HloInstruction* x, int64_t d) {
                              return ZeroOutside(Between(PositionsAlong(x->shape(), d, inside), begin, end, inside), x,
                                                 inside);
                            };
                            HloInstruction* const product =
                                Dot(masked(state[3], ragged), masked(state[4], rhs_ragged), dot, part, inside);
                            DimensionVector one(part.dimensions().begin(), part.dimensions().end());
                            one.insert(one.begin(), 1);
                            std::vector<HloInstruction*> place(one.size(), inside.Zero(S64));
                            place[0] = group;
                            return inside.DynamicUpdateSlice(state[0], inside.Reshape(product, one), place);
                          });
  }
  // Free: where the ragged dimension comes in the result, and rhs without its group dimension.
  const int64_t group_dim = a.rhs_group_dims[0];
  int64_t in_result = static_cast<int64_t>(a.lhs_batch_dims.size());
  for (int64_t d = 0; d < ragged; ++d) {
    if (!absl::c_linear_search(a.lhs_batch_dims, d) && !absl::c_linear_search(a.lhs_contracting_dims, d)) ++in_result;
  }
  DotAttributes part = dot;
  for (DimensionVector* dims : {&part.rhs_batch_dims, &part.rhs_contracting_dims}) {
    for (int64_t& d : *dims) d -= d > group_dim ? 1 : 0;
  }
  return LoopOverGroups(
      root, sizes, ragged_size, build,
      [&](InstructionBuilder& inside, HloInstruction* group, HloInstruction* begin, HloInstruction* end,
          absl::Span<HloInstruction* const> state) {
        DimensionVector one(rhs->shape().dimensions().begin(), rhs->shape().dimensions().end());
        one[group_dim] = 1;
        std::vector<HloInstruction*> place(one.size(), inside.Zero(S64));
        place[group_dim] = group;
        HloInstruction* const slice = inside.DynamicSlice(state[4], place, one);
        one.erase(one.begin() + group_dim);
        HloInstruction* const product = Dot(state[3], inside.Reshape(slice, one), part, shape, inside);
        HloInstruction* const rows = Between(PositionsAlong(shape, in_result, inside), begin, end, inside);
        return inside.Select(rows, product, state[0]);
      });
}

}  // namespace

absl::StatusOr<bool> ExpandRaggedDot(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {"dots-of-groups",
                                    "ragged-dot(x, w, sizes) => for each group g: rows of g of dot(x, w[g])",
                                    {HloOpcode::kRaggedDot},
                                    &SplitGroups};
  return ApplyRules({&kRule}, module, context);
}

}  // namespace xla
