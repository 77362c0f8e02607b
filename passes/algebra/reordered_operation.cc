#include "passes/algebra/reordered_operation.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "passes/algebra/movement.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

// values[d] at place[d]
template <typename Values>
Values Placed(const Values& values, const DimensionVector& place) {
  Values placed = values;
  for (size_t d = 0; d < place.size(); ++d) placed[place[d]] = values[d];
  return placed;
}

DimensionVector PlacesOf(const DimensionVector& dimensions, const DimensionVector& place) {
  return Permuted(place, dimensions);
}

// Elements of a window come in the order of the dimensions along which there are several.
bool KeepsOrderWithinWindows(const Window& window, const DimensionVector& place) {
  int64_t previous = -1;
  for (size_t d = 0; d < place.size(); ++d) {
    if (window.dimensions[d].size == 1) continue;
    if (place[d] < previous) return false;
    previous = place[d];
  }
  return true;
}

// Not where several contracting dimensions may lie in memory as one, in the order of those of the other operand.
bool CanDotReadReordered(const HloInstruction& dot, int i, const DimensionVector& place) {
  const DotAttributes& a = dot.attributes<DotAttributes>();
  const DimensionVector& contracting = i == 0 ? a.lhs_contracting_dims : a.rhs_contracting_dims;
  const auto sizes = dot.operand(i)->shape().dimensions();
  if (Squeezed(Permuted(sizes, contracting)).size() > 1) return false;
  DimensionVector summed_or_batch = i == 0 ? a.lhs_batch_dims : a.rhs_batch_dims;
  summed_or_batch.insert(summed_or_batch.end(), contracting.begin(), contracting.end());
  return IsAscending(PlacesOf(OtherDimensions(static_cast<int64_t>(sizes.size()), summed_or_batch), place));
}

// The dot that x is except for dimensions of size 1; nullptr if it is not one, or it has another user.
HloInstruction* DotBehind(const HloInstruction& x) {
  if (!IsDegenerateReshape(x)) return nullptr;
  HloInstruction* const dot = x.operand(0);
  return dot->opcode() == HloOpcode::kDot && HasOneUse(*dot) ? dot : nullptr;
}

int64_t FreeCount(const HloInstruction& dot, int i) {
  const DotAttributes& a = dot.attributes<DotAttributes>();
  return dot.operand(i)->shape().rank() -
         static_cast<int64_t>(i == 0 ? a.lhs_contracting_dims.size() : a.rhs_contracting_dims.size());
}

// Dimensions that are not of size 1, of those that are named.
DimensionVector Long(const DimensionVector& dimensions, const Shape& shape) {
  DimensionVector result;
  for (const int64_t d : dimensions) {
    if (shape.dimension(static_cast<int>(d)) != 1) result.push_back(d);
  }
  return result;
}

// ---- Attributes that refer to dimensions, by operation

using Reorder = void (*)(HloInstruction* operation, const DimensionVector& place);

void ReorderPad(HloInstruction* pad, const DimensionVector& place) {
  PaddingConfig& padding = pad->mutable_attributes<PadAttributes>().padding;
  padding = Placed(padding, place);
}

void ReorderSlice(HloInstruction* slice, const DimensionVector& place) {
  std::vector<SliceRange>& ranges = slice->mutable_attributes<SliceAttributes>().ranges;
  ranges = Placed(ranges, place);
}

void ReorderReverse(HloInstruction* reverse, const DimensionVector& place) {
  DimensionVector& reversed = reverse->mutable_attributes<DimensionsAttributes>().dimensions;
  reversed = PlacesOf(reversed, place);
  std::sort(reversed.begin(), reversed.end());
}

void ReorderConcatenate(HloInstruction* concatenate, const DimensionVector& place) {
  int64_t& dimension = concatenate->mutable_attributes<DimensionAttributes>().dimension;
  dimension = place[dimension];
}

void ReorderReduceWindow(HloInstruction* reduce_window, const DimensionVector& place) {
  auto& dimensions = reduce_window->mutable_attributes<WindowAttributes>().window.dimensions;
  dimensions = Placed(dimensions, place);
}

constexpr OpcodeMap<Reorder> kReorder(/*otherwise=*/nullptr, {{HloOpcode::kPad, &ReorderPad},
                                                              {HloOpcode::kSlice, &ReorderSlice},
                                                              {HloOpcode::kReverse, &ReorderReverse},
                                                              {HloOpcode::kConcatenate, &ReorderConcatenate},
                                                              {HloOpcode::kReduceWindow, &ReorderReduceWindow}});

}  // namespace

// Whether the operation gives the same elements, in the order of `place`, if its array operands come in that order:
// operations on single elements and those whose attributes are per dimension.
bool CanReorder(const HloInstruction& operation, const DimensionVector& place) {
  const int64_t rank = static_cast<int64_t>(place.size());
  if (!operation.shape().IsArray() || operation.shape().rank() != rank) return false;
  for (const HloInstruction* operand : operation.operands()) {
    if (!operand->shape().IsArray() || (operand->shape().rank() != rank && operand->shape().rank() != 0)) return false;
  }
  if (operation.opcode() == HloOpcode::kReduceWindow) {
    return operation.operand_count() == 2 && operation.shape().IsArray() &&
           KeepsOrderWithinWindows(operation.attributes<WindowAttributes>().window, place);
  }
  if (kReorder[operation.opcode()] != nullptr) return true;
  // copy is for layouts.
  return IsElementwise(operation.opcode()) && operation.opcode() != HloOpcode::kCopy;
}

