// Rules for slice. They move slices towards where arrays are made, past operations that then have less to do: past
// reshapes, transposes, reversals, concatenations, pads and, if at most half is read, elementwise operations. A slice
// only moves past an operation with no other use, since otherwise work would be done twice.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "passes/algebra/movement.h"
#include "passes/algebra/shape_rules.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

using Ranges = std::vector<SliceRange>;

const Ranges& RangesOf(const HloInstruction& slice) { return slice.attributes<SliceAttributes>().ranges; }

int64_t Count(const SliceRange& range) { return CeilDiv(range.limit - range.start, range.stride); }

SliceRange Whole(int64_t size) { return {0, size, 1}; }

HloInstruction* RemoveIdentitySlice(HloInstruction* root, const RuleContext&) {
  return root->shape().SameDimensions(root->operand(0)->shape()) ? root->operand(0) : nullptr;
}

// Result i is element start + i * stride of the inner slice, so inner.start + (start + i * stride) * inner.stride. All
// of these are less than the size of the dimension where there is such an element.
HloInstruction* SliceOfSlice(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const inner = root->operand(0);
  if (inner->opcode() != HloOpcode::kSlice || root->shape().ElementCount() == 0) return nullptr;
  Ranges ranges;
  for (int d = 0; d < root->shape().rank(); ++d) {
    const SliceRange& from = RangesOf(*inner)[d];
    const SliceRange& by = RangesOf(*root)[d];
    const int64_t count = Count(by);
    const int64_t start = from.start + by.start * from.stride;
    const int64_t stride = count == 1 ? 1 : from.stride * by.stride;
    ranges.push_back({start, start + (count - 1) * stride + 1, stride});
  }
  return MakeSlice(inner->operand(0), ranges, context.build);
}

// The operands of the concatenation that a slice reads are cut out; those that it does not touch are left out.
HloInstruction* SliceOfConcatenate(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const concatenate = root->operand(0);
  if (concatenate->opcode() != HloOpcode::kConcatenate) return nullptr;
  const int d = static_cast<int>(concatenate->attributes<DimensionAttributes>().dimension);
  Ranges ranges = RangesOf(*root);
  if (Count(ranges[d]) == 0) return nullptr;
  const int64_t first = ranges[d].start;
  const int64_t last = first + (Count(ranges[d]) - 1) * ranges[d].stride;
  std::vector<HloInstruction*> touched;
  int64_t offset = 0, offset_of_first = 0;
  for (HloInstruction* operand : concatenate->operands()) {
    const int64_t end = offset + operand->shape().dimension(d);
    if (first < end && offset <= last) {
      if (touched.empty()) offset_of_first = offset;
      touched.push_back(operand);
    }
    offset = end;
  }
  if (static_cast<int>(touched.size()) == concatenate->operand_count()) return nullptr;
  if (touched.size() > 1 && !HasOneUse(*concatenate)) return nullptr;
  ranges[d] = {first - offset_of_first, last + 1 - offset_of_first, ranges[d].stride};
  HloInstruction* const source = touched.size() == 1 ? touched[0] : context.build.Concatenate(touched, d);
  return MakeSlice(source, ranges, context.build);
}

// Whether a slice's range of a padded dimension holds nothing but padding.
bool IsAllPadding(const SliceRange& range, const PaddingDimension& padding, int64_t size) {
  const int64_t first = range.start - padding.low;
  const int64_t last = first + (Count(range) - 1) * range.stride;
  return size == 0 || last < 0 || first >= size;
}

