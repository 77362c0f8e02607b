// Rules for gather, scatter and get-dimension-size. gather clamps its windows into the array; scatter leaves out those
// that do not lie within it.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/optional.h"
#include "passes/algebra/indexing_rules.h"
#include "passes/algebra/movement.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

using Instructions = std::vector<HloInstruction*>;

// Constant indices are looked at up to this many, and become at most this many slices.
constexpr int64_t kMostKnownIndices = 4096;
constexpr size_t kMostSlices = 4;

// The values of an integer array in row-major order, if they are known; at most kMostKnownIndices.
absl::optional<std::vector<int64_t>> KnownIndices(const HloInstruction& indices) {
  const HloInstruction* source = &indices;
  while (source->opcode() == HloOpcode::kReshape) source = source->operand(0);
  const int64_t count = source->shape().ElementCount();
  if (count > kMostKnownIndices) return absl::nullopt;
  std::vector<int64_t> values;
  if (source->opcode() == HloOpcode::kIota && source->shape().rank() == 1) {
    // Up to where the type would wrap.
    const absl::StatusOr<Literal> last =
        LiteralUtil::Number(source->shape().element_type(), std::max<int64_t>(count - 1, 0));
    if (!last.ok()) return absl::nullopt;
    for (int64_t i = 0; i < count; ++i) values.push_back(i);
    return values;
  }
  if (const absl::optional<int64_t> splat = SplatInteger(*source)) return std::vector<int64_t>(count, *splat);
  const Literal* const literal = ConstantValue(*source);
  if (literal == nullptr || literal->shape().element_type() == U64) return absl::nullopt;
  const absl::StatusOr<Literal> wide = LiteralUtil::Convert(*literal, S64);
  if (!wide.ok()) return absl::nullopt;
  const auto span = wide->span<int64_t>();
  values.assign(span.begin(), span.end());
  return values;
}

// The number of windows that indices give.
int64_t WindowCount(const Shape& indices, int64_t index_vector_dim) {
  int64_t count = 1;
  for (int d = 0; d < indices.rank(); ++d) {
    if (d != index_vector_dim) count *= indices.dimension(d);
  }
  return count;
}

// The start indices of the only window, one scalar for each dimension of the array; 0 where the map names none.
Instructions StartsOfOnlyWindow(HloInstruction* indices, absl::Span<const int64_t> map, int rank,
                                InstructionBuilder& build) {
  HloInstruction* const flat = build.Reshape(indices, {static_cast<int64_t>(map.size())});
  Instructions starts(rank);
  for (size_t i = 0; i < map.size(); ++i) {
    const int64_t k = static_cast<int64_t>(i);
    HloInstruction* const entry = map.size() == 1 ? flat : build.Slice(flat, {k}, {k + 1});
    starts[map[i]] = build.Reshape(entry, {});
  }
  for (HloInstruction*& start : starts) {
    if (start == nullptr) start = build.Zero(indices->shape().element_type());
  }
  return starts;
}

// A gather of one window is a dynamic slice, which clamps starts in the same way.
HloInstruction* GatherToDynamicSlice(HloInstruction* root, const RuleContext& context) {
  const GatherAttributes& a = root->attributes<GatherAttributes>();
  HloInstruction* const x = root->operand(0);
  HloInstruction* const indices = root->operand(1);
  // A slice size of 0 in a dimension that the result does not have is allowed, and reads nothing.
  if (WindowCount(indices->shape(), a.index_vector_dim) != 1 || root->shape().ElementCount() == 0 ||
      x->shape().rank() == 0 || Product(a.slice_sizes) == 0) {
    return nullptr;
  }
  const Instructions starts = StartsOfOnlyWindow(indices, a.start_index_map, x->shape().rank(), context.build);
  return context.build.Reshape(context.build.DynamicSlice(x, starts, a.slice_sizes), root->shape().dimensions());
}

// Indices that are evenly spaced: first, first + step, ...
struct IndexRun {
  int64_t first;
  int64_t step;
  int64_t count;
};

