// Rules of expand-dynamic-dimensions for gather and scatter: an index that was clamped to the bound, or dropped beyond
// it, respects the size at run time instead.
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "passes/expanding/dynamic_rules.h"

namespace xla {
namespace {

using Padded = std::vector<PaddedArray>;
using Operands = absl::Span<const PaddedArray>;

// The dimensions of `indices` that count windows.
std::vector<int64_t> CountingDimensions(const Shape& indices, int64_t index_vector_dim) {
  std::vector<int64_t> dimensions;
  for (int d = 0; d < indices.rank(); ++d) {
    if (d != index_vector_dim) dimensions.push_back(d);
  }
  return dimensions;
}

bool HasDynamicVector(const Shape& indices, int64_t index_vector_dim) {
  return index_vector_dim < indices.rank() && indices.is_dynamic_dimension(static_cast<int>(index_vector_dim));
}

std::string RefuseGather(const HloInstruction& gather) {
  return HasDynamicVector(gather.operand(1)->shape(), gather.attributes<GatherAttributes>().index_vector_dim)
             ? "the index vectors have a dynamic length"
             : "";
}

// The indices of a gather, within what is valid of x.
HloInstruction* IndicesWithin(const PaddedArray& x, HloInstruction* indices, const GatherAttributes& a,
                              InstructionBuilder& build) {
  bool any = false;
  std::vector<HloInstruction*> limits;
  for (const int64_t d : a.start_index_map) {
    any = any || x.sizes[d] != nullptr;
    HloInstruction* const rest = build.Sub(SizeOf(x, d, build), build.Scalar(S32, a.slice_sizes[d]));
    HloInstruction* const room = build.Max(rest, build.Zero(S32));
    limits.push_back(build.Reshape(room, {1}));
  }
  if (!any) return indices;
  indices = ClampToS32(indices, build);
  const Shape& shape = indices->shape();
  HloInstruction* const limit = a.index_vector_dim < shape.rank()
                                    ? build.Broadcast(limits.size() == 1 ? limits[0] : build.Concatenate(limits, 0),
                                                      shape.dimensions(), {a.index_vector_dim})
                                    : build.BroadcastScalar(build.Reshape(limits[0], {}), shape);
  return build.Max(build.Min(indices, limit), build.Splat(shape, 0));
}

// Counting dimensions have the sizes of the indices, window dimensions those of the operand if they are taken whole.
// Indices are first moved to where windows lie within valid elements.
Padded ExpandGather(const HloInstruction& gather, Operands operands, InstructionBuilder& build) {
  const GatherAttributes& a = gather.attributes<GatherAttributes>();
  const PaddedArray& x = operands[0];
  const PaddedArray& indices = operands[1];
  PaddedArray result = StaticPadded(OnBounds(gather, {x.array, IndicesWithin(x, indices.array, a, build)}, build));
  const std::vector<int64_t> counting = CountingDimensions(indices.shape(), a.index_vector_dim);
  size_t next = 0;
  for (int d = 0; d < result.shape().rank(); ++d) {
    if (!IsAmong(a.offset_dims, d)) result.sizes[d] = indices.sizes[counting[next++]];
  }
  next = 0;
  for (int d = 0; d < x.shape().rank(); ++d) {
    if (IsAmong(a.collapsed_slice_dims, d) || IsAmong(a.operand_batching_dims, d)) continue;
    const int64_t to = a.offset_dims[next++];
    if (a.slice_sizes[d] == x.bound(d) && a.slice_sizes[d] > 1) result.sizes[to] = x.sizes[d];
  }
  return {result};
}

// Why a scatter cannot be expanded; "" if it can.
std::string RefuseScatter(const HloInstruction& scatter) {
  const int n = scatter.operand_count() / 2;
  if (scatter.operand(0)->shape().rank() == 0) return "the array is a scalar";
  for (int k = 1; k < n; ++k) {
    if (!SameBoundsAndDynamicDimensions(scatter.operand(k)->shape(), scatter.operand(0)->shape()) ||
        !SameBoundsAndDynamicDimensions(scatter.operand(n + 1 + k)->shape(), scatter.operand(n + 1)->shape())) {
      return "its arrays differ in which dimensions are dynamic";
    }
  }
  return HasDynamicVector(scatter.operand(n)->shape(), scatter.attributes<ScatterAttributes>().index_vector_dim)
             ? "the index vectors have a dynamic length"
             : "";
}

// The place of every single element of the updates of a scatter, so that each can be dropped by itself.
class ScatteredElements {
 public:
  // Marks the elements of the updates that count: those within the update's sizes and, where they count windows,
  // within the sizes of the indices.
  ScatteredElements(const ScatterAttributes& a, const PaddedArray& x, const PaddedArray& indices,
                    const PaddedArray& update, InstructionBuilder& build)
      : a_(a),
        x_(x),
        indices_(indices),
        update_(update),
        build_(build),
        shape_(Shape::Array(S32, update.shape().dimensions())) {
    const std::vector<int64_t> counted = CountingDimensions(indices.shape(), a.index_vector_dim);
    size_t next = 0;
    for (int d = 0; d < shape_.rank(); ++d) {
      if (IsAmong(a.update_window_dims, d)) continue;
      update_dim_of_[counted[next++]] = d;
      counting_.push_back(d);
    }
    valid_ = WithinSizes(shape_.dimensions(), update.sizes, AllDimensions(shape_.rank()), build);
    std::vector<HloInstruction*> counts(shape_.rank(), nullptr);
    for (const int64_t d : counted) counts[update_dim_of_[d]] = indices.sizes[d];
    Require(WithinSizes(shape_.dimensions(), counts, AllDimensions(shape_.rank()), build));
  }

