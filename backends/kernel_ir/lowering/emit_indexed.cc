// Rules of operations whose operands are read at places that other values say: dynamic-slice, dynamic-update-slice (as
// a value; where it is written in place see update_nest.h) and gather.
#include <algorithm>

#include "backends/kernel_ir/lowering/element_emitter.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/ops/window_starts.h"

namespace xla {

// A start index moved into [0, last], as HLO's dynamic slices do instead of failing.
KernelValue ElementEmitter::ClampedStart(KernelValue start, int64_t last) {
  if (last <= 0) return b_.Index(0);
  // Once for each start, because what is at an index of its own is another element each time.
  const auto [place, is_new] = clamped_.try_emplace(std::make_pair(start, last), kNoValue);
  if (!is_new) return place->second;
  KernelValue clamped;
  b_.AtDepth(b_.DepthOf(start), [&] {
    if (b_.TypeOf(start) == U64) {
      // As unsigned, so that what is too large for s64 is the end.
      clamped = b_.Binary(HloOpcode::kMinimum, start, b_.Constant(*LiteralUtil::Number(U64, last)));
      clamped = b_.Convert(clamped, S64);
    } else {
      clamped = b_.Convert(start, S64);
      const auto [least, most] = b_.RangeOf(clamped);
      if (least < 0) clamped = b_.Binary(HloOpcode::kMaximum, clamped, b_.Index(0));
      if (most > last) clamped = b_.Binary(HloOpcode::kMinimum, clamped, b_.Index(last));
    }
    clamped = b_.AsIndex(clamped, 0, last);
  });
  place->second = clamped;
  return clamped;
}

// Start indices from operand `first` on, for a window of an array; false if they are not there yet.
bool ElementEmitter::GetStarts(const Request& request, int first, absl::Span<const int64_t> sizes,
                               absl::Span<const int64_t> window, absl::InlinedVector<KernelValue, 6>* starts) {
  const HloInstruction& instruction = *request.node.instruction;
  const int rank = static_cast<int>(sizes.size());
  const bool vector_form = rank > 0 && instruction.operand(first)->shape().rank() == 1;
  bool complete = true;
  for (int d = 0; d < rank; ++d) {
    starts->push_back(b_.Index(0));
    if (sizes[d] <= window[d]) continue;
    KernelValue start;
    if (vector_form) {
      ElementIndex index;
      if (rank > 1) index.push_back({rank, b_.Index(d)});
      start = GetOperand(request, first, index);
    } else {
      start = GetOperand(request, first + d, {});
    }
    if (start == kNoValue) {
      complete = false;
    } else {
      starts->back() = ClampedStart(start, sizes[d] - window[d]);
    }
  }
  return complete;
}

// Index i is the clamped start + i of the operand, for dimensions that it does not take whole.
ElementEmitter::Values ElementEmitter::RunDynamicSlice(const Request& request) {
  const HloInstruction& instruction = *request.node.instruction;
  const auto& sizes = instruction.shape().dimensions();
  const auto& operand_sizes = instruction.operand(0)->shape().dimensions();
  absl::InlinedVector<KernelValue, 6> starts;
  if (!GetStarts(request, 1, operand_sizes, sizes, &starts)) return {};
  std::vector<int> from(sizes.size());
  std::vector<KernelValue> own(sizes.size(), kNoValue);
  for (int d = 0; d < static_cast<int>(sizes.size()); ++d) {
    from[d] = sizes[d] == operand_sizes[d] ? d : -1;
    if (from[d] < 0) own[d] = b_.Affine({{1, starts[d]}, {1, indices_.At(sizes, request.index, d)}});
  }
  return {GetOperand(request, 0, indices_.Rearrange(sizes, request.index, operand_sizes, from, own))};
}

// The update's element where the index lies in the update, else the operand's. Each is loaded only where it is
// selected.
ElementEmitter::Values ElementEmitter::RunDynamicUpdateSlice(const Request& request) {
  const HloInstruction& instruction = *request.node.instruction;
  const auto& sizes = instruction.shape().dimensions();
  const Shape& update = instruction.operand(1)->shape();
  if (update.ElementCount() == 0) return {GetOperand(request, 0, request.index)};
  absl::InlinedVector<KernelValue, 6> starts;
  if (!GetStarts(request, 2, sizes, update.dimensions(), &starts)) return {};
  std::vector<int> from(sizes.size());
  std::vector<KernelValue> own(sizes.size(), kNoValue);
  KernelValue inside = kNoValue;
  for (int d = 0; d < static_cast<int>(sizes.size()); ++d) {
    from[d] = sizes[d] == update.dimension(d) ? d : -1;
    if (from[d] == d) continue;
    own[d] = b_.Affine({{1, indices_.At(sizes, request.index, d)}, {-1, starts[d]}});
    inside = b_.And(inside, b_.InRange(own[d], 0, update.dimension(d) - 1));
  }
  const KernelValue updated =
      GetOperand(request, 1, indices_.Rearrange(sizes, request.index, update.dimensions(), from, own),
                 b_.And(request.predicate, inside));
  if (inside == kNoValue) return {updated};
  const KernelValue old = GetOperand(request, 0, request.index);
  if (updated == kNoValue || old == kNoValue) return {};
  return {b_.Select(inside, updated, old)};
}

// Each result index splits into an index of the start indices and an offset in the slice. Starts are clamped so that
// slices fit, see StableHLO's gather.
ElementEmitter::Values ElementEmitter::RunGather(const Request& request) {
  const HloInstruction& instruction = *request.node.instruction;
  const auto& a = instruction.attributes<GatherAttributes>();
  const auto& sizes = instruction.shape().dimensions();
  const Shape& operand = instruction.operand(0)->shape();
  const Shape& indices = instruction.operand(1)->shape();
  if (operand.ElementCount() == 0) return {Zero(operand.element_type())};
  const auto contains = [](const DimensionVector& list, int64_t d) {
    return std::find(list.begin(), list.end(), d) != list.end();
  };

  // Where each index dimension is counted in the result; index_vector_dim is not.
  const DimensionVector counting = WindowCountingDimensions(indices, a.index_vector_dim);
  std::vector<int> indices_from(indices.rank(), -1);
  size_t counted = 0;
  for (int d = 0; d < instruction.shape().rank(); ++d) {
    if (!contains(a.offset_dims, d)) indices_from[counting[counted++]] = d;
  }
  std::vector<KernelValue> starts(operand.rank(), kNoValue);
  bool complete = true;
  for (size_t k = 0; k < a.start_index_map.size(); ++k) {
    const int64_t d = a.start_index_map[k];
    const int64_t last = operand.dimension(static_cast<int>(d)) - std::max<int64_t>(a.slice_sizes[d], 1);
    if (last <= 0) continue;
    std::vector<KernelValue> own(indices.rank(), kNoValue);
    if (a.index_vector_dim < indices.rank()) own[a.index_vector_dim] = b_.Index(static_cast<int64_t>(k));
    const KernelValue start =
        GetOperand(request, 1, indices_.Rearrange(sizes, request.index, indices.dimensions(), indices_from, own));
    complete = complete && start != kNoValue;
    if (start != kNoValue) starts[d] = ClampedStart(start, last);
  }
  if (!complete) return {};

  std::vector<int> from(operand.rank(), -1);
  std::vector<KernelValue> own(operand.rank(), kNoValue);
  size_t offset = 0;
  for (int d = 0; d < operand.rank(); ++d) {
    own[d] = b_.Index(0);
    for (size_t k = 0; k < a.operand_batching_dims.size(); ++k) {
      if (a.operand_batching_dims[k] != d) continue;
      const int in_result = indices_from[a.start_indices_batching_dims[k]];
      own[d] = indices_.At(sizes, request.index, in_result);
    }
    if (starts[d] != kNoValue) own[d] = starts[d];
    if (contains(a.collapsed_slice_dims, d) || contains(a.operand_batching_dims, d)) continue;
    const auto in_result = static_cast<int>(a.offset_dims[offset++]);
    if (sizes[in_result] == operand.dimension(d)) {
      from[d] = in_result;
    } else {
      own[d] = b_.Affine({{1, own[d]}, {1, indices_.At(sizes, request.index, in_result)}});
    }
  }
  return {GetOperand(request, 0, indices_.Rearrange(sizes, request.index, operand.dimensions(), from, own))};
}

}  // namespace xla