// The indices as runs, each as long as it can be; none if there are more than kMostSlices.
std::vector<IndexRun> RunsOf(const std::vector<int64_t>& indices) {
  std::vector<IndexRun> runs;
  for (size_t begin = 0, end; begin < indices.size(); begin = end) {
    if (runs.size() == kMostSlices) return {};
    IndexRun run{indices[begin], 1, 1};
    end = begin + 1;
    if (end < indices.size()) {
      run.step = indices[end] - indices[begin];
      while (end < indices.size() && indices[end] - indices[end - 1] == run.step) ++end;
    }
    run.count = static_cast<int64_t>(end - begin);
    runs.push_back(run);
  }
  return runs;
}

// The elements of x along dimension d that a run names, all of them inside.
HloInstruction* TakeRun(HloInstruction* x, int d, const IndexRun& run, InstructionBuilder& build) {
  const int64_t last = run.first + (run.count - 1) * run.step;
  if (run.step > 0) return build.SliceInDim(x, d, run.first, last + 1, run.step);
  if (run.step < 0) return build.Reverse(build.SliceInDim(x, d, last, run.first + 1, -run.step), {d});
  HloInstruction* const one = build.SliceInDim(x, d, run.first, run.first + 1);
  const DimensionVector others = OtherDimensions(x->shape().rank(), {d});
  const auto dimensions = one->shape().dimensions();
  DimensionVector sizes(dimensions.begin(), dimensions.end());
  sizes[d] = run.count;
  return build.Broadcast(build.Reshape(one, Permuted(sizes, others)), sizes, others);
}

// Of whole rows along one dimension, at known indices.
HloInstruction* GatherToSlices(HloInstruction* root, const RuleContext& context) {
  const GatherAttributes& a = root->attributes<GatherAttributes>();
  HloInstruction* x = root->operand(0);
  if (a.start_index_map.size() != 1 || a.collapsed_slice_dims != a.start_index_map ||
      !a.operand_batching_dims.empty() || root->shape().ElementCount() == 0) {
    return nullptr;
  }
  const int d = static_cast<int>(a.start_index_map[0]);
  const int64_t size = x->shape().dimension(d);
  for (int i = 0; i < x->shape().rank(); ++i) {
    if (a.slice_sizes[i] != (i == d ? 1 : x->shape().dimension(i))) return nullptr;
  }
  absl::optional<std::vector<int64_t>> indices = KnownIndices(*root->operand(1));
  if (!indices.has_value()) return nullptr;
  for (int64_t& index : *indices) index = std::min(std::max<int64_t>(index, 0), size - 1);
  const std::vector<IndexRun> runs = RunsOf(*indices);
  if (runs.empty()) return nullptr;

  Instructions parts;
  for (const IndexRun& run : runs) parts.push_back(TakeRun(x, d, run, context.build));
  HloInstruction* const taken = parts.size() == 1 ? parts[0] : context.build.Concatenate(parts, d);
  // The dimensions that count windows stand where the result has them, in order: dimension d is cut into them once it
  // is the first, and they go to their places.
  DimensionVector first = OtherDimensions(x->shape().rank(), {d});
  first.insert(first.begin(), d);
  HloInstruction* const rows = IsCounting(first) ? taken : context.build.Transpose(taken, first);
  DimensionVector order = OtherDimensions(root->shape().rank(), a.offset_dims);
  order.insert(order.end(), a.offset_dims.begin(), a.offset_dims.end());
  HloInstruction* const cut = context.build.Reshape(rows, Permuted(root->shape().dimensions(), order));
  return IsCounting(order) ? cut : context.build.Transpose(cut, InversePermutation(order));
}