  // s32, the dimensions of the update and then one coordinate for each dimension of the array; of elements that are not
  // to be taken the first is -1.
  HloInstruction* Coordinates() {
    const int rank = x_.shape().rank();
    std::vector<HloInstruction*> coordinates;
    size_t window_dim = 0;
    for (int64_t d = 0; d < rank; ++d) {
      HloInstruction* const start = Start(d);
      const bool in_window = !IsAmong(a_.inserted_window_dims, d) && !IsAmong(a_.input_batching_dims, d);
      const int64_t within = in_window ? a_.update_window_dims[window_dim++] : -1;
      RequireWindow(d, start, within);
      coordinates.push_back(within < 0 ? start : build_.Add(start, build_.Iota(shape_, within)));
    }
    if (valid_ != nullptr) coordinates[0] = build_.Select(valid_, coordinates[0], build_.Splat(shape_, -1));
    DimensionVector columns(shape_.dimensions().begin(), shape_.dimensions().end());
    columns.push_back(1);
    for (HloInstruction*& coordinate : coordinates) coordinate = build_.Reshape(coordinate, columns);
    return coordinates.size() == 1 ? coordinates[0] : build_.Concatenate(coordinates, shape_.rank());
  }

 private:
  void Require(HloInstruction* predicate) {
    if (predicate == nullptr) return;
    valid_ = valid_ == nullptr ? predicate : build_.And(valid_, predicate);
  }

  // Where the window of each element starts along dimension d of the array.
  HloInstruction* Start(int64_t d) {
    for (size_t k = 0; k < a_.scatter_dims_to_operand_dims.size(); ++k) {
      if (a_.scatter_dims_to_operand_dims[k] == d) return IndexComponent(static_cast<int64_t>(k));
    }
    for (size_t k = 0; k < a_.input_batching_dims.size(); ++k) {
      if (a_.input_batching_dims[k] == d)
        return build_.Iota(shape_, update_dim_of_.at(a_.scatter_indices_batching_dims[k]));
    }
    return build_.Splat(shape_, 0);
  }

  HloInstruction* IndexComponent(int64_t k) {
    HloInstruction* component = ClampToS32(indices_.array, build_);
    const int64_t v = a_.index_vector_dim;
    if (v < indices_.shape().rank()) {
      DimensionVector counts;
      for (const int64_t d : counting_) counts.push_back(shape_.dimension(static_cast<int>(d)));
      component = build_.Reshape(build_.SliceInDim(component, v, k, k + 1), counts);
    }
    return build_.Broadcast(component, shape_.dimensions(), counting_);
  }

  // A window that is not all within the valid part of the array is dropped.
  void RequireWindow(int64_t d, HloInstruction* start, int64_t within) {
    HloInstruction* const window = within < 0 ? build_.Scalar(S32, 1) : SizeOf(update_, within, build_);
    HloInstruction* const last = build_.Sub(SizeOf(x_, d, build_), window);
    Require(build_.And(build_.Compare(ComparisonDirection::kGe, start, build_.Splat(shape_, 0)),
                       build_.Compare(ComparisonDirection::kLe, start, build_.BroadcastScalar(last, shape_))));
  }

  const ScatterAttributes& a_;
  const PaddedArray& x_;
  const PaddedArray& indices_;
  const PaddedArray& update_;
  InstructionBuilder& build_;
  const Shape shape_;
  std::vector<int64_t> counting_;                        // dimensions of the update that count windows
  absl::flat_hash_map<int64_t, int64_t> update_dim_of_;  // by dimension of the indices
  HloInstruction* valid_ = nullptr;
};

// Becomes a scatter of single elements, each with its full coordinates: an update beyond the run-time sizes gets -1,
// which scatter drops as out of range.
Padded ExpandScatter(const HloInstruction& scatter, Operands operands, InstructionBuilder& build) {
  const size_t n = operands.size() / 2;
  Padded results(operands.begin(), operands.begin() + n);
  if (operands[n + 1].shape().ElementCount() == 0 || results[0].shape().ElementCount() == 0) return results;
  const ScatterAttributes& a = scatter.attributes<ScatterAttributes>();
  ScatterAttributes each;
  each.index_vector_dim = operands[n + 1].shape().rank();
  for (int64_t d = 0; d < results[0].shape().rank(); ++d) {
    each.inserted_window_dims.push_back(d);
    each.scatter_dims_to_operand_dims.push_back(d);
  }
  HloInstruction* const places = ScatteredElements(a, operands[0], operands[n], operands[n + 1], build).Coordinates();
  HloInstruction* const scattered = build.Scatter(
      ArraysOf(operands.first(n)), places, ArraysOf(operands.subspan(n + 1)), each, scatter.called_computation(0));
  for (size_t k = 0; k < n; ++k) {
    results[k].array = n == 1 ? scattered : build.GetTupleElement(scattered, static_cast<int64_t>(k));
  }
  return results;
}

}  // namespace

absl::Span<const DynamicRule> DynamicIndexingRules() {
  static constexpr DynamicRule kRules[] = {
      {HloOpcode::kGather, &RefuseGather, &ExpandGather},
      {HloOpcode::kScatter, &RefuseScatter, &ExpandScatter},
  };
  return kRules;
}

}  // namespace xla
