// Rules for dynamic-slice and dynamic-update-slice. Both clamp: a window that starts too far out is moved inside.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "passes/algebra/indexing_rules.h"
#include "passes/algebra/movement.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

using Instructions = std::vector<HloInstruction*>;

// A window of an array: scalar start indices, one for each dimension, from operand `first` on.
struct DynamicWindow {
  Instructions starts;
  DimensionVector sizes;
};

// nullopt where old files give all start indices as one array.
absl::optional<DynamicWindow> WindowOf(const HloInstruction& root, int first, absl::Span<const int64_t> sizes) {
  DynamicWindow window;
  window.sizes.assign(sizes.begin(), sizes.end());
  for (int i = first; i < root.operand_count(); ++i) {
    if (root.operand(i)->shape().rank() != 0) return absl::nullopt;
    window.starts.push_back(root.operand(i));
  }
  return window;
}

absl::optional<DynamicWindow> WindowOfSlice(const HloInstruction& slice) {
  return WindowOf(slice, 1, slice.attributes<DynamicSliceAttributes>().slice_sizes);
}

absl::optional<DynamicWindow> WindowOfUpdate(const HloInstruction& update) {
  return WindowOf(update, 2, update.operand(1)->shape().dimensions());
}

absl::optional<DynamicWindow> WindowOfEither(const HloInstruction& root) {
  return root.opcode() == HloOpcode::kDynamicSlice ? WindowOfSlice(root) : WindowOfUpdate(root);
}

bool IsSameWindow(const DynamicWindow& a, const DynamicWindow& b) {
  if (a.sizes != b.sizes) return false;
  for (size_t i = 0; i < a.starts.size(); ++i) {
    if (!IsSameScalar(*a.starts[i], *b.starts[i])) return false;
  }
  return true;
}

// The clamped starts, if all are known.
absl::optional<DimensionVector> KnownStarts(const DynamicWindow& window, const Shape& array) {
  DimensionVector starts;
  for (size_t d = 0; d < window.starts.size(); ++d) {
    const int64_t last = array.dimension(static_cast<int>(d)) - window.sizes[d];
    if (last == 0) {
      starts.push_back(0);
      continue;
    }
    const absl::optional<int64_t> start = SplatInteger(*window.starts[d]);
    if (!start.has_value()) return absl::nullopt;
    starts.push_back(std::min(std::max<int64_t>(*start, 0), last));
  }
  return starts;
}

HloInstruction* ZeroLike(const HloInstruction& scalar, InstructionBuilder& build) {
  return build.Zero(scalar.shape().element_type());
}

bool IsKnownZero(const HloInstruction& scalar) { return SplatInteger(scalar) == absl::optional<int64_t>(0); }

// ---- both

// A window as long as the array starts at 0, whatever is asked for.
HloInstruction* ZeroStartOfWhole(HloInstruction* root, const RuleContext& context) {
  const absl::optional<DynamicWindow> window = WindowOfEither(*root);
  if (!window.has_value()) return nullptr;
  Instructions starts = window->starts;
  bool changes = false;
  for (size_t d = 0; d < starts.size(); ++d) {
    const bool is_whole = window->sizes[d] == root->operand(0)->shape().dimension(static_cast<int>(d));
    if (!is_whole || IsKnownZero(*starts[d])) continue;
    starts[d] = ZeroLike(*starts[d], context.build);
    changes = true;
  }
  if (!changes) return nullptr;
  return root->opcode() == HloOpcode::kDynamicSlice
             ? context.build.DynamicSlice(root->operand(0), starts, window->sizes)
             : context.build.DynamicUpdateSlice(root->operand(0), root->operand(1), starts);
}

// ---- dynamic-slice

// clamp(0, start, last) + offset, in the type of `start`; nullopt if that does not fit in the type. A window that is
// not smaller than before needs no clamping.
absl::optional<HloInstruction*> StartWithin(HloInstruction* start, int64_t last, int64_t offset, bool is_whole,
                                            InstructionBuilder& build) {
  if (is_whole) return start;
  const PrimitiveType type = start->shape().element_type();
  if (!LiteralUtil::Number(type, last + offset).ok()) return absl::nullopt;
  if (last == 0) return build.Scalar(type, offset);
  HloInstruction* const clamped = build.Clamp(build.Zero(type), start, build.Scalar(type, last));
  return offset == 0 ? clamped : build.Add(clamped, build.Scalar(type, offset));
}

