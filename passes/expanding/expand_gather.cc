#include "passes/expanding/expand_gather.h"

#include <algorithm>
#include <vector>

#include "passes/base/counted_loop.h"
#include "passes/base/rewrite_rule.h"
#include "passes/expanding/index_rows.h"

namespace xla {
namespace {

// Where windows start: a column for each operand dimension that does not always start at 0.
struct Starts {
  std::vector<HloInstruction*> columns;
  std::vector<int> column_of;  // by operand dimension; -1: 0
};

// The start of each window in each dimension of the operand, as columns with a row for each window. Batching
// dimensions start at their position in the indices; dimensions without a start have no column.
Starts FindStarts(const HloInstruction& gather, PrimitiveType type, InstructionBuilder& build) {
  const GatherAttributes& a = gather.attributes<GatherAttributes>();
  HloInstruction* const indices = gather.operand(1);
  const DimensionVector counts = WindowCounts(indices->shape(), a.index_vector_dim);
  HloInstruction* const rows = IndexRows(indices, a.index_vector_dim, type, build);
  Starts starts;
  for (int d = 0; d < gather.operand(0)->shape().rank(); ++d) {
    const int64_t mapped = PositionIn(a.start_index_map, d);
    const int64_t batch = PositionIn(a.operand_batching_dims, d);
    starts.column_of.push_back(mapped < 0 && batch < 0 ? -1 : static_cast<int>(starts.columns.size()));
    if (mapped >= 0) {
      starts.columns.push_back(PositionColumn(rows, mapped, build));
    } else if (batch >= 0) {
      int64_t counting = a.start_indices_batching_dims[batch];
      if (counting > a.index_vector_dim) --counting;
      HloInstruction* const position = build.Iota(Shape::Array(type, counts), counting);
      starts.columns.push_back(build.Reshape(position, {rows->shape().dimension(0)}));
    }
  }
  return starts;
}

// A loop over the windows that copies one slice an iteration. Result dimensions are put in order in the end. Empty
// operands or results need no loop.
HloInstruction* CopyWindows(HloInstruction* gather, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  const GatherAttributes& a = gather->attributes<GatherAttributes>();
  HloInstruction* const x = gather->operand(0);
  const Shape& shape = gather->shape();
  if (shape.ElementCount() == 0 || x->shape().ElementCount() == 0) return build.Splat(shape, 0);

  DimensionVector sizes(a.slice_sizes.begin(), a.slice_sizes.end());
  DimensionVector window = {1};  // of the result before its dimensions are put in order
  for (int d = 0; d < x->shape().rank(); ++d) {
    if (PositionIn(a.collapsed_slice_dims, d) >= 0 || PositionIn(a.operand_batching_dims, d) >= 0) {
      sizes[d] = 1;
    } else {
      window.push_back(sizes[d]);
    }
  }
  const DimensionVector counts = WindowCounts(gather->operand(1)->shape(), a.index_vector_dim);
  int64_t windows = 1;
  for (int64_t count : counts) windows *= count;
  const int64_t max_iterations = context.pass.IntOption("max-iterations");
  if (max_iterations >= 0 && windows > max_iterations) return nullptr;
  const PrimitiveType type = PositionType({&shape, &x->shape()});
  const Starts starts = FindStarts(*gather, type, build);

  DimensionVector stacked = window;
  stacked[0] = windows;
  std::vector<HloInstruction*> state = {build.Splat(Shape::Array(shape.element_type(), stacked), 0), x};
  if (!starts.columns.empty()) state.push_back(JoinColumns(starts.columns, build));
  HloInstruction* const copied =
      CountedLoop(build, "gather", type, windows, state,
                  [&](InstructionBuilder& inside, HloInstruction* turn, absl::Span<HloInstruction* const> before) {
                    HloInstruction* const zero = inside.Zero(type);
                    std::vector<HloInstruction*> from;
                    for (const int column : starts.column_of) {
                      from.push_back(column < 0 ? zero : PositionAt(before[2], turn, column, inside));
                    }
                    std::vector<HloInstruction*> to(window.size(), zero);
                    to[0] = turn;
                    HloInstruction* const slice = inside.Reshape(inside.DynamicSlice(before[1], from, sizes), window);
                    std::vector<HloInstruction*> after(before.begin(), before.end());
                    after[0] = windows == 1 ? slice : inside.DynamicUpdateSlice(before[0], slice, to);
                    return after;
                  })[0];

  DimensionVector split = counts;
  split.insert(split.end(), window.begin() + 1, window.end());
  std::vector<int64_t> permutation;
  int64_t counting = 0;
  for (int d = 0; d < shape.rank(); ++d) {
    const int64_t offset = PositionIn(a.offset_dims, d);
    permutation.push_back(offset < 0 ? counting++ : static_cast<int64_t>(counts.size()) + offset);
  }
  HloInstruction* const result = build.Reshape(copied, split);
  return std::is_sorted(permutation.begin(), permutation.end()) ? result : build.Transpose(result, permutation);
}

}  // namespace

absl::StatusOr<bool> ExpandGather(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {"gather-by-loop",
                                    "gather(x, i) => while (w) { result[w] = dynamic-slice(x, i[w]) }",
                                    {HloOpcode::kGather},
                                    &CopyWindows};
  return ApplyRules({&kRule}, module, context);
}

}  // namespace xla