// Without padding between elements, and where nothing is cut: PadOfNegative has those.
HloInstruction* SliceOfPad(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const pad = root->operand(0);
  if (pad->opcode() != HloOpcode::kPad || root->shape().ElementCount() == 0) return nullptr;
  HloInstruction* const x = pad->operand(0);
  const Ranges& ranges = RangesOf(*root);
  Ranges inner;
  PaddingConfig outer;
  bool is_padding = false, is_simple = true;
  for (int d = 0; d < root->shape().rank(); ++d) {
    const PaddingDimension& padding = pad->attributes<PadAttributes>().padding[d];
    const SliceRange& range = ranges[d];
    const int64_t size = x->shape().dimension(d);
    if (padding.low < 0 || padding.high < 0 || padding.interior != 0) {
      is_simple = false;
      continue;
    }
    is_padding = is_padding || IsAllPadding(range, padding, size);
    const int64_t first = range.start - padding.low;
    const int64_t last = first + (Count(range) - 1) * range.stride;
    if (first >= 0 && last < size) {
      inner.push_back({first, last + 1, range.stride});
      outer.push_back({0, 0, 0});
    } else if (range.stride == 1) {
      inner.push_back({std::max<int64_t>(first, 0), std::min(last + 1, size), 1});
      outer.push_back({std::max<int64_t>(-first, 0), std::max<int64_t>(last + 1 - size, 0), 0});
    } else {
      is_simple = false;
    }
  }
  if (is_padding) return context.build.BroadcastScalar(pad->operand(1), root->shape());
  if (!is_simple) return nullptr;
  const bool pads =
      std::any_of(outer.begin(), outer.end(), [](const PaddingDimension& p) { return p.low + p.high != 0; });
  HloInstruction* const sliced = MakeSlice(x, inner, context.build);
  if (!pads) return sliced;
  return HasOneUse(*pad) ? context.build.Pad(sliced, pad->operand(1), outer) : nullptr;
}

HloInstruction* SliceOfBroadcast(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const broadcast = root->operand(0);
  if (broadcast->opcode() != HloOpcode::kBroadcast) return nullptr;
  HloInstruction* const x = broadcast->operand(0);
  Ranges inner;
  for (const int64_t d : DimensionsOf(*broadcast)) inner.push_back(RangesOf(*root)[d]);
  HloInstruction* const sliced = inner.empty() ? x : MakeSlice(x, inner, context.build);
  return context.build.Broadcast(sliced, root->shape().dimensions(), DimensionsOf(*broadcast));
}

// Only a slice that begins with 0 and leaves nothing out is an iota again. Others would need a sum and a product
// besides, which round in floats.
HloInstruction* SliceOfIota(HloInstruction* root, const RuleContext& context) {
  const HloInstruction* const iota = root->operand(0);
  if (iota->opcode() != HloOpcode::kIota) return nullptr;
  const int64_t dimension = iota->attributes<IotaAttributes>().iota_dimension;
  const SliceRange& range = RangesOf(*root)[dimension];
  if (Count(range) > 0 && (range.start != 0 || (range.stride != 1 && Count(range) > 1))) return nullptr;
  return context.build.Iota(root->shape(), dimension);
}

// Slices what the reverse would move to that place. A stride needs care: the last element read becomes the first.
HloInstruction* SliceOfReverse(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const reverse = root->operand(0);
  if (reverse->opcode() != HloOpcode::kReverse || !HasOneUse(*reverse) || root->shape().ElementCount() == 0) {
    return nullptr;
  }
  Ranges ranges = RangesOf(*root);
  for (const int64_t d : DimensionsOf(*reverse)) {
    // Element i of the reversed dimension is element size - 1 - i; the last that is read comes first.
    SliceRange& range = ranges[d];
    const int64_t first = reverse->shape().dimension(static_cast<int>(d)) - 1 - range.start;
    const int64_t last = first - (Count(range) - 1) * range.stride;
    range = {last, first + 1, range.stride};
  }
  return context.build.Reverse(MakeSlice(reverse->operand(0), ranges, context.build), DimensionsOf(*reverse));
}

HloInstruction* SliceOfTranspose(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const transpose = root->operand(0);
  if (transpose->opcode() != HloOpcode::kTranspose || !HasOneUse(*transpose)) return nullptr;
  const DimensionVector& permutation = DimensionsOf(*transpose);
  Ranges ranges(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) ranges[permutation[i]] = RangesOf(*root)[i];
  return context.build.Transpose(MakeSlice(transpose->operand(0), ranges, context.build), permutation);
}