HloInstruction* DynamicSliceOfWhole(HloInstruction* root, const RuleContext&) {
  return root->shape().SameDimensions(root->operand(0)->shape()) ? root->operand(0) : nullptr;
}

HloInstruction* DynamicSliceToSlice(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const x = root->operand(0);
  const absl::optional<DynamicWindow> window = WindowOfSlice(*root);
  if (!window.has_value()) return nullptr;
  const absl::optional<DimensionVector> starts = KnownStarts(*window, x->shape());
  if (!starts.has_value()) return nullptr;
  DimensionVector limits;
  for (size_t d = 0; d < starts->size(); ++d) limits.push_back((*starts)[d] + window->sizes[d]);
  return context.build.Slice(x, *starts, limits);
}

// Slices the operand instead, along the dimensions that it has; the other ones are repetitions.
HloInstruction* DynamicSliceOfBroadcast(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const broadcast = root->operand(0);
  const absl::optional<DynamicWindow> window = WindowOfSlice(*root);
  if (broadcast->opcode() != HloOpcode::kBroadcast || !window.has_value()) return nullptr;
  HloInstruction* x = broadcast->operand(0);
  Instructions starts;
  DimensionVector sizes;
  for (const int64_t d : DimensionsOf(*broadcast)) {
    starts.push_back(window->starts[d]);
    sizes.push_back(window->sizes[d]);
  }
  if (!starts.empty()) x = context.build.DynamicSlice(x, starts, sizes);
  return context.build.Broadcast(x, root->shape().dimensions(), DimensionsOf(*broadcast));
}

HloInstruction* DynamicSliceOfIota(HloInstruction* root, const RuleContext& context) {
  const HloInstruction* const iota = root->operand(0);
  if (iota->opcode() != HloOpcode::kIota) return nullptr;
  const int64_t dimension = iota->attributes<IotaAttributes>().iota_dimension;
  const int d = static_cast<int>(dimension);
  return root->shape().dimension(d) == iota->shape().dimension(d) ? context.build.Iota(root->shape(), dimension)
                                                                  : nullptr;
}

// Slices first and transposes less. The starts trade places with the dimensions.
HloInstruction* DynamicSliceOfTranspose(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const transpose = root->operand(0);
  const absl::optional<DynamicWindow> window = WindowOfSlice(*root);
  if (transpose->opcode() != HloOpcode::kTranspose || !HasOneUse(*transpose) || !window.has_value()) return nullptr;
  const DimensionVector& permutation = DimensionsOf(*transpose);
  DynamicWindow source = *window;
  for (size_t i = 0; i < permutation.size(); ++i) {
    source.starts[permutation[i]] = window->starts[i];
    source.sizes[permutation[i]] = window->sizes[i];
  }
  return context.build.Transpose(context.build.DynamicSlice(transpose->operand(0), source.starts, source.sizes),
                                 permutation);
}

// Of a reshape that adds or removes dimensions of size 1.
HloInstruction* DynamicSliceOfReshape(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const reshape = root->operand(0);
  const absl::optional<DynamicWindow> window = WindowOfSlice(*root);
  if (!IsDegenerateReshape(*reshape) || !HasOneUse(*reshape) || !window.has_value() || window->starts.empty() ||
      root->shape().ElementCount() == 0) {
    return nullptr;
  }
  HloInstruction* const x = reshape->operand(0);
  DynamicWindow source;
  for (const DimensionGroup& group : CommonGroups(x->shape().dimensions(), reshape->shape().dimensions())) {
    if (group.from_count() == 0) continue;
    const bool is_kept = group.to_count() == 1;
    source.starts.push_back(is_kept ? window->starts[group.to_begin] : ZeroLike(*window->starts[0], context.build));
    source.sizes.push_back(is_kept ? window->sizes[group.to_begin] : 1);
  }
  HloInstruction* const sliced = source.starts.empty() ? x : context.build.DynamicSlice(x, source.starts, source.sizes);
  return context.build.Reshape(sliced, root->shape().dimensions());
}

