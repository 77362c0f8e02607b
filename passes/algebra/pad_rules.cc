// Rules for pad, concatenate and reverse.
//
// They remove what moves nothing, join neighbours that one operation can stand for, and turn sums of zero-padded
// arrays into concatenations. All are exact. What is cut by negative padding is cut first (pad-of-negative), so that
// other rules need only know padding that adds.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "passes/algebra/movement.h"
#include "passes/algebra/shape_rules.h"
#include "passes/algebra/splat_number.h"
#include "passes/algebra/value_facts.h"

namespace xla {
namespace {

const PaddingConfig& PaddingOf(const HloInstruction& pad) { return pad.attributes<PadAttributes>().padding; }

int DimensionOf(const HloInstruction& concatenate) {
  return static_cast<int>(concatenate.attributes<DimensionAttributes>().dimension);
}

// ---- pad

// Interior padding of one element or none pads nothing.
HloInstruction* RemoveIdentityPad(HloInstruction* root, const RuleContext&) {
  HloInstruction* const x = root->operand(0);
  for (int d = 0; d < root->shape().rank(); ++d) {
    const PaddingDimension& padding = PaddingOf(*root)[d];
    if (padding.low != 0 || padding.high != 0 || (padding.interior != 0 && x->shape().dimension(d) > 1)) return nullptr;
  }
  return x;
}

HloInstruction* PadOfNothing(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const x = root->operand(0);
  HloInstruction* const value = root->operand(1);
  HloInstruction* const scalar = RepeatedScalar(*x);
  const bool is_all_padding = x->shape().ElementCount() == 0 || (scalar != nullptr && IsSameScalar(*scalar, *value));
  return is_all_padding ? context.build.BroadcastScalar(value, root->shape()) : nullptr;
}

// What is cut is cut first, so that nothing grows on the way. Not where interior padding could be cut.
HloInstruction* PadOfNegative(HloInstruction* root, const RuleContext& context) {
  HloInstruction* x = root->operand(0);
  PaddingConfig config = PaddingOf(*root);
  DimensionVector starts, limits;
  bool cuts = false, pads = false;
  for (int d = 0; d < root->shape().rank(); ++d) {
    PaddingDimension& padding = config[d];
    const int64_t size = x->shape().dimension(d);
    starts.push_back(0);
    limits.push_back(size);
    if (padding.interior == 0 && (padding.low < 0 || padding.high < 0)) {
      // Result element o is element o - low of x.
      const int64_t result = root->shape().dimension(d);
      starts.back() = padding.low < 0 ? -std::max(padding.low, -size) : 0;
      limits.back() = padding.high < 0 ? std::max(size + padding.high, starts.back()) : size;
      padding.low = std::min(std::max<int64_t>(padding.low, 0), result);
      padding.high = result - padding.low - (limits.back() - starts.back());
      cuts = true;
    }
    pads = pads || padding.low != 0 || padding.high != 0 || padding.interior != 0;
  }
  if (!cuts) return nullptr;
  HloInstruction* const kept = context.build.Slice(x, starts, limits);
  return pads ? context.build.Pad(kept, root->operand(1), config) : kept;
}

// Interior padding of the inner pad stays; that of the outer one would also go between the inner padding.
HloInstruction* PadOfPad(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const inner = root->operand(0);
  if (inner->opcode() != HloOpcode::kPad || !IsSameScalar(*root->operand(1), *inner->operand(1))) return nullptr;
  PaddingConfig merged = PaddingOf(*inner);
  for (size_t d = 0; d < merged.size(); ++d) {
    const PaddingDimension& outer = PaddingOf(*root)[d];
    if (outer.interior != 0 || outer.low < 0 || outer.high < 0 || merged[d].low < 0 || merged[d].high < 0) {
      return nullptr;
    }
    merged[d].low += outer.low;
    merged[d].high += outer.high;
  }
  return context.build.Pad(inner->operand(0), inner->operand(1), merged);
}

// ---- concatenate

HloInstruction* ConcatenateOfOne(HloInstruction* root, const RuleContext&) {
  return root->operand_count() == 1 ? root->operand(0) : nullptr;
}

HloInstruction* DropEmptyOperands(HloInstruction* root, const RuleContext& context) {
  std::vector<HloInstruction*> kept;
  for (HloInstruction* operand : root->operands()) {
    if (operand->shape().dimension(DimensionOf(*root)) != 0) kept.push_back(operand);
  }
  if (kept.empty() || static_cast<int>(kept.size()) == root->operand_count()) return nullptr;
  return context.build.Concatenate(kept, DimensionOf(*root));
}

// Each level of a nest is copied to the next one, so there is an end to it.
HloInstruction* FlattenConcatenate(HloInstruction* root, const RuleContext& context) {
  constexpr size_t kMostOperands = 1024;
  std::vector<HloInstruction*> flat;
  bool is_nested = false;
  for (HloInstruction* operand : root->operands()) {
    const bool is_inner = operand->opcode() == HloOpcode::kConcatenate && DimensionOf(*operand) == DimensionOf(*root) &&
                          HasOneUse(*operand);
    is_nested = is_nested || is_inner;
    if (is_inner) {
      flat.insert(flat.end(), operand->operands().begin(), operand->operands().end());
    } else {
      flat.push_back(operand);
    }
  }
  return is_nested && flat.size() <= kMostOperands ? context.build.Concatenate(flat, DimensionOf(*root)) : nullptr;
}

// Whether `right` goes on in dimension d where `left` ends, both being slices of one array.
bool AreAdjacentSlices(const HloInstruction& left, const HloInstruction& right, int d) {
  if (left.opcode() != HloOpcode::kSlice || right.opcode() != HloOpcode::kSlice ||
      left.operand(0) != right.operand(0)) {
    return false;
  }
  const auto& a = left.attributes<SliceAttributes>().ranges;
  const auto& b = right.attributes<SliceAttributes>().ranges;
  for (size_t i = 0; i < a.size(); ++i) {
    if (static_cast<int>(i) != d && !(a[i] == b[i])) return false;
  }
  return a[d].stride == 1 && b[d].stride == 1 && a[d].limit == b[d].start;
}

// Runs of at least two neighbours that one operand can stand for.
HloInstruction* MergeNeighbours(HloInstruction* root, InstructionBuilder& build,
                                bool (*belong_together)(const HloInstruction&, const HloInstruction&, int),
                                HloInstruction* (*merge)(absl::Span<HloInstruction* const>, int, InstructionBuilder&)) {
  const int d = DimensionOf(*root);
  const auto operands = root->operands();
  std::vector<HloInstruction*> merged;
  for (size_t begin = 0, end; begin < operands.size(); begin = end) {
    end = begin + 1;
    while (end < operands.size() && belong_together(*operands[end - 1], *operands[end], d)) ++end;
    merged.push_back(end - begin == 1 ? operands[begin] : merge(operands.subspan(begin, end - begin), d, build));
  }
  if (merged.size() == operands.size()) return nullptr;
  return merged.size() == 1 ? merged[0] : build.Concatenate(merged, d);
}

HloInstruction* MergeSlices(absl::Span<HloInstruction* const> slices, int d, InstructionBuilder& build) {
  DimensionVector starts, limits, strides;
  for (const SliceRange& range : slices[0]->attributes<SliceAttributes>().ranges) {
    starts.push_back(range.start);
    limits.push_back(range.limit);
    strides.push_back(range.stride);
  }
  limits[d] = slices.back()->attributes<SliceAttributes>().ranges[d].limit;
  return build.Slice(slices[0]->operand(0), starts, limits, strides);
}

HloInstruction* ConcatenateOfSlices(HloInstruction* root, const RuleContext& context) {
  return MergeNeighbours(root, context.build, &AreAdjacentSlices, &MergeSlices);
}

// Whether both repeat the same along dimension d, so that together they repeat it more often.
bool RepeatTheSame(const HloInstruction& left, const HloInstruction& right, int d) {
  if (left.opcode() != HloOpcode::kBroadcast || right.opcode() != HloOpcode::kBroadcast) return false;
  const DimensionVector& places = DimensionsOf(left);
  if (places != DimensionsOf(right) || HasDimension(places, d)) return false;
  return left.operand(0) == right.operand(0) || (places.empty() && IsSameScalar(*left.operand(0), *right.operand(0)));
}

HloInstruction* MergeBroadcasts(absl::Span<HloInstruction* const> broadcasts, int d, InstructionBuilder& build) {
  Shape shape = broadcasts[0]->shape();
  int64_t size = 0;
  for (const HloInstruction* broadcast : broadcasts) size += broadcast->shape().dimension(d);
  shape.set_dimension(d, size);
  return build.Broadcast(broadcasts[0]->operand(0), shape.dimensions(), DimensionsOf(*broadcasts[0]));
}

HloInstruction* ConcatenateOfBroadcasts(HloInstruction* root, const RuleContext& context) {
  return MergeNeighbours(root, context.build, &RepeatTheSame, &MergeBroadcasts);
}

HloInstruction* ConcatenateOfSame(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const x = root->operand(0);
  const int d = DimensionOf(*root);
  if (root->operand_count() == 1 || x->shape().dimension(d) != 1) return nullptr;
  const auto operands = root->operands();
  if (!std::all_of(operands.begin(), operands.end(), [x](const HloInstruction* o) { return o == x; })) return nullptr;
  const DimensionVector other = OtherDimensions(x->shape().rank(), {d});
  return context.build.Broadcast(context.build.Reshape(x, Permuted(x->shape().dimensions(), other)),
                                 root->shape().dimensions(), other);
}

// One array between scalars that are repeated.
HloInstruction* ConcatenateToPad(HloInstruction* root, const RuleContext& context) {
  const int d = DimensionOf(*root);
  if (root->operand_count() == 1) return nullptr;
  HloInstruction* array = nullptr;
  HloInstruction* value = nullptr;
  PaddingDimension padding;
  for (HloInstruction* operand : root->operands()) {
    HloInstruction* const scalar = RepeatedScalar(*operand);
    if (scalar == nullptr) {
      if (array != nullptr) return nullptr;
      array = operand;
      continue;
    }
    if (value != nullptr && !IsSameScalar(*value, *scalar)) return nullptr;
    value = scalar;
    (array == nullptr ? padding.low : padding.high) += operand->shape().dimension(d);
  }
  if (array == nullptr || value == nullptr) return nullptr;
  PaddingConfig config(root->shape().rank());
  config[d] = padding;
  return context.build.Pad(array, value, config);
}

// ---- reverse

HloInstruction* ReverseOfOne(HloInstruction* root, const RuleContext& context) {
  DimensionVector reversed;
  for (const int64_t d : DimensionsOf(*root)) {
    if (root->shape().dimension(static_cast<int>(d)) > 1) reversed.push_back(d);
  }
  if (reversed.empty()) return root->operand(0);
  if (reversed.size() == DimensionsOf(*root).size()) return nullptr;
  return context.build.Reverse(root->operand(0), reversed);
}

HloInstruction* ReverseOfReverse(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const inner = root->operand(0);
  if (inner->opcode() != HloOpcode::kReverse) return nullptr;
  DimensionVector reversed;
  for (int64_t d = 0; d < root->shape().rank(); ++d) {
    if (HasDimension(DimensionsOf(*root), d) != HasDimension(DimensionsOf(*inner), d)) reversed.push_back(d);
  }
  return reversed.empty() ? inner->operand(0) : context.build.Reverse(inner->operand(0), reversed);
}

// Dimensions that the broadcast adds hold equal elements and need no reversal.
HloInstruction* ReverseOfBroadcast(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const broadcast = root->operand(0);
  if (broadcast->opcode() != HloOpcode::kBroadcast) return nullptr;
  const DimensionVector& places = DimensionsOf(*broadcast);
  DimensionVector reversed;
  for (size_t i = 0; i < places.size(); ++i) {
    if (HasDimension(DimensionsOf(*root), places[i])) reversed.push_back(static_cast<int64_t>(i));
  }
  HloInstruction* x = broadcast->operand(0);
  if (!reversed.empty()) x = context.build.Reverse(x, reversed);
  return context.build.Broadcast(x, root->shape().dimensions(), places);
}

HloInstruction* ReverseOfIota(HloInstruction* root, const RuleContext& context) {
  const HloInstruction* const iota = root->operand(0);
  if (iota->opcode() != HloOpcode::kIota) return nullptr;
  const int64_t dimension = iota->attributes<IotaAttributes>().iota_dimension;
  return HasDimension(DimensionsOf(*root), dimension) ? nullptr : context.build.Iota(root->shape(), dimension);
}

// ---- sums of pads

// The only dimension that a pad makes longer, at one end and with nothing between the elements; -1 for others.
int DimensionAtOneEnd(const HloInstruction& pad) {
  int result = -1;
  for (int d = 0; d < pad.shape().rank(); ++d) {
    const PaddingDimension& padding = PaddingOf(pad)[d];
    if (padding == PaddingDimension()) continue;
    const bool at_one_end =
        padding.interior == 0 && padding.low >= 0 && padding.high >= 0 && (padding.low == 0) != (padding.high == 0);
    if (result >= 0 || !at_one_end) return -1;
    result = d;
  }
  return result;
}

// Two pads with zeros that fill in each other's elements, which are joined instead: add(pad(x, high=n), pad(y, low=m))
// is concatenate(x, y) where x has m elements along the dimension and y has n. `is_zero`: what adding leaves the
// elements of the other pad as they are.
template <typename IsZero>
HloInstruction* JoinPads(HloInstruction* root, const RuleContext& context, const IsZero& is_zero) {
  HloInstruction* first = root->operand(0);
  HloInstruction* second = root->operand(1);
  if (first->opcode() != HloOpcode::kPad || second->opcode() != HloOpcode::kPad || first == second) return nullptr;
  const int d = DimensionAtOneEnd(*first);
  if (d < 0 || DimensionAtOneEnd(*second) != d) return nullptr;
  if (PaddingOf(*first)[d].high == 0) std::swap(first, second);
  if (PaddingOf(*first)[d].high != second->operand(0)->shape().dimension(d) ||
      PaddingOf(*second)[d].low != first->operand(0)->shape().dimension(d) ||
      !is_zero(*first->operand(1), *second->operand(0)) || !is_zero(*second->operand(1), *first->operand(0))) {
    return nullptr;
  }
  return context.build.Concatenate({first->operand(0), second->operand(0)}, d);
}

HloInstruction* AddOfPads(HloInstruction* root, const RuleContext& context) {
  return JoinPads(root, context, [](const HloInstruction& value, const HloInstruction& other) {
    return IsNeutralZero(value) ||
           (IsFloat(value.shape().element_type()) && IsSplatOf(value, 0) && NeverNegativeZero(other));
  });
}

HloInstruction* AddOfPadsWithAnyZero(HloInstruction* root, const RuleContext& context) {
  return JoinPads(root, context, [](const HloInstruction& value, const HloInstruction&) { return IsAnyZero(value); });
}

}  // namespace

const RuleList& PadRules() {
  static const std::vector<HloOpcode> pad = {HloOpcode::kPad};
  static const std::vector<HloOpcode> concatenate = {HloOpcode::kConcatenate};
  static const std::vector<HloOpcode> reverse = {HloOpcode::kReverse};
  static const auto* const rules = new RuleList{
      {"remove-identity-pad", "pad(x, v) by nothing => x", pad, &RemoveIdentityPad},
      {"pad-of-nothing", "pad(empty, v) => broadcast(v); pad(broadcast(v), v) => broadcast(v)", pad, &PadOfNothing},
      {"pad-of-negative", "pad(x, v), padding=-1_2 => pad(slice(x)[1:], v), padding=0_2", pad, &PadOfNegative},
      {"pad-of-pad", "pad(pad(x, v), v) => pad(x, v)", pad, &PadOfPad},
      {"concatenate-of-one", "concatenate(x) => x", concatenate, &ConcatenateOfOne},
      {"drop-empty-operands", "concatenate(x, empty, y) => concatenate(x, y)", concatenate, &DropEmptyOperands},
      {"flatten-concatenate", "concatenate(x, concatenate(y, z)) => concatenate(x, y, z)", concatenate,
       &FlattenConcatenate},
      {"concatenate-of-slices", "concatenate(slice(x)[0:2], slice(x)[2:5]) => slice(x)[0:5]", concatenate,
       &ConcatenateOfSlices},
      {"concatenate-of-broadcasts", "concatenate(broadcast(x), broadcast(x)) => broadcast(x)  (along a new dimension)",
       concatenate, &ConcatenateOfBroadcasts},
      {"concatenate-of-same", "concatenate(x, x) => broadcast(x)  (along a dimension of size 1)", concatenate,
       &ConcatenateOfSame},
      {"concatenate-to-pad", "concatenate(broadcast(v), x, broadcast(v)) => pad(x, v)", concatenate, &ConcatenateToPad},
      {"add-of-pads",
       "add(pad(x, 0), pad(y, 0)) => concatenate(x, y)  (floats: padded with -0, or never -0)",
       {HloOpcode::kAdd},
       &AddOfPads},
      {"add-of-pads-with-any-zero",
       "add(pad(x, 0), pad(y, 0)) => concatenate(x, y)",
       {HloOpcode::kAdd},
       &AddOfPadsWithAnyZero,
       kNoSignedZeros},
      {"reverse-of-one", "reverse(x) => x  (dimensions of size 1 or 0)", reverse, &ReverseOfOne},
      {"reverse-of-reverse", "reverse(reverse(x)) => x  (the dimensions that both reverse)", reverse,
       &ReverseOfReverse},
      {"reverse-of-broadcast", "reverse(broadcast(x)) => broadcast(reverse(x))  (or of x)", reverse,
       &ReverseOfBroadcast},
      {"reverse-of-iota", "reverse(iota) => iota  (along another dimension)", reverse, &ReverseOfIota},
  };
  return *rules;
}

}  // namespace xla
