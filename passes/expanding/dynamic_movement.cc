// Rules of expand-dynamic-dimensions for operations that work on elements one by one, or move them.
//
// An array with dynamic dimensions is a PaddedArray here: an array of the bounds, and an s32 scalar for the size of
// each dynamic dimension (nullptr: the dimension is static). Elements beyond the sizes hold anything, so a rule must
// keep them from reaching valid places. There are three kinds of rules:
//   - The operation is applied to the bounds, and only sizes are computed (elementwise, broadcast, transpose, slice).
//   - Valid elements have to move, because others before them became fewer (concatenate, reverse, reshape): iotas and
//     the sizes say for each place of the result which place it comes from, and TakeAt gathers them.
//   - An index that was clamped to the bound, or dropped beyond it, has to respect the run-time size instead
//     (dynamic-slice, gather, scatter).
// All arithmetic on sizes is in s32, as sizes are in HLO; what might overflow is refused.
#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "passes/expanding/dynamic_rules.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

using Padded = std::vector<PaddedArray>;
using Operands = absl::Span<const PaddedArray>;

HloInstruction* Number(int64_t value, InstructionBuilder& build) { return build.Scalar(S32, value); }
HloInstruction* AtLeastZero(HloInstruction* x, InstructionBuilder& build) { return build.Max(x, Number(0, build)); }
HloInstruction* IotaVector(int64_t size, InstructionBuilder& build) { return build.Iota(Shape::Array(S32, {size}), 0); }

// ---- Elementwise operations, broadcast, transpose

// A result of static size would need the operand's missing elements.
std::string RefuseElementwise(const HloInstruction& instruction) {
  for (const HloInstruction* operand : instruction.operands()) {
    for (int d = 0; d < std::min(operand->shape().rank(), instruction.shape().rank()); ++d) {
      if (operand->shape().is_dynamic_dimension(d) && !instruction.shape().is_dynamic_dimension(d)) {
        return "an operand has a dynamic dimension that is static in the result";
      }
    }
  }
  return "";
}

// The smallest sizes of all operands that are not scalars.
Padded ExpandElementwise(const HloInstruction& instruction, Operands operands, InstructionBuilder& build) {
  PaddedArray result{OnBounds(instruction, ArraysOf(operands), build), {}};
  result.sizes.resize(instruction.shape().rank(), nullptr);
  for (const PaddedArray& operand : operands) {
    // A bitcast-convert may have a dimension more or less, at the end.
    const size_t dims = std::min(operand.sizes.size(), result.sizes.size());
    for (size_t d = 0; d < dims; ++d) result.sizes[d] = SmallerSize(result.sizes[d], operand.sizes[d], build);
  }
  return {result};
}

Padded ExpandBroadcast(const HloInstruction& instruction, Operands operands, InstructionBuilder& build) {
  PaddedArray result = StaticPadded(OnBounds(instruction, ArraysOf(operands), build));
  const DimensionVector& dimensions = instruction.attributes<BroadcastAttributes>().dimensions;
  for (size_t d = 0; d < dimensions.size(); ++d) result.sizes[dimensions[d]] = operands[0].sizes[d];
  return {result};
}

Padded ExpandTranspose(const HloInstruction& instruction, Operands operands, InstructionBuilder& build) {
  PaddedArray result{OnBounds(instruction, ArraysOf(operands), build), {}};
  for (const int64_t d : instruction.attributes<DimensionsAttributes>().dimensions) {
    result.sizes.push_back(operands[0].sizes[d]);
  }
  return {result};
}

Padded ExpandIota(const HloInstruction& instruction, Operands operands, InstructionBuilder& build) {
  return {StaticPadded(OnBounds(instruction, ArraysOf(operands), build))};
}

// ---- Sizes

Padded ExpandGetSize(const HloInstruction& instruction, Operands operands, InstructionBuilder& build) {
  return {StaticPadded(SizeOf(operands[0], instruction.attributes<DimensionAttributes>().dimension, build))};
}

std::string RefuseSetSize(const HloInstruction& instruction) {
  const auto d = static_cast<int>(instruction.attributes<DimensionAttributes>().dimension);
  return instruction.operand(0)->shape().is_dynamic_dimension(d)
             ? "the dimension is dynamic already, and a larger size would bring elements back that nothing defined"
             : "";
}

