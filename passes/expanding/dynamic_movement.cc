// Rules of expand-dynamic-dimensions for operations that work on elements one by one, or move them.
//
// An array with dynamic dimensions is a PaddedArray here: an array of the bounds, and an s32 scalar for the size of
// each dynamic dimension (nullptr: the dimension is static). Elements beyond the sizes hold anything, so a rule must
// keep them from reaching valid places. There are three kinds of rules:
//   - The operation is applied to the bounds, and only sizes are computed (elementwise, broadcast, transpose, slice).
//   - Valid elements have to move, because others before them became fewer (concatenate, reverse; reshape, in
//     dynamic_reshapes.cc): iotas and the sizes say for each place of the result which place it comes from, and TakeAt
//     gathers them.
//   - An index that was clamped to the bound, or dropped beyond it, has to respect the run-time size instead
//     (dynamic-slice; gather and scatter, in dynamic_indexing.cc).
// All arithmetic on sizes is in s32, as sizes are in HLO; what might overflow is refused.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

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
    };
    for (const HloOpcode opcode : AllOpcodes()) {
      if (IsElementwise(opcode)) table->push_back({opcode, &RefuseElementwise, &ExpandElementwise});
    }
    return table;
  }();
  return *rules;
}

}  // namespace xla