// Gathers the windows that are read, and of each window as much as is read from its beginning. Along dimensions in
// which windows have places of their own they are not cut: a smaller one may lie further out. Batching dimensions count
// windows of both operands, and are left to the slice.
HloInstruction* SliceOfGather(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const gather = root->operand(0);
  if (gather->opcode() != HloOpcode::kGather || !HasOneUse(*gather) || root->shape().ElementCount() == 0)
    return nullptr;
  GatherAttributes attributes = gather->attributes<GatherAttributes>();
  std::vector<SliceRange> rest = root->attributes<SliceAttributes>().ranges;
  HloInstruction* const indices = gather->operand(1);
  const auto index_sizes = indices->shape().dimensions();
  std::vector<SliceRange> of_indices;
  for (const int64_t size : index_sizes) of_indices.push_back({0, size, 1});
  const std::vector<SliceRange> all_indices = of_indices;
  const DimensionVector counting = OtherDimensions(root->shape().rank(), attributes.offset_dims);
  for (size_t k = 0; k < counting.size(); ++k) {
    const int64_t d = static_cast<int64_t>(k) + (static_cast<int64_t>(k) >= attributes.index_vector_dim ? 1 : 0);
    if (HasDimension(attributes.start_indices_batching_dims, d)) continue;
    SliceRange& range = rest[counting[k]];
    of_indices[d] = range;
    range = {0, root->shape().dimension(static_cast<int>(counting[k])), 1};
  }
  size_t offset = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(attributes.slice_sizes.size()); ++d) {
    if (HasDimension(attributes.collapsed_slice_dims, d) || HasDimension(attributes.operand_batching_dims, d)) continue;
    const SliceRange& range = rest[attributes.offset_dims[offset++]];
    if (!HasDimension(attributes.start_index_map, d)) attributes.slice_sizes[d] = range.limit;
  }
  HloInstruction* const read = context.build.Gather(
      gather->operand(0), of_indices == all_indices ? indices : MakeSlice(indices, of_indices, context.build),
      attributes);
  if (read->shape().ElementCount() > gather->shape().ElementCount() / 2) return nullptr;
  if (read->shape().SameDimensions(root->shape())) return read;
  return MakeSlice(read, rest, context.build);
}

HloInstruction* ScatterOfNothing(HloInstruction* root, const RuleContext& context) {
  const int n = root->operand_count() / 2;
  if (root->operand(n + 1)->shape().ElementCount() != 0) return nullptr;
  return n == 1 ? root->operand(0) : context.build.Tuple(root->operands().subspan(0, n));
}

// Whether the combiner keeps the update.
bool Overwrites(const HloComputation& combiner) {
  const HloInstruction* const root = combiner.root();
  return root->opcode() == HloOpcode::kParameter && root->attributes<ParameterAttributes>().number == 1;
}

// Of one window, at a known position.
HloInstruction* ScatterToUpdate(HloInstruction* root, const RuleContext& context) {
  const ScatterAttributes& a = root->attributes<ScatterAttributes>();
  HloInstruction* const x = root->operand(0);
  if (root->operand_count() != 3 || x->shape().rank() == 0 || !Overwrites(*root->called_computation(0))) return nullptr;
  HloInstruction* const indices = root->operand(1);
  HloInstruction* const updates = root->operand(2);
  if (WindowCount(indices->shape(), a.index_vector_dim) != 1 || updates->shape().ElementCount() == 0) return nullptr;
  const absl::optional<std::vector<int64_t>> known = KnownIndices(*indices);
  if (!known.has_value()) return nullptr;

  DimensionVector window(x->shape().rank(), 1);
  size_t next = 0;
  for (int d = 0; d < x->shape().rank(); ++d) {
    if (HasDimension(a.inserted_window_dims, d) || HasDimension(a.input_batching_dims, d)) continue;
    window[d] = updates->shape().dimension(static_cast<int>(a.update_window_dims[next++]));
  }
  for (size_t i = 0; i < known->size(); ++i) {
    const int d = static_cast<int>(a.scatter_dims_to_operand_dims[i]);
    if ((*known)[i] < 0 || (*known)[i] > x->shape().dimension(d) - window[d]) return x;
  }
  const Instructions starts =
      StartsOfOnlyWindow(indices, a.scatter_dims_to_operand_dims, x->shape().rank(), context.build);
  return context.build.DynamicUpdateSlice(x, context.build.Reshape(updates, window), starts);
}

// Whether the combiner of equal elements gives them again.
bool KeepsEqual(const HloComputation& combiner) {
  if (Overwrites(combiner)) return true;
  const HloInstruction& root = *combiner.root();
  return HasTrait(root.opcode(), opcode_trait::kIdempotent) && root.operand(0)->opcode() == HloOpcode::kParameter &&
         root.operand(1)->opcode() == HloOpcode::kParameter;
}