Padded ExpandSetSize(const HloInstruction& instruction, Operands operands, InstructionBuilder&) {
  PaddedArray result = operands[0];
  result.sizes[instruction.attributes<DimensionAttributes>().dimension] = operands[1].array;
  return {result};
}

// ---- Parts of an array

// Element i along a dimension of n valid elements is element n - 1 - i; only dimensions of static size are reversed
// as they are.
Padded ExpandReverse(const HloInstruction& instruction, Operands operands, InstructionBuilder& build) {
  PaddedArray result = operands[0];
  std::vector<int64_t> whole;
  for (const int64_t d : instruction.attributes<DimensionsAttributes>().dimensions) {
    if (result.sizes[d] == nullptr) {
      whole.push_back(d);
      continue;
    }
    HloInstruction* const position = IotaVector(result.bound(d), build);
    HloInstruction* const last = build.Sub(result.sizes[d], Number(1, build));
    result.array = TakeAt(result.array, d, build.Sub(Spread(last, position, build), position), build);
  }
  if (!whole.empty()) result.array = build.Reverse(result.array, whole);
  return {result};
}

// The quotient, rounded up, of a number that is not negative.
HloInstruction* CeilQuotient(HloInstruction* x, int64_t divisor, InstructionBuilder& build) {
  if (divisor == 1) return x;
  // Ranges of one element may have any stride.
  const int64_t step = std::min<int64_t>(divisor, std::numeric_limits<int32_t>::max());
  HloInstruction* const one = Number(1, build);
  HloInstruction* const rounded = build.Add(build.Div(build.Sub(x, one), Number(step, build)), one);
  return build.Select(build.Compare(ComparisonDirection::kGt, x, Number(0, build)), rounded, Number(0, build));
}

Padded ExpandSlice(const HloInstruction& instruction, Operands operands, InstructionBuilder& build) {
  PaddedArray result = StaticPadded(OnBounds(instruction, ArraysOf(operands), build));
  const auto& ranges = instruction.attributes<SliceAttributes>().ranges;
  for (int d = 0; d < instruction.shape().rank(); ++d) {
    if (operands[0].sizes[d] == nullptr || !instruction.shape().is_dynamic_dimension(d)) continue;
    HloInstruction* const last = build.Min(operands[0].sizes[d], Number(ranges[d].limit, build));
    HloInstruction* const valid = AtLeastZero(build.Sub(last, Number(ranges[d].start, build)), build);
    result.sizes[d] = CeilQuotient(valid, ranges[d].stride, build);
  }
  return {result};
}

// The start indices as s32 scalars, clamped so that windows of these sizes lie within what is valid of x.
std::vector<HloInstruction*> ClampedStarts(const PaddedArray& x, absl::Span<const PaddedArray> indices,
                                           absl::Span<HloInstruction* const> window, InstructionBuilder& build) {
  std::vector<HloInstruction*> starts;
  for (int d = 0; d < x.shape().rank(); ++d) {
    HloInstruction* start;
    if (indices[0].shape().rank() == 1) {
      start = build.Reshape(build.SliceInDim(indices[0].array, 0, d, d + 1), {});
    } else {
      start = indices[d].array;
    }
    HloInstruction* const room = AtLeastZero(build.Sub(SizeOf(x, d, build), window[d]), build);
    starts.push_back(AtLeastZero(build.Min(ClampToS32(start, build), room), build));
  }
  return starts;
}

std::string RefuseDynamicIndices(const HloInstruction& instruction, int first) {
  for (int i = first; i < instruction.operand_count(); ++i) {
    if (instruction.operand(i)->shape().IsDynamic()) return "the start indices are dynamic";
  }
  return "";
}

std::string RefuseDynamicSlice(const HloInstruction& instruction) { return RefuseDynamicIndices(instruction, 1); }

// Starts are clamped by the valid sizes, not by the bounds. A dimension that is taken whole keeps its size.
Padded ExpandDynamicSlice(const HloInstruction& instruction, Operands operands, InstructionBuilder& build) {
  const PaddedArray& x = operands[0];
  const DimensionVector& sizes = instruction.attributes<DynamicSliceAttributes>().slice_sizes;
  std::vector<HloInstruction*> window;
  for (const int64_t size : sizes) window.push_back(Number(size, build));
  if (x.shape().rank() == 0) return {x};
  PaddedArray result =
      StaticPadded(build.DynamicSlice(x.array, ClampedStarts(x, operands.subspan(1), window, build), sizes));
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == x.bound(static_cast<int64_t>(d))) result.sizes[d] = x.sizes[d];
  }
  return {result};
}