// The ranges of x's dimensions of a group, if slicing the dimensions that they become comes to slicing them: the slice
// may leave out neighbouring rows of the group's first dimension, be it cut into rows in another way. False if not.
bool GroupRanges(const DimensionGroup& group, absl::Span<const int64_t> from, absl::Span<const int64_t> to,
                 const Ranges& ranges, Ranges& result) {
  if (group.IsOneToOne()) {
    result.push_back(ranges[group.to_begin]);
    return true;
  }
  const auto from_sizes = from.subspan(group.from_begin, group.from_count());
  // The elements of the group that are read, as if it were one dimension.
  const int64_t size = Product(from_sizes);
  int64_t start = 0, limit = size;
  bool is_first = true;
  for (int d = group.to_begin; d < group.to_end; ++d) {
    if (to[d] == 1) continue;
    if (Count(ranges[d]) != to[d]) {
      if (!is_first || ranges[d].stride != 1) return false;
      start = size / to[d] * ranges[d].start;
      limit = size / to[d] * ranges[d].limit;
    }
    is_first = false;
  }
  int64_t row = size;
  is_first = true;
  for (const int64_t from_size : from_sizes) {
    row /= from_size;
    if (from_size == 1 || !is_first) {
      result.push_back(Whole(from_size));
      continue;
    }
    if (start % row != 0 || limit % row != 0) return false;
    result.push_back({start / row, limit / row, 1});
    is_first = false;
  }
  return true;
}

// Slices the operand, if the slice is a range of whole rows of it in every group of dimensions.
HloInstruction* SliceOfReshape(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const reshape = root->operand(0);
  if (reshape->opcode() != HloOpcode::kReshape || !HasOneUse(*reshape) || root->shape().ElementCount() == 0) {
    return nullptr;
  }
  const auto from = reshape->operand(0)->shape().dimensions();
  const auto to = reshape->shape().dimensions();
  Ranges ranges;
  for (const DimensionGroup& group : CommonGroups(from, to)) {
    if (!GroupRanges(group, from, to, RangesOf(*root), ranges)) return nullptr;
  }
  return context.build.Reshape(MakeSlice(reshape->operand(0), ranges, context.build), root->shape().dimensions());
}

// Where at most half of the results are asked for.
// Scalars are operands of all elements (clamp's bounds, select's predicate) and are not sliced.
HloInstruction* SliceOfElementwise(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const op = root->operand(0);
  if (!IsElementwise(op->opcode()) || op->opcode() == HloOpcode::kCopy || !HasOneUse(*op) ||
      root->shape().ElementCount() > op->shape().ElementCount() / 2) {
    return nullptr;
  }
  std::vector<HloInstruction*> operands;
  for (HloInstruction* operand : op->operands()) {
    const bool is_scalar = operand->shape().rank() == 0;
    operands.push_back(is_scalar ? operand : MakeSlice(operand, RangesOf(*root), context.build));
  }
  return context.build.MakeOfShape(op->opcode(), root->shape().WithoutLayout(), operands,
                                   op->raw_attributes() == nullptr ? nullptr : op->raw_attributes()->Clone());
}

}  // namespace

const RuleList& SliceRules() {
  static const std::vector<HloOpcode> slice = {HloOpcode::kSlice};
  static const auto* const rules = new RuleList{
      {"remove-identity-slice", "slice(x) of all of x => x", slice, &RemoveIdentitySlice},
      {"slice-of-slice", "slice(slice(x)) => slice(x)", slice, &SliceOfSlice},
      {"slice-of-broadcast", "slice(broadcast(x)) => broadcast(slice(x))", slice, &SliceOfBroadcast},
      {"slice-of-iota", "slice(iota) => iota  (if it begins with 0)", slice, &SliceOfIota},
      {"slice-of-concatenate",
       "slice(concatenate(x, y, z)) => slice(concatenate(x, y))  (without what it does not read)", slice,
       &SliceOfConcatenate},
      {"slice-of-pad", "slice(pad(x, v)) => pad(slice(x), v), or slice(x), or broadcast(v)", slice, &SliceOfPad},
      {"slice-of-reverse", "slice(reverse(x)) => reverse(slice(x))  (with no other use)", slice, &SliceOfReverse},
      {"slice-of-transpose", "slice(transpose(x)) => transpose(slice(x))  (with no other use)", slice,
       &SliceOfTranspose},
      {"slice-of-reshape", "slice(reshape(x)) => reshape(slice(x))  (with no other use, if whole rows of x are read)",
       slice, &SliceOfReshape},
      {"slice-of-elementwise",
       "slice(op(x, y)) => op(slice(x), slice(y))  (with no other use, if at most half is read)", slice,
       &SliceOfElementwise},
  };
  return *rules;
}

}  // namespace xla