// Wherever the updates go, what is there is the same.
HloInstruction* ScatterOfSame(HloInstruction* root, const RuleContext&) {
  if (root->operand_count() != 3 || !KeepsEqual(*root->called_computation(0))) return nullptr;
  const HloInstruction* const x = RepeatedScalar(*root->operand(0));
  const HloInstruction* const update = RepeatedScalar(*root->operand(2));
  return x != nullptr && update != nullptr && IsSameScalar(*x, *update) ? root->operand(0) : nullptr;
}

// ---- dimension sizes

// What has a dynamic dimension of full size, if it is one that is static before.
HloInstruction* BeforeFullSize(const HloInstruction& x) {
  if (x.opcode() != HloOpcode::kSetDimensionSize) return nullptr;
  HloInstruction* const array = x.operand(0);
  const int d = static_cast<int>(x.attributes<DimensionAttributes>().dimension);
  const bool is_full = SplatInteger(*x.operand(1)) == absl::optional<int64_t>(array->shape().dimension(d));
  return is_full && !array->shape().is_dynamic_dimension(d) ? array : nullptr;
}

// A dimension that is as long as it can be is a static one to those whose result does not show it.
HloInstruction* OperationOnFullSize(HloInstruction* root, const RuleContext& context) {
  std::vector<HloInstruction*> operands;
  bool changes = false;
  for (HloInstruction* operand : root->operands()) {
    HloInstruction* const array = BeforeFullSize(*operand);
    operands.push_back(array == nullptr ? operand : array);
    changes = changes || array != nullptr;
  }
  if (!changes) return nullptr;
  HloInstruction* const made = context.build.MakeLike(*root, operands);
  return made->shape().Equal(root->shape(), Shape::kIgnoreLayout) ? made : nullptr;
}

HloInstruction* SizeOfStatic(HloInstruction* root, const RuleContext& context) {
  const Shape& x = root->operand(0)->shape();
  const int d = static_cast<int>(root->attributes<DimensionAttributes>().dimension);
  return x.is_dynamic_dimension(d) ? nullptr : context.build.Scalar(S32, x.dimension(d));
}

}  // namespace

const RuleList& GatherRules() {
  static const auto* const rules = new RuleList{
      {"gather-to-slices",
       "gather(x, constant) of rows => slice(x), or a few of them",
       {HloOpcode::kGather},
       &GatherToSlices},
      {"slice-of-gather",
       "slice(gather(x, i)) => gather(x, slice(i)), with smaller windows  (with no other use, if at most half is read)",
       {HloOpcode::kSlice},
       &SliceOfGather},
      {"gather-to-dynamic-slice",
       "gather(x, i) of one window => reshape(dynamic-slice(x, i))",
       {HloOpcode::kGather},
       &GatherToDynamicSlice},
      {"scatter-of-nothing", "scatter(x, i, empty) => x", {HloOpcode::kScatter}, &ScatterOfNothing},
      {"scatter-to-update",
       "scatter(x, constant, u) of one window that overwrites => dynamic-update-slice(x, reshape(u), constant), or x",
       {HloOpcode::kScatter},
       &ScatterToUpdate},
      {"scatter-of-same",
       "scatter(broadcast(v), i, broadcast(v)) => broadcast(v)  (overwriting, or a maximum, minimum, and, or)",
       {HloOpcode::kScatter},
       &ScatterOfSame},
      {"operation-on-full-size",
       "reduce(set-dimension-size(x, the whole size)) => reduce(x)  (if the result is static; also dot, convolution, "
       "set-dimension-size, get-dimension-size)",
       {HloOpcode::kReduce, HloOpcode::kDot, HloOpcode::kConvolution, HloOpcode::kSetDimensionSize,
        HloOpcode::kGetDimensionSize},
       &OperationOnFullSize,
       kExact,
       /*dynamic_dimensions=*/true},
      {"size-of-static",
       "get-dimension-size(x) => constant  (of a static dimension)",
       {HloOpcode::kGetDimensionSize},
       &SizeOfStatic,
       kExact,
       /*dynamic_dimensions=*/true},
  };
  return *rules;
}

}  // namespace xla