std::string RefuseDynamicUpdate(const HloInstruction& instruction) { return RefuseDynamicIndices(instruction, 2); }

// Every element of x that the window covers is taken from the update.
Padded ExpandDynamicUpdate(const HloInstruction& instruction, Operands operands, InstructionBuilder& build) {
  PaddedArray result = operands[0];
  const PaddedArray& update = operands[1];
  const int rank = result.shape().rank();
  if (rank == 0 || update.shape().ElementCount() == 0) return {rank == 0 ? update : result};
  std::vector<HloInstruction*> window;
  for (int d = 0; d < rank; ++d) window.push_back(SizeOf(update, d, build));
  const std::vector<HloInstruction*> starts = ClampedStarts(result, operands.subspan(2), window, build);
  if (!update.IsDynamic()) {
    result.array = build.DynamicUpdateSlice(result.array, update.array, starts);
    return {result};
  }
  HloInstruction* moved = update.array;
  HloInstruction* covered = nullptr;
  for (int d = 0; d < rank; ++d) {
    HloInstruction* const position = IotaVector(result.bound(d), build);
    HloInstruction* const index = build.Sub(position, Spread(starts[d], position, build));
    moved = TakeAt(moved, d, index, build);
    HloInstruction* const covers =
        build.And(build.Compare(ComparisonDirection::kGe, index, build.Splat(index->shape(), 0)),
                  build.Compare(ComparisonDirection::kLt, index, Spread(window[d], index, build)));
    HloInstruction* const everywhere = build.Broadcast(covers, result.shape().dimensions(), {d});
    covered = covered == nullptr ? everywhere : build.And(covered, everywhere);
  }
  result.array = build.Select(covered, moved, result.array);
  return {result};
}

// ---- Concatenate, pad

// Where the elements of the packed concatenation stand in the one of the bounds.
// For two pieces of bounds 3 and 2, the first of size 2: places 0 1 2 3 come from 0 1 3 4. Each piece that is shorter
// than its bound shifts all later places by the difference.
HloInstruction* PackedPositions(int64_t d, Operands operands, int64_t bound, InstructionBuilder& build) {
  HloInstruction* const position = IotaVector(bound, build);
  HloInstruction* source = position;
  HloInstruction* end = nullptr;
  for (const PaddedArray& operand : operands) {
    HloInstruction* const size = SizeOf(operand, d, build);
    end = end == nullptr ? size : build.Add(end, size);
    if (operand.sizes[d] == nullptr) continue;
    HloInstruction* const gap = build.Sub(Number(operand.bound(d), build), size);
    HloInstruction* const is_behind = build.Compare(ComparisonDirection::kGe, position, Spread(end, position, build));
    source =
        build.Add(source, build.Select(is_behind, Spread(gap, position, build), build.Splat(position->shape(), 0)));
  }
  return source;
}

// Concatenates the bounds; where a piece but the last is shorter than its bound, the valid elements are moved
// together by a gather. Sizes add up along the dimension and are the smallest of all elsewhere.
Padded ExpandConcatenate(const HloInstruction& instruction, Operands operands, InstructionBuilder& build) {
  const int64_t d = instruction.attributes<DimensionAttributes>().dimension;
  PaddedArray result = StaticPadded(OnBounds(instruction, ArraysOf(operands), build));
  for (const PaddedArray& operand : operands) {
    for (int k = 0; k < result.shape().rank(); ++k) {
      if (k != d) result.sizes[k] = SmallerSize(result.sizes[k], operand.sizes[k], build);
    }
  }
  bool is_packed = true;  // only the last piece may be shorter than its bound
  for (size_t i = 0; i + 1 < operands.size(); ++i) is_packed = is_packed && operands[i].sizes[d] == nullptr;
  if (!is_packed) {
    result.array = TakeAt(result.array, d, PackedPositions(d, operands, result.bound(d), build), build);
  }
  if (is_packed && operands.back().sizes[d] == nullptr) return {result};
  for (const PaddedArray& operand : operands) {
    HloInstruction* const size = SizeOf(operand, d, build);
    result.sizes[d] = result.sizes[d] == nullptr ? size : build.Add(result.sizes[d], size);
  }
  return {result};
}