// A smaller window may start further out than a larger one, so the start is clamped as it is in the larger one. That
// must be worth a few scalar operations.
HloInstruction* SliceOfDynamicSlice(HloInstruction* root, const RuleContext& context) {
  constexpr int64_t kFewElements = 64;
  HloInstruction* const inner = root->operand(0);
  const int64_t kept = root->shape().ElementCount();
  if (inner->opcode() != HloOpcode::kDynamicSlice || !HasOneUse(*inner) || kept == 0 ||
      inner->shape().ElementCount() < kFewElements) {
    return nullptr;
  }
  const absl::optional<DynamicWindow> from = WindowOfSlice(*inner);
  if (!from.has_value()) return nullptr;
  HloInstruction* const x = inner->operand(0);
  DynamicWindow window;
  DimensionVector strides;
  for (int d = 0; d < root->shape().rank(); ++d) {
    const SliceRange& range = root->attributes<SliceAttributes>().ranges[d];
    window.sizes.push_back((root->shape().dimension(d) - 1) * range.stride + 1);
    strides.push_back(range.stride);
    const int64_t last_start = x->shape().dimension(d) - from->sizes[d];
    const absl::optional<HloInstruction*> start =
        StartWithin(from->starts[d], last_start, range.start, window.sizes[d] == from->sizes[d], context.build);
    if (!start.has_value()) return nullptr;
    window.starts.push_back(*start);
  }
  if (Product(window.sizes) > inner->shape().ElementCount() / 2) return nullptr;
  HloInstruction* const read = context.build.DynamicSlice(x, window.starts, window.sizes);
  const bool steps = std::any_of(strides.begin(), strides.end(), [](int64_t stride) { return stride != 1; });
  return steps ? context.build.Slice(read, DimensionVector(strides.size(), 0), window.sizes, strides) : read;
}

HloInstruction* DynamicSliceOfUpdate(HloInstruction* root, const RuleContext&) {
  const HloInstruction* const update = root->operand(0);
  if (update->opcode() != HloOpcode::kDynamicUpdateSlice) return nullptr;
  const absl::optional<DynamicWindow> read = WindowOfSlice(*root);
  const absl::optional<DynamicWindow> written = WindowOfUpdate(*update);
  const bool is_same = read.has_value() && written.has_value() && IsSameWindow(*read, *written);
  return is_same ? update->operand(1) : nullptr;
}

// ---- dynamic-update-slice

HloInstruction* UpdateOfWhole(HloInstruction* root, const RuleContext&) {
  return root->operand(1)->shape().SameDimensions(root->shape()) ? root->operand(1) : nullptr;
}

HloInstruction* UpdateWithNothing(HloInstruction* root, const RuleContext&) {
  return root->operand(1)->shape().ElementCount() == 0 ? root->operand(0) : nullptr;
}

// Writes what is there.
HloInstruction* UpdateWithSame(HloInstruction* root, const RuleContext&) {
  HloInstruction* const x = root->operand(0);
  const HloInstruction* const update = root->operand(1);
  const HloInstruction* const repeated = RepeatedScalar(*x);
  const HloInstruction* const repeated_update = RepeatedScalar(*update);
  if (repeated != nullptr && repeated_update != nullptr && IsSameScalar(*repeated, *repeated_update)) return x;
  if (update->opcode() != HloOpcode::kDynamicSlice || update->operand(0) != x) return nullptr;
  const absl::optional<DynamicWindow> read = WindowOfSlice(*update);
  const absl::optional<DynamicWindow> written = WindowOfUpdate(*root);
  return read.has_value() && written.has_value() && IsSameWindow(*read, *written) ? x : nullptr;
}

