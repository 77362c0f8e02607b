// Rules for dots of what was moved: of what was reshaped, padded or concatenated.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "passes/algebra/dot_sides.h"
#include "passes/algebra/known_finite.h"
#include "passes/algebra/movement.h"
#include "passes/algebra/product_rules.h"
#include "passes/base/splat.h"
#include "xla_core/ir/attribute_schema.h"

namespace xla {
namespace {

// The most parts into which one dot is taken apart.
constexpr int kMostParts = 4;

// ---- Reshapes of free dimensions

// The side that the operand of a reshape has, if the reshape leaves batch and contracting dimensions alone, so that the
// dot may come first. False if not.
bool SideBeforeReshape(const HloInstruction& reshape, const DotSide& side, DotSide* before) {
  const auto from = reshape.operand(0)->shape().dimensions();
  const auto to = reshape.shape().dimensions();
  DimensionVector place_before(to.size(), -1);
  for (const DimensionGroup& group : CommonGroups(from, to)) {
    if (group.IsOneToOne()) place_before[group.to_begin] = group.from_begin;
  }
  before->batch = Permuted(place_before, side.batch);
  before->contracting = Permuted(place_before, side.contracting);
  DimensionVector named = before->batch;
  named.insert(named.end(), before->contracting.begin(), before->contracting.end());
  if (HasDimension(named, -1)) return false;
  before->free = OtherDimensions(static_cast<int64_t>(from.size()), named);
  return true;
}

// The dot of what the operands in `moved` (a bit for each) are reshapes of, if its dimensions are `sizes`; else
// nullptr.
HloInstruction* DotBeforeReshapes(const HloInstruction& dot, unsigned moved, absl::Span<const int64_t> sizes,
                                  InstructionBuilder& build) {
  HloInstruction* operands[2] = {dot.operand(0), dot.operand(1)};
  DotSide sides[2] = {SideOf(dot, 0), SideOf(dot, 1)};
  for (int i = 0; i < 2; ++i) {
    if ((moved >> i & 1) == 0) continue;
    const HloInstruction& reshape = *operands[i];
    DotSide before;
    if (reshape.opcode() != HloOpcode::kReshape || reshape.shape().ElementCount() == 0 ||
        reshape.operand(0)->shape().IsDynamic() || !SideBeforeReshape(reshape, sides[i], &before)) {
      return nullptr;
    }
    operands[i] = operands[i]->operand(0);
    sides[i] = before;
  }
  const auto sizes_of = [&](int i, const DimensionVector& dimensions) {
    return Permuted(operands[i]->shape().dimensions(), dimensions);
  };
  DimensionVector result = sizes_of(0, sides[0].batch);
  for (int i = 0; i < 2; ++i) {
    const DimensionVector free = sizes_of(i, sides[i].free);
    result.insert(result.end(), free.begin(), free.end());
  }
  if (absl::MakeConstSpan(result) != sizes) return nullptr;
  return MakeDot(dot, operands[0], sides[0], operands[1], sides[1], result, build);
}

// Where the reshape after the dot undoes those before it. (One before a dot that is followed by none stays where it
// is, because dots are simplest with one free dimension.)
HloInstruction* ReshapeOfDotOfReshape(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const dot = root->operand(0);
  if (dot->opcode() != HloOpcode::kDot || !HasOneUse(*dot)) return nullptr;
  for (const unsigned moved : {3u, 1u, 2u}) {
    HloInstruction* const made = DotBeforeReshapes(*dot, moved, root->shape().dimensions(), context.build);
    if (made != nullptr) return made;
  }
  return nullptr;
}

// ---- Operands that are padded or concatenated

bool IsComplexDot(const HloInstruction& dot) {
  return IsComplex(dot.shape().element_type()) || IsComplex(dot.operand(0)->shape().element_type()) ||
         IsComplex(dot.operand(1)->shape().element_type());
}

// A pad with zeros that cuts nothing.
bool PadsWithZeros(const HloInstruction& pad) {
  if (pad.opcode() != HloOpcode::kPad) return false;
  const HloInstruction& value = *pad.operand(1);
  const PaddingConfig& padding = pad.attributes<PadAttributes>().padding;
  return (IsSplatOf(value, 0) || IsSplatOfNegativeZero(value)) &&
         std::none_of(padding.begin(), padding.end(),
                      [](const PaddingDimension& p) { return p.low < 0 || p.high < 0; });
}

// What zeros meet is cut out of the other operand, and what they alone make is padded to the product: a sum begins with
// +0, so products that are zeros, of whatever sign, do not change it. Where the other operand could be an infinity or
// NaN, they would not be zeros.
HloInstruction* DotOfPad(HloInstruction* root, const RuleContext& context) {
  if (IsComplexDot(*root) || root->shape().element_type() == F8E8M0FNU) return nullptr;
  for (int i = 0; i < 2; ++i) {
    HloInstruction* const pad = root->operand(i);
    HloInstruction* const other = root->operand(1 - i);
    if (!PadsWithZeros(*pad) || pad->operand(0)->shape().ElementCount() == 0 || !IsKnownFinite(*other)) continue;
    const DotSide sides[2] = {SideOf(*root, 0), SideOf(*root, 1)};
    const PaddingConfig& padding = pad->attributes<PadAttributes>().padding;
    if (std::any_of(sides[i].batch.begin(), sides[i].batch.end(),
                    [&](int64_t d) { return !(padding[d] == PaddingDimension()); })) {
      continue;
    }
    HloInstruction* const x = pad->operand(0);
    DimensionVector starts(other->shape().rank(), 0), strides(other->shape().rank(), 1);
    DimensionVector limits(other->shape().dimensions().begin(), other->shape().dimensions().end());
    for (size_t c = 0; c < sides[i].contracting.size(); ++c) {
      const PaddingDimension& p = padding[sides[i].contracting[c]];
      const int64_t d = sides[1 - i].contracting[c];
      starts[d] = p.low;
      limits[d] -= p.high;
      strides[d] = p.interior + 1;
    }
    const auto result = root->shape().dimensions();
    DimensionVector sizes(result.begin(), result.end());
    PaddingConfig around(sizes.size());
    for (size_t f = 0; f < sides[i].free.size(); ++f) {
      const int64_t place = FirstFreeOf(i, sides) + static_cast<int64_t>(f);
      sizes[place] = x->shape().dimension(static_cast<int>(sides[i].free[f]));
      around[place] = padding[sides[i].free[f]];
    }
    const bool cuts =
        limits != DimensionVector(other->shape().dimensions().begin(), other->shape().dimensions().end()) ||
        std::any_of(starts.begin(), starts.end(), [](int64_t start) { return start != 0; }) ||
        std::any_of(strides.begin(), strides.end(), [](int64_t stride) { return stride != 1; });
    HloInstruction* const part = cuts ? context.build.Slice(other, starts, limits, strides) : other;
    HloInstruction* const product =
        MakeDot(*root, i == 0 ? x : part, sides[0], i == 0 ? part : x, sides[1], sizes, context.build);
    if (absl::MakeConstSpan(sizes) == result) return product;
    return context.build.Pad(product, context.build.Zero(root->shape().element_type()), around);
  }
  return nullptr;
}

// Whether the array comes in pieces of the sizes that the operands of the concatenation have along a dimension, or is a
// constant, whose pieces cost nothing.
bool HasPieces(const HloInstruction& array, int64_t d, const HloInstruction& concatenate, int64_t concatenated) {
  if (array.opcode() == HloOpcode::kConstant) return true;
  if (array.opcode() != HloOpcode::kConcatenate || !HasOneUse(array) ||
      array.attributes<DimensionAttributes>().dimension != d || array.operand_count() != concatenate.operand_count()) {
    return false;
  }
  for (int i = 0; i < array.operand_count(); ++i) {
    if (array.operand(i)->shape().dimension(static_cast<int>(d)) !=
        concatenate.operand(i)->shape().dimension(static_cast<int>(concatenated))) {
      return false;
    }
  }
  return true;
}

// Of a concatenation along a contracting dimension: the sum of the products of its pieces.
HloInstruction* DotOfConcatenate(HloInstruction* root, const RuleContext& context) {
  if (!MayAddParts(*root)) return nullptr;
  const DotSide sides[2] = {SideOf(*root, 0), SideOf(*root, 1)};
  for (int i = 0; i < 2; ++i) {
    HloInstruction* const concatenate = root->operand(i);
    HloInstruction* const other = root->operand(1 - i);
    if (concatenate->opcode() != HloOpcode::kConcatenate || !HasOneUse(*concatenate) ||
        concatenate->operand_count() > kMostParts) {
      continue;
    }
    const int64_t d = concatenate->attributes<DimensionAttributes>().dimension;
    const auto place = std::find(sides[i].contracting.begin(), sides[i].contracting.end(), d);
    if (place == sides[i].contracting.end()) continue;
    const int64_t other_d = sides[1 - i].contracting[place - sides[i].contracting.begin()];
    if (!HasPieces(*other, other_d, *concatenate, d)) continue;
    HloInstruction* sum = nullptr;
    int64_t offset = 0;
    for (int k = 0; k < concatenate->operand_count(); ++k) {
      HloInstruction* const piece = concatenate->operand(k);
      const int64_t size = piece->shape().dimension(static_cast<int>(d));
      HloInstruction* const other_piece = other->opcode() == HloOpcode::kConcatenate
                                              ? other->operand(k)
                                              : context.build.SliceInDim(other, other_d, offset, offset + size);
      offset += size;
      HloInstruction* const product =
          MakeDot(*root, i == 0 ? piece : other_piece, sides[0], i == 0 ? other_piece : piece, sides[1],
                  root->shape().dimensions(), context.build);
      sum = sum == nullptr ? product : context.build.Add(sum, product);
    }
    return sum;
  }
  return nullptr;
}

// ---- Operands that are gathered

// Where the dimensions of x are in a gather of it; -1 for those that it does not have.
DimensionVector PlacesInGather(const GatherAttributes& gather, int64_t rank) {
  DimensionVector places(rank, -1);
  size_t offset = 0;
  for (int64_t d = 0; d < rank; ++d) {
    if (!HasDimension(gather.collapsed_slice_dims, d)) places[d] = gather.offset_dims[offset++];
  }
  return places;
}

// What the gather's dimensions of a side are in x, if those that are contracted are whole in every window. False if
// not.
bool SideBeforeGather(const GatherAttributes& gather, const DotSide& side, const Shape& x, DotSide* before) {
  const DimensionVector places = PlacesInGather(gather, x.rank());
  for (const int64_t c : side.contracting) {
    const int64_t d = std::find(places.begin(), places.end(), c) - places.begin();
    if (d == x.rank() || HasDimension(gather.start_index_map, d) ||
        gather.slice_sizes[d] != x.dimension(static_cast<int>(d))) {
      return false;
    }
    before->contracting.push_back(d);
  }
  before->free = OtherDimensions(x.rank(), before->contracting);
  return true;
}

// The gather of the product of x with `other`, whose free dimensions come before (`first`) or after those of x: of
// windows that are whole along them, at the same places.
GatherAttributes GatherOfProduct(const GatherAttributes& gather, const DotSide& side, const DotSide& before,
                                 const Shape& x, absl::Span<const int64_t> other, bool first) {
  const DimensionVector places = PlacesInGather(gather, x.rank());
  const auto skipped = static_cast<int64_t>(first ? other.size() : 0);
  DimensionVector product_dimension(x.rank(), -1);
  GatherAttributes result = gather;
  result.offset_dims.clear();
  result.slice_sizes.clear();
  const auto add_other = [&](int64_t begin) {
    for (size_t k = 0; k < other.size(); ++k) {
      result.offset_dims.push_back(begin + static_cast<int64_t>(k));
      result.slice_sizes.push_back(other[k]);
    }
  };
  if (first) add_other(0);
  for (size_t f = 0; f < before.free.size(); ++f) {
    const int64_t d = before.free[f];
    product_dimension[d] = skipped + static_cast<int64_t>(f);
    result.slice_sizes.push_back(gather.slice_sizes[d]);
    if (places[d] < 0) continue;
    const int64_t place = std::find(side.free.begin(), side.free.end(), places[d]) - side.free.begin();
    result.offset_dims.push_back(skipped + place);
  }
  if (!first) add_other(static_cast<int64_t>(side.free.size()));
  result.collapsed_slice_dims = Permuted(product_dimension, gather.collapsed_slice_dims);
  result.start_index_map = Permuted(product_dimension, gather.start_index_map);
  return result;
}

// A gather of windows that are whole along the dimensions that a dot contracts gives rows of x, many of them several
// times: the dot of x is less work if that has at most half as many rows, and its own rows are gathered then. What a
// row is multiplied with does not change, so its sums do not either.
HloInstruction* DotOfGather(HloInstruction* root, const RuleContext& context) {
  // Multiplications for each element that is gathered more.
  constexpr int64_t kWorthACopy = 8;
  const DotSide sides[2] = {SideOf(*root, 0), SideOf(*root, 1)};
  if (!sides[0].batch.empty() || root->shape().ElementCount() == 0) return nullptr;
  for (int i = 0; i < 2; ++i) {
    HloInstruction* const gather = root->operand(i);
    if (gather->opcode() != HloOpcode::kGather || !HasOneUse(*gather)) continue;
    const GatherAttributes& a = gather->attributes<GatherAttributes>();
    HloInstruction* const x = gather->operand(0);
    DotSide of_x;
    if (!a.operand_batching_dims.empty() || !SideBeforeGather(a, sides[i], x->shape(), &of_x)) continue;
    const int64_t multiplications = Product(Permuted(x->shape().dimensions(), of_x.contracting));
    DimensionVector sizes[2];
    sizes[i] = Permuted(x->shape().dimensions(), of_x.free);
    sizes[1 - i] = Permuted(root->operand(1 - i)->shape().dimensions(), sides[1 - i].free);
    const int64_t rows = Product(sizes[i]);
    const int64_t gathered_rows = Product(Permuted(gather->shape().dimensions(), sides[i].free));
    if (multiplications < kWorthACopy || rows > gathered_rows / 2) continue;
    const GatherAttributes of_product = GatherOfProduct(a, sides[i], of_x, x->shape(), sizes[1 - i], i == 1);
    sizes[0].insert(sizes[0].end(), sizes[1].begin(), sizes[1].end());
    HloInstruction* const product = i == 0
                                        ? MakeDot(*root, x, of_x, root->operand(1), sides[1], sizes[0], context.build)
                                        : MakeDot(*root, root->operand(0), sides[0], x, of_x, sizes[0], context.build);
    return context.build.Gather(product, gather->operand(1), of_product);
  }
  return nullptr;
}

// Whether two dots differ in their operands `i` only, and there in the size of one free dimension at most.
bool IsSameDotBut(int i, int64_t dimension, const HloInstruction& a, const HloInstruction& b) {
  if (b.opcode() != HloOpcode::kDot || a.operand(1 - i) != b.operand(1 - i) ||
      a.operand(i)->shape().element_type() != b.operand(i)->shape().element_type() ||
      a.operand(i)->shape().rank() != b.operand(i)->shape().rank() ||
      !AttributesEqual(*a.raw_attributes(), *b.raw_attributes())) {
    return false;
  }
  for (int d = 0; d < a.operand(i)->shape().rank(); ++d) {
    if (d != dimension && a.operand(i)->shape().dimension(d) != b.operand(i)->shape().dimension(d)) return false;
  }
  return true;
}

// Products with one array, side by side: the product with all the others at once, if those are together no larger than
// the products are.
HloInstruction* ConcatenateOfDots(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& first = *root->operand(0);
  if (first.opcode() != HloOpcode::kDot || root->operand_count() < 2) return nullptr;
  const DotSide sides[2] = {SideOf(first, 0), SideOf(first, 1)};
  const int64_t along = root->attributes<DimensionAttributes>().dimension;
  const int i = along >= FirstFreeOf(1, sides) ? 1 : 0;
  const int64_t place = along - FirstFreeOf(i, sides);
  if (place < 0) return nullptr;
  const int64_t d = sides[i].free[place];
  std::vector<HloInstruction*> factors;
  int64_t elements = 0;
  for (const HloInstruction* dot : root->operands()) {
    if (!IsSameDotBut(i, d, first, *dot) || !HasOneUse(*dot)) return nullptr;
    factors.push_back(dot->operand(i));
    elements += dot->operand(i)->shape().ElementCount();
  }
  if (elements > root->shape().ElementCount()) return nullptr;
  HloInstruction* const all = context.build.Concatenate(factors, d);
  return MakeDot(first, i == 0 ? all : first.operand(0), sides[0], i == 0 ? first.operand(1) : all, sides[1],
                 root->shape().dimensions(), context.build);
}

}  // namespace

const RuleList& DotMovementRules() {
  static const std::vector<HloOpcode> dot = {HloOpcode::kDot};
  static const auto* const rules = new RuleList{
      {"reshape-of-dot-of-reshape",
       "reshape(dot(reshape(x), reshape(y))) => dot(x, y)  (of free dimensions; also with one of the two)",
       {HloOpcode::kReshape},
       &ReshapeOfDotOfReshape},
      {"dot-of-pad", "dot(pad(x, 0), y) => pad(dot(x, slice(y)), 0)  (y is finite)", dot, &DotOfPad},
      {"dot-of-gather",
       "dot(gather(x, i), y) => gather(dot(x, y), i)  (of rows of x, if that has at most half as many)", dot,
       &DotOfGather},
      {"dot-of-concatenate",
       "dot(concatenate(a, b), concatenate(c, d)) => add(dot(a, c), dot(b, d))  (along a contracting dimension; or "
       "with "
       "slices of a constant)",
       dot, &DotOfConcatenate},
      {"concatenate-of-dots",
       "concatenate(dot(x, a), dot(x, b)) => dot(x, concatenate(a, b))  (if a and b are no larger than the results)",
       {HloOpcode::kConcatenate},
       &ConcatenateOfDots},
  };
  return *rules;
}

}  // namespace xla