// The operation in the other order: sizes and attributes that are lists over dimensions are permuted, and dimension
// numbers are renamed.
HloInstruction* Reordered(const HloInstruction& operation, const DimensionVector& place,
                          absl::Span<HloInstruction* const> operands, InstructionBuilder& build) {
  auto attributes = operation.raw_attributes() == nullptr ? nullptr : operation.raw_attributes()->Clone();
  const auto sizes = operation.shape().dimensions();
  HloInstruction* const reordered = build.MakeOfShape(
      operation.opcode(),
      Shape::Array(operation.shape().element_type(), Placed(DimensionVector(sizes.begin(), sizes.end()), place)),
      operands, std::move(attributes), operation.called_computations());
  if (const Reorder reorder = kReorder[operation.opcode()]) reorder(reordered, place);
  return reordered;
}

bool CanReadReordered(const HloInstruction& operation, int i, const DimensionVector& place) {
  const int64_t rank = static_cast<int64_t>(place.size());
  if (operation.operand(i)->shape().rank() != rank) return false;
  if (operation.opcode() == HloOpcode::kReduce) {
    const DimensionVector& reduced = DimensionsOf(operation);
    return i == 0 && operation.operand_count() == 2 && operation.shape().IsArray() && IsAscending(reduced) &&
           IsAscending(PlacesOf(reduced, place)) && IsAscending(PlacesOf(OtherDimensions(rank, reduced), place));
  }
  return operation.opcode() == HloOpcode::kDot && CanDotReadReordered(operation, i, place);
}

// A reduce or dot with operand i read from the other order, by renaming the dimension numbers. Its result stays as it
// was.
HloInstruction* ReadingReordered(const HloInstruction& operation, int i, const DimensionVector& place,
                                 HloInstruction* reordered, InstructionBuilder& build) {
  std::vector<HloInstruction*> operands(operation.operands().begin(), operation.operands().end());
  operands[i] = reordered;
  HloInstruction* const result =
      build.MakeOfShape(operation.opcode(), operation.shape().WithoutLayout(), operands,
                        operation.raw_attributes()->Clone(), operation.called_computations());
  if (operation.opcode() == HloOpcode::kReduce) {
    DimensionVector& reduced = result->mutable_attributes<DimensionsAttributes>().dimensions;
    reduced = PlacesOf(reduced, place);
    return result;
  }
  DotAttributes& a = result->mutable_attributes<DotAttributes>();
  DimensionVector& batch = i == 0 ? a.lhs_batch_dims : a.rhs_batch_dims;
  DimensionVector& contracting = i == 0 ? a.lhs_contracting_dims : a.rhs_contracting_dims;
  batch = PlacesOf(batch, place);
  contracting = PlacesOf(contracting, place);
  return result;
}

// Whether the transposed product is the one with lhs and rhs exchanged: if the dimensions from rhs would come first
// and each side keeps its order. Dimensions of size 1 do not count.
bool IsReorderedByExchange(const HloInstruction& x, const DimensionVector& place) {
  const HloInstruction* const dot = x.opcode() == HloOpcode::kDot ? &x : DotBehind(x);
  const int64_t rank = static_cast<int64_t>(place.size());
  if (dot == nullptr || x.shape().rank() != rank || !dot->attributes<DotAttributes>().lhs_batch_dims.empty()) {
    return false;
  }
  // The result's long dimensions are those of lhs, then those of rhs.
  const int64_t lhs_count = FreeCount(*dot, 0);
  const size_t from_lhs = Long(Counting(lhs_count), dot->shape()).size();
  DimensionVector exchanged = Long(Counting(rank), x.shape());
  std::rotate(exchanged.begin(), exchanged.begin() + from_lhs, exchanged.end());
  return exchanged == Long(InversePermutation(place), x.shape());
}

// The dot with its operands exchanged, reshaped to the transposed shape. Precisions go with the operands.
HloInstruction* WithExchangedOperands(const HloInstruction& dot, const Shape& shape, const DimensionVector& place,
                                      InstructionBuilder& build) {
  DotAttributes a = dot.attributes<DotAttributes>();
  std::swap(a.lhs_contracting_dims, a.rhs_contracting_dims);
  std::reverse(a.operand_precision.begin(), a.operand_precision.end());
  DimensionVector sizes(dot.shape().dimensions().begin(), dot.shape().dimensions().end());
  std::rotate(sizes.begin(), sizes.begin() + FreeCount(dot, 0), sizes.end());
  HloInstruction* const exchanged =
      build.MakeOfShape(HloOpcode::kDot, Shape::Array(dot.shape().element_type(), sizes),
                        {dot.operand(1), dot.operand(0)}, std::make_unique<DotAttributes>(std::move(a)));
  return build.Reshape(exchanged, Permuted(shape.dimensions(), InversePermutation(place)));
}

}  // namespace xla