std::string RefusePad(const HloInstruction& instruction) {
  const Shape& x = instruction.operand(0)->shape();
  for (int d = 0; d < x.rank(); ++d) {
    const PaddingDimension& padding = instruction.attributes<PadAttributes>().padding[d];
    if (x.is_dynamic_dimension(d) &&
        !(IsSmallForS32(padding.low) && IsSmallForS32(padding.high) && IsSmallForS32(padding.interior))) {
      return "the padding of a dynamic dimension is too large";
    }
  }
  return "";
}

// First replaces invalid elements by the padding value, so that high padding follows the valid ones at once; then
// pads the bounds. The new size is computed by the definition of pad, at least 0.
Padded ExpandPad(const HloInstruction& instruction, Operands operands, InstructionBuilder& build) {
  const PaddedArray& x = operands[0];
  HloInstruction* const value = operands[1].array;
  HloInstruction* const filled = Masked(x, value, AllDimensions(x.shape().rank()), build);
  PaddedArray result = StaticPadded(OnBounds(instruction, {filled, value}, build));
  for (int d = 0; d < x.shape().rank(); ++d) {
    if (x.sizes[d] == nullptr) continue;
    const PaddingDimension& padding = instruction.attributes<PadAttributes>().padding[d];
    HloInstruction* size = x.sizes[d];
    if (padding.interior > 0) {
      HloInstruction* const gaps = AtLeastZero(build.Sub(size, Number(1, build)), build);
      size = build.Add(size, build.Mul(gaps, Number(padding.interior, build)));
    }
    result.sizes[d] = AtLeastZero(build.Add(size, Number(padding.low + padding.high, build)), build);
  }
  return {result};
}

// ---- Reshape: groups of dimensions with the same product are reshaped by themselves.

struct DimensionRange {
  int begin;
  int end;
};

struct ReshapeGroup {
  DimensionRange from;
  DimensionRange to;
  int64_t count = 1;  // elements within the bounds
};

// Smallest groups of equal element counts, of shapes with as many elements, more than none.
std::vector<ReshapeGroup> ReshapeGroups(const Shape& from, const Shape& to) {
  std::vector<ReshapeGroup> groups;
  int f = 0;
  int t = 0;
  while (f < from.rank() || t < to.rank()) {
    ReshapeGroup group{{f, f}, {t, t}, 1};
    int64_t from_count = f < from.rank() ? from.dimension(f++) : 1;
    int64_t to_count = t < to.rank() ? to.dimension(t++) : 1;
    while (from_count != to_count) {
      if (from_count < to_count) {
        from_count *= from.dimension(f++);
      } else {
        to_count *= to.dimension(t++);
      }
    }
    group.from.end = f;
    group.to.end = t;
    group.count = from_count;
    groups.push_back(group);
  }
  return groups;
}

// The result dimension that has the run-time size of the group, as reshape.cc in xla_core/ops chooses it.
int ShrinkingDimension(const Shape& result, DimensionRange group, int64_t inferred) {
  if (inferred >= group.begin && inferred < group.end) return static_cast<int>(inferred);
  for (int d = group.begin; d < group.end; ++d) {
    if (result.is_dynamic_dimension(d)) return d;
  }
  return -1;
}

int64_t InferredDimension(const HloInstruction& reshape) {
  return reshape.attributes<ReshapeAttributes>().inferred_dimension.value_or(-1);
}

bool AnyDynamic(const Shape& shape, DimensionRange range) {
  for (int d = range.begin; d < range.end; ++d) {
    if (shape.is_dynamic_dimension(d)) return true;
  }
  return false;
}

// Groups without dynamic dimensions are ordinary reshapes. In others, exactly one result dimension takes the run-time
// size.
std::string RefuseReshape(const HloInstruction& reshape) {
  const Shape& from = reshape.operand(0)->shape();
  const Shape& to = reshape.shape();
  if (from.ElementCount() == 0) return "";
  for (const ReshapeGroup& group : ReshapeGroups(from, to)) {
    if (!AnyDynamic(from, group.from)) continue;
    const int d = ShrinkingDimension(to, group.to, InferredDimension(reshape));
    if (d < 0 || !to.is_dynamic_dimension(d))
      return "the result has no dynamic dimension for a dynamic one of the operand";
    if (group.count > std::numeric_limits<int32_t>::max()) return "a group of dimensions has too many elements for s32";
  }
  return "";
}

