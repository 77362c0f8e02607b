// The dimensions of the updates up to the last one that counts windows are walked by the loop; those after it, all
// within windows, make up the part that one iteration combines at once. Window dimensions that precede a counting
// one are walked too, since the order of the updates decides where windows overlap. If the combiner cannot be applied
// to arrays, parts are single elements and the combiner is called.
#include "passes/expanding/expand_scatter.h"

#include <algorithm>
#include <vector>

#include "passes/base/counted_loop.h"
#include "passes/base/inline_scalar_function.h"
#include "passes/base/rewrite_rule.h"
#include "passes/expanding/index_rows.h"

namespace xla {
namespace {

// How updates are cut into parts.
struct Parts {
  int walked = 0;     // leading dimensions of the updates that the loop walks
  int64_t count = 1;  // of parts
  DimensionVector walked_sizes;
  DimensionVector size;       // of a part along each dimension of the arrays
  DimensionVector window;     // size of a window along each dimension of the arrays
  DimensionVector update_of;  // the update dimension within windows of each dimension of the arrays; -1: none
};

// Cuts updates into parts that one iteration combines: windows as far as they are trailing dimensions of the update,
// or single elements.
Parts CutUpdates(const HloInstruction& scatter, bool by_element) {
  const ScatterAttributes& a = scatter.attributes<ScatterAttributes>();
  const Shape& array = scatter.operand(0)->shape();
  const Shape& update = scatter.operand(scatter.operand_count() - 1)->shape();
  Parts parts;
  parts.walked = update.rank();
  while (!by_element && parts.walked > 0 && PositionIn(a.update_window_dims, parts.walked - 1) >= 0) --parts.walked;
  for (int d = 0; d < parts.walked; ++d) {
    parts.walked_sizes.push_back(update.dimension(d));
    parts.count *= update.dimension(d);
  }
  size_t within = 0;
  for (int d = 0; d < array.rank(); ++d) {
    const bool no_window = PositionIn(a.inserted_window_dims, d) >= 0 || PositionIn(a.input_batching_dims, d) >= 0;
    const int64_t update_dim = no_window ? -1 : a.update_window_dims[within++];
    parts.update_of.push_back(update_dim);
    parts.window.push_back(no_window ? 1 : update.dimension(static_cast<int>(update_dim)));
    parts.size.push_back(update_dim < parts.walked ? 1 : parts.window.back());
  }
  return parts;
}

// Where parts go: a column for each dimension of the arrays in which that is not always 0.
struct Targets {
  std::vector<HloInstruction*> columns;
  std::vector<int> column_of;
  HloInstruction* is_within = nullptr;  // pred by part; nullptr: always
};

// Where each part goes: positions by array dimension, and whether its whole window lies inside, as updates that do
// not are skipped.
Targets FindTargets(const HloInstruction& scatter, const Parts& parts, PrimitiveType type, InstructionBuilder& build) {
  const ScatterAttributes& a = scatter.attributes<ScatterAttributes>();
  const Shape& array = scatter.operand(0)->shape();
  HloInstruction* const indices = scatter.operand(scatter.operand_count() / 2);
  const DimensionVector counts = WindowCounts(indices->shape(), a.index_vector_dim);
  HloInstruction* const rows = IndexRows(indices, a.index_vector_dim, type, build);
  const Shape walked = Shape::Array(type, parts.walked_sizes);
  std::vector<int64_t> counting;  // the walked dimensions that count windows
  for (int d = 0; d < parts.walked; ++d) {
    if (PositionIn(a.update_window_dims, d) < 0) counting.push_back(d);
  }
  Targets targets;
  for (int d = 0; d < array.rank(); ++d) {
    const int64_t mapped = PositionIn(a.scatter_dims_to_operand_dims, d);
    const int64_t batch = PositionIn(a.input_batching_dims, d);
    HloInstruction* target = nullptr;
    if (mapped >= 0) {
      HloInstruction* const column = build.Reshape(PositionColumn(rows, mapped, build), counts);
      target = build.Broadcast(column, parts.walked_sizes, counting);
      HloInstruction* const within = build.And(
          build.Compare(ComparisonDirection::kGe, target, build.Splat(walked, 0)),
          build.Compare(ComparisonDirection::kLe, target, build.Splat(walked, array.dimension(d) - parts.window[d])));
      targets.is_within = targets.is_within == nullptr ? within : build.And(targets.is_within, within);
    } else if (batch >= 0) {
      int64_t place = a.scatter_indices_batching_dims[batch];
      if (place > a.index_vector_dim) --place;
      target = build.Iota(walked, counting[place]);
    }
    if (parts.update_of[d] >= 0 && parts.update_of[d] < parts.walked) {
      HloInstruction* const offset = build.Iota(walked, parts.update_of[d]);
      target = target == nullptr ? offset : build.Add(target, offset);
    }
    targets.column_of.push_back(target == nullptr ? -1 : static_cast<int>(targets.columns.size()));
    if (target != nullptr) targets.columns.push_back(build.Reshape(target, {parts.count}));
  }
  if (targets.is_within != nullptr) targets.is_within = build.Reshape(targets.is_within, {parts.count});
  return targets;
}

// Calls a combiner that cannot be written for arrays, for parts of one element.
std::vector<HloInstruction*> CallCombiner(HloComputation* combiner, absl::Span<HloInstruction* const> elements,
                                          absl::Span<const int64_t> part, InstructionBuilder& build) {
  std::vector<HloInstruction*> scalars;
  for (HloInstruction* element : elements) scalars.push_back(build.Reshape(element, {}));
  HloInstruction* const call = build.Call(combiner, scalars);
  if (!call->shape().IsTuple()) return {build.Reshape(call, part)};
  std::vector<HloInstruction*> results;
  for (int64_t i = 0; i < static_cast<int64_t>(call->shape().tuple_size()); ++i) {
    results.push_back(build.Reshape(build.GetTupleElement(call, i), part));
  }
  return results;
}

// A loop over the parts that slices the arrays, combines, and updates them, in order of the updates. Iterations whose
// part lies outside write back what was there.
HloInstruction* CombineWindows(HloInstruction* scatter, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  const int n = scatter->operand_count() / 2;
  const Shape& array = scatter->operand(0)->shape();
  const Shape& update = scatter->operand(n + 1)->shape();
  std::vector<HloInstruction*> arrays(scatter->operands().begin(), scatter->operands().begin() + n);
  const auto finish = [&](absl::Span<HloInstruction* const> results) {
    return scatter->shape().IsTuple() ? build.Tuple(results) : results[0];
  };
  if (array.ElementCount() == 0 || update.ElementCount() == 0) return finish(arrays);
  HloComputation* const combiner = scatter->called_computation(0);
  const bool on_arrays = CanInlineScalarFunction(*combiner);
  const Parts parts = CutUpdates(*scatter, !on_arrays);
  const int64_t max_iterations = context.pass.IntOption("max-iterations");
  if (max_iterations >= 0 && parts.count > max_iterations) return nullptr;
  const PrimitiveType type = PositionType({&array, &update});
  const Targets targets = FindTargets(*scatter, parts, type, build);

  // n arrays, n updates as parts, then positions and is_within as far as there are any.
  DimensionVector update_part = {1};
  for (int d = parts.walked; d < update.rank(); ++d) update_part.push_back(update.dimension(d));
  DimensionVector stacked = update_part;
  stacked[0] = parts.count;
  std::vector<HloInstruction*> state = arrays;
  for (int k = 0; k < n; ++k) state.push_back(build.Reshape(scatter->operand(n + 1 + k), stacked));
  if (!targets.columns.empty()) state.push_back(JoinColumns(targets.columns, build));
  if (targets.is_within != nullptr) state.push_back(targets.is_within);

  std::vector<HloInstruction*> results = CountedLoop(
      build, "scatter", type, parts.count, state,
      [&](InstructionBuilder& inside, HloInstruction* turn, absl::Span<HloInstruction* const> before) {
        HloInstruction* const zero = inside.Zero(type);
        std::vector<HloInstruction*> place;
        for (const int column : targets.column_of) {
          place.push_back(column < 0 ? zero : PositionAt(before[2 * n], turn, column, inside));
        }
        std::vector<HloInstruction*> from(update_part.size(), zero);
        from[0] = turn;
        std::vector<HloInstruction*> arguments;
        for (int k = 0; k < n; ++k) arguments.push_back(inside.DynamicSlice(before[k], place, parts.size));
        for (int k = 0; k < n; ++k) {
          arguments.push_back(inside.Reshape(inside.DynamicSlice(before[n + k], from, update_part), parts.size));
        }
        const std::vector<HloInstruction*> combined =
            on_arrays ? InlineScalarFunction(*combiner, arguments, arguments[0]->shape(), inside)
                      : CallCombiner(combiner, arguments, parts.size, inside);
        HloInstruction* is_within = nullptr;
        if (targets.is_within != nullptr) {
          is_within = inside.Reshape(inside.DynamicSlice(before.back(), {turn}, {1}), {});
        }
        std::vector<HloInstruction*> after(before.begin(), before.end());
        for (int k = 0; k < n; ++k) {
          HloInstruction* const part =
              is_within == nullptr ? combined[k] : inside.Select(is_within, combined[k], arguments[k]);
          after[k] = inside.DynamicUpdateSlice(before[k], part, place);
        }
        return after;
      });
  results.resize(n);
  return finish(results);
}

}  // namespace

absl::StatusOr<bool> ExpandScatter(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {"scatter-by-loop",
                                    "scatter(x, i, u) => while (w) { x[i[w]] = f(x[i[w]], u[w]) if within x }",
                                    {HloOpcode::kScatter},
                                    &CombineWindows};
  return ApplyRules({&kRule}, module, context);
}

}  // namespace xla