HloInstruction* UpdateOfUpdate(HloInstruction* root, const RuleContext& context) {
  const HloInstruction* const inner = root->operand(0);
  if (inner->opcode() != HloOpcode::kDynamicUpdateSlice) return nullptr;
  const absl::optional<DynamicWindow> first = WindowOfUpdate(*inner);
  const absl::optional<DynamicWindow> second = WindowOfUpdate(*root);
  if (!first.has_value() || !second.has_value() || !IsSameWindow(*first, *second)) return nullptr;
  return context.build.DynamicUpdateSlice(inner->operand(0), root->operand(1), second->starts);
}

// An update of a constant array at a known place: padding around the update.
HloInstruction* UpdateOfBroadcast(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const value = RepeatedScalar(*root->operand(0));
  const absl::optional<DynamicWindow> window = WindowOfUpdate(*root);
  if (value == nullptr || !window.has_value()) return nullptr;
  const absl::optional<DimensionVector> starts = KnownStarts(*window, root->shape());
  if (!starts.has_value()) return nullptr;
  PaddingConfig padding(starts->size());
  for (size_t d = 0; d < starts->size(); ++d) {
    padding[d].low = (*starts)[d];
    padding[d].high = root->shape().dimension(static_cast<int>(d)) - (*starts)[d] - window->sizes[d];
  }
  return context.build.Pad(root->operand(1), value, padding);
}

}  // namespace

const RuleList& DynamicSliceRules() {
  static const std::vector<HloOpcode> slice = {HloOpcode::kDynamicSlice};
  static const std::vector<HloOpcode> update = {HloOpcode::kDynamicUpdateSlice};
  static const auto* const rules = new RuleList{
      {"dynamic-slice-of-whole", "dynamic-slice(x, i) of all of x => x", slice, &DynamicSliceOfWhole},
      {"dynamic-slice-to-slice", "dynamic-slice(x, constant) => slice(x)", slice, &DynamicSliceToSlice},
      {"slice-of-dynamic-slice",
       "slice(dynamic-slice(x, i)) => dynamic-slice(x, clamp(0, i, n) + c)  (with no other use, if at most half is "
       "read)",
       {HloOpcode::kSlice},
       &SliceOfDynamicSlice},
      {"dynamic-slice-of-update", "dynamic-slice(dynamic-update-slice(x, u, i), i) => u", slice, &DynamicSliceOfUpdate},
      {"dynamic-slice-of-broadcast", "dynamic-slice(broadcast(x), i, j) => broadcast(dynamic-slice(x, i))", slice,
       &DynamicSliceOfBroadcast},
      {"dynamic-slice-of-iota", "dynamic-slice(iota) => iota  (along other dimensions)", slice, &DynamicSliceOfIota},
      {"dynamic-slice-of-transpose", "dynamic-slice(transpose(x), i, j) => transpose(dynamic-slice(x, j, i))", slice,
       &DynamicSliceOfTranspose},
      {"dynamic-slice-of-reshape",
       "dynamic-slice(reshape(x), i, 0) => reshape(dynamic-slice(x, i))  (dimensions of size 1)", slice,
       &DynamicSliceOfReshape},
      {"update-of-whole", "dynamic-update-slice(x, u, i) of all of x => u", update, &UpdateOfWhole},
      {"update-with-nothing", "dynamic-update-slice(x, empty, i) => x", update, &UpdateWithNothing},
      {"update-with-same", "dynamic-update-slice(x, dynamic-slice(x, i), i) => x", update, &UpdateWithSame},
      {"update-of-update", "dynamic-update-slice(dynamic-update-slice(x, u, i), v, i) => dynamic-update-slice(x, v, i)",
       update, &UpdateOfUpdate},
      {"update-of-broadcast", "dynamic-update-slice(broadcast(v), u, constant) => pad(u, v)", update,
       &UpdateOfBroadcast},
      {"zero-start-of-whole",
       "dynamic-slice(x, i, j) => dynamic-slice(x, i, 0)  (where the window is as long as the array)",
       {HloOpcode::kDynamicSlice, HloOpcode::kDynamicUpdateSlice},
       &ZeroStartOfWhole},
  };
  return *rules;
}

}  // namespace xla