struct SizedDimensions {
  std::vector<int64_t> bounds;
  std::vector<HloInstruction*> sizes;  // nullptr: the bound
};

SizedDimensions Part(const PaddedArray& x, DimensionRange range) {
  SizedDimensions part;
  for (int d = range.begin; d < range.end; ++d) {
    part.bounds.push_back(x.bound(d));
    part.sizes.push_back(x.sizes[d]);
  }
  return part;
}

HloInstruction* SizeIn(const SizedDimensions& dims, size_t d, InstructionBuilder& build) {
  return dims.sizes[d] != nullptr ? dims.sizes[d] : Number(dims.bounds[d], build);
}

// For each position of the bounds of `to`, counted in row-major order, the position in the bounds of `from` of the
// valid element of the same number.
HloInstruction* RepackedPositions(const SizedDimensions& from, const SizedDimensions& to, int64_t count,
                                  InstructionBuilder& build) {
  HloInstruction* const position = IotaVector(count, build);
  const Shape& shape = position->shape();
  HloInstruction* number = build.Splat(shape, 0);
  HloInstruction* run = Number(1, build);  // valid elements per index of the dimension
  int64_t stride = 1;
  for (size_t d = to.bounds.size(); d-- > 0;) {
    HloInstruction* const coordinate = build.Binary(
        HloOpcode::kRemainder, build.Div(position, build.Splat(shape, stride)), build.Splat(shape, to.bounds[d]));
    number = build.Add(number, build.Mul(coordinate, Spread(run, position, build)));
    run = build.Mul(run, SizeIn(to, d, build));
    stride *= to.bounds[d];
  }
  HloInstruction* source = build.Splat(shape, 0);
  stride = 1;
  for (size_t d = from.bounds.size(); d-- > 0;) {
    HloInstruction* coordinate = number;
    if (d > 0) {
      HloInstruction* const size = Spread(SizeIn(from, d, build), position, build);
      coordinate = build.Binary(HloOpcode::kRemainder, number, size);
      number = build.Div(number, size);
    }
    source = build.Add(source, build.Mul(coordinate, build.Splat(shape, stride)));
    stride *= from.bounds[d];
  }
  return source;
}

// Valid elements that begin both groups of dimensions stay where they are.
bool OnlyFirstIsDynamic(const SizedDimensions& dims) {
  for (size_t d = 1; d < dims.sizes.size(); ++d) {
    if (dims.sizes[d] != nullptr) return false;
  }
  return true;
}

// Each group becomes one dimension of an array in between. Where only the first dimension of a group shrinks, on both
// sides, valid elements are a prefix of the group and stay where they are; other groups are repacked.
Padded ExpandReshape(const HloInstruction& reshape, Operands operands, InstructionBuilder& build) {
  const PaddedArray& x = operands[0];
  const Shape& to = reshape.shape();
  if (x.shape().ElementCount() == 0) return {StaticPadded(build.Splat(BoundsOf(to), 0))};
  const std::vector<ReshapeGroup> groups = ReshapeGroups(x.shape(), to);
  std::vector<int64_t> counts;
  for (const ReshapeGroup& group : groups) counts.push_back(group.count);
  PaddedArray result{nullptr, std::vector<HloInstruction*>(to.rank(), nullptr)};
  HloInstruction* array = build.Reshape(x.array, counts);
  for (size_t g = 0; g < groups.size(); ++g) {
    const ReshapeGroup& group = groups[g];
    const SizedDimensions from = Part(x, group.from);
    HloInstruction* valid = nullptr;
    for (size_t d = 0; d < from.sizes.size(); ++d) {
      HloInstruction* const size = SizeIn(from, d, build);
      valid = valid == nullptr ? size : build.Mul(valid, size);
    }
    if (OnlyFirstIsDynamic(from) && (from.sizes.empty() || from.sizes[0] == nullptr)) continue;
    const int shrinking = ShrinkingDimension(to, group.to, InferredDimension(reshape));
    const int64_t others = group.count / to.dimension(shrinking);
    result.sizes[shrinking] = others == 1 ? valid : build.Div(valid, Number(others, build));
    SizedDimensions into;
    for (int d = group.to.begin; d < group.to.end; ++d) {
      into.bounds.push_back(to.dimension(d));
      into.sizes.push_back(result.sizes[d]);
    }
    if (OnlyFirstIsDynamic(from) && OnlyFirstIsDynamic(into)) continue;
    array = TakeAt(array, static_cast<int64_t>(g), RepackedPositions(from, into, group.count, build), build);
  }
  result.array = build.Reshape(array, to.dimensions());
  return {result};
}

std::string RefuseDynamicReshape(const HloInstruction& reshape) {
  return reshape.shape().ElementCount() > std::numeric_limits<int32_t>::max() ? "it has too many elements for s32" : "";
}

// The sizes are operands, so nothing is known of them: all elements are repacked as one group.
Padded ExpandDynamicReshape(const HloInstruction& reshape, Operands operands, InstructionBuilder& build) {
  const PaddedArray& x = operands[0];
  PaddedArray result{nullptr, {}};
  for (int d = 0; d < reshape.shape().rank(); ++d) {
    result.sizes.push_back(reshape.shape().is_dynamic_dimension(d) ? operands[1 + d].array : nullptr);
  }
  const Shape bounds = BoundsOf(reshape.shape());
  if (bounds.ElementCount() == 0) {
    result.array = build.Splat(bounds, 0);
    return {result};
  }
  const int64_t count = bounds.ElementCount();
  const SizedDimensions from = Part(x, {0, x.shape().rank()});
  const SizedDimensions to{{bounds.dimensions().begin(), bounds.dimensions().end()}, result.sizes};
  HloInstruction* const moved =
      TakeAt(build.Reshape(x.array, {count}), 0, RepackedPositions(from, to, count, build), build);
  result.array = build.Reshape(moved, bounds.dimensions());
  return {result};
}

// ---- Gather, scatter

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
    HloInstruction* const room = AtLeastZero(build.Sub(SizeOf(x, d, build), Number(a.slice_sizes[d], build)), build);
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
    HloInstruction* const window = within < 0 ? Number(1, build_) : SizeOf(update_, within, build_);
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

absl::Span<const DynamicRule> DynamicMovementRules() {
  static const auto* const rules = [] {
    auto* const table = new std::vector<DynamicRule>{
        {HloOpcode::kBitcastConvert, &RefuseElementwise, &ExpandElementwise},
        {HloOpcode::kMap, &RefuseElementwise, &ExpandElementwise},
        {HloOpcode::kBroadcast, &RefuseNothing, &ExpandBroadcast},
        {HloOpcode::kTranspose, &RefuseNothing, &ExpandTranspose},
        {HloOpcode::kIota, &RefuseNothing, &ExpandIota},
        {HloOpcode::kGetDimensionSize, &RefuseNothing, &ExpandGetSize},
        {HloOpcode::kSetDimensionSize, &RefuseSetSize, &ExpandSetSize},
        {HloOpcode::kReverse, &RefuseNothing, &ExpandReverse},
        {HloOpcode::kSlice, &RefuseNothing, &ExpandSlice},
        {HloOpcode::kDynamicSlice, &RefuseDynamicSlice, &ExpandDynamicSlice},
        {HloOpcode::kDynamicUpdateSlice, &RefuseDynamicUpdate, &ExpandDynamicUpdate},
        {HloOpcode::kConcatenate, &RefuseNothing, &ExpandConcatenate},
        {HloOpcode::kPad, &RefusePad, &ExpandPad},
        {HloOpcode::kReshape, &RefuseReshape, &ExpandReshape},
        {HloOpcode::kDynamicReshape, &RefuseDynamicReshape, &ExpandDynamicReshape},
        {HloOpcode::kGather, &RefuseGather, &ExpandGather},
        {HloOpcode::kScatter, &RefuseScatter, &ExpandScatter},
    };
    for (const HloOpcode opcode : AllOpcodes()) {
      if (IsElementwise(opcode)) table->push_back({opcode, &RefuseElementwise, &ExpandElementwise});
    }
    return table;
  }();
  return *rules;
}

}  // namespace xla
