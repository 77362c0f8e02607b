// Rules for reshape, transpose, bitcast and copy.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "passes/algebra/dimension_atoms.h"
#include "passes/algebra/movement.h"
#include "passes/algebra/shape_rules.h"
#include "passes/analyses/same_shape.h"

namespace xla {
namespace {

// How far up a chain of reshapes and transposes is followed.
constexpr int kLongestChain = 6;

bool IsReshapeOrTranspose(const HloInstruction& x) {
  return x.opcode() == HloOpcode::kReshape || x.opcode() == HloOpcode::kTranspose;
}

bool HasElements(const HloInstruction& x) { return x.shape().ElementCount() > 0; }

HloInstruction* RemoveIdentityReshape(HloInstruction* root, const RuleContext&) {
  return root->shape().SameDimensions(root->operand(0)->shape()) ? root->operand(0) : nullptr;
}

HloInstruction* RemoveIdentityTranspose(HloInstruction* root, const RuleContext&) {
  const bool is_identity = IsCounting(DimensionsOf(*root));
  return is_identity ? root->operand(0) : nullptr;
}

HloInstruction* MergeReshapes(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const inner = root->operand(0);
  if (inner->opcode() != HloOpcode::kReshape || inner->operand(0)->shape().IsDynamic()) return nullptr;
  return context.build.Reshape(inner->operand(0), root->shape().dimensions());
}

// What the instructions of the chain do, the last one first. False where no atoms are kept together.
bool Follow(absl::Span<HloInstruction* const> chain, DimensionAtoms& atoms) {
  for (size_t i = chain.size(); i-- > 0;) {
    if (chain[i]->opcode() == HloOpcode::kTranspose) {
      atoms.Transpose(DimensionsOf(*chain[i]));
    } else if (!atoms.Reshape(chain[i]->shape().dimensions())) {
      return false;
    }
  }
  return true;
}

HloInstruction* TransposeToReshape(HloInstruction* root, const RuleContext& context) {
  const auto sizes = root->operand(0)->shape().dimensions();
  int64_t previous = -1;
  for (const int64_t d : DimensionsOf(*root)) {
    if (sizes[d] == 1) continue;
    if (d < previous) return nullptr;
    previous = d;
  }
  return context.build.Reshape(root->operand(0), root->shape().dimensions());
}

// transpose(transpose(x)) where only products see it, as a transpose: they take that over as their way to read x
// (dot-of-transpose). A reshape after it, which the shortest chain may well end with, would keep them from that.
HloInstruction* MergeTransposesOfDots(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const inner = root->operand(0);
  const auto is_dot = [](const HloInstruction* user) { return user->opcode() == HloOpcode::kDot; };
  if (root->opcode() != HloOpcode::kTranspose || inner->opcode() != HloOpcode::kTranspose || root->users().empty() ||
      !std::all_of(root->users().begin(), root->users().end(), is_dot) || inner->shape().IsDynamic() ||
      inner->HasControlEdges()) {
    return nullptr;
  }
  return context.build.Transpose(inner->operand(0), Permuted(DimensionsOf(*inner), DimensionsOf(*root)));
}

// Tries the longest chain first. The chain's instructions die as far as nothing else uses them, so a replacement that
// is not shorter than those that die must be a single instruction.
HloInstruction* MergeReshapesAndTransposes(HloInstruction* root, const RuleContext& context) {
  if (!HasElements(*root)) return nullptr;
  if (HloInstruction* const transpose = MergeTransposesOfDots(root, context)) return transpose;
  std::vector<HloInstruction*> chain = {root};
  std::vector<size_t> dying = {1};  // by length of the chain
  while (chain.size() < kLongestChain) {
    HloInstruction* const next = chain.back()->operand(0);
    if (!IsReshapeOrTranspose(*next) || next->shape().IsDynamic() || next->operand(0)->shape().IsDynamic() ||
        next->HasControlEdges()) {
      break;
    }
    const bool dies = dying.back() == chain.size() && HasOneUse(*next);
    chain.push_back(next);
    dying.push_back(dying.back() + (dies ? 1 : 0));
  }
  for (; chain.size() > 1; chain.pop_back(), dying.pop_back()) {
    HloInstruction* const source = chain.back()->operand(0);
    DimensionAtoms atoms(source->shape().dimensions());
    if (!Follow(chain, atoms)) continue;
    const std::vector<MovementStep> steps = atoms.ShortestChain();
    if (steps.size() > 1 && steps.size() >= dying.back()) continue;
    return ApplySteps(steps, source, context.build);
  }
  return nullptr;
}

// Reshapes the operand and broadcasts it to the new dimensions, group by group: a group that joins dimensions of x
// with new ones has no such form.
HloInstruction* ReshapeOfBroadcast(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const broadcast = root->operand(0);
  if (broadcast->opcode() != HloOpcode::kBroadcast) return nullptr;
  HloInstruction* const x = broadcast->operand(0);
  if (x->shape().rank() == 0) return context.build.Broadcast(x, root->shape().dimensions(), {});
  const DimensionVector& mapped = DimensionsOf(*broadcast);
  if (!HasElements(*root) || !IsAscending(mapped)) return nullptr;

  // Dimensions of the broadcast that a group of the reshape joins must all come from x or all be new, if they are not
  // of size 1.
  const auto sizes = broadcast->shape().dimensions();
  const auto new_sizes = root->shape().dimensions();
  DimensionVector x_sizes, x_places;
  for (const DimensionGroup& group : CommonGroups(sizes, new_sizes)) {
    bool some_mapped = false, some_new = false;
    for (int d = group.from_begin; d < group.from_end; ++d) {
      const bool is_mapped = HasDimension(mapped, d);
      if (is_mapped && (sizes[d] != 1 || group.IsOneToOne())) some_mapped = true;
      if (!is_mapped && sizes[d] != 1) some_new = true;
    }
    if (some_mapped && some_new) return nullptr;
    for (int d = group.to_begin; some_mapped && d < group.to_end; ++d) {
      x_sizes.push_back(new_sizes[d]);
      x_places.push_back(d);
    }
  }
  return context.build.Broadcast(context.build.Reshape(x, x_sizes), new_sizes, x_places);
}

// Transposes the smaller operand, if anything, and broadcasts it to where its dimensions now are.
HloInstruction* TransposeOfBroadcast(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const broadcast = root->operand(0);
  if (broadcast->opcode() != HloOpcode::kBroadcast) return nullptr;
  // The dimensions of the result that x's dimensions become, and x with its dimensions in that order.
  const DimensionVector place_of = InversePermutation(DimensionsOf(*root));
  const DimensionVector places = Permuted(place_of, DimensionsOf(*broadcast));
  DimensionVector order = Counting(static_cast<int64_t>(places.size()));
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return places[a] < places[b]; });
  HloInstruction* x = broadcast->operand(0);
  if (!IsCounting(order)) x = context.build.Transpose(x, order);
  return context.build.Broadcast(x, root->shape().dimensions(), Permuted(places, order));
}

HloInstruction* TransposeOfIota(HloInstruction* root, const RuleContext& context) {
  const HloInstruction* const iota = root->operand(0);
  if (iota->opcode() != HloOpcode::kIota) return nullptr;
  const int64_t dimension = iota->attributes<IotaAttributes>().iota_dimension;
  return context.build.Iota(root->shape(), InversePermutation(DimensionsOf(*root))[dimension]);
}

HloInstruction* ReshapeOfIota(HloInstruction* root, const RuleContext& context) {
  const HloInstruction* const iota = root->operand(0);
  if (iota->opcode() != HloOpcode::kIota || !HasElements(*root)) return nullptr;
  const int64_t dimension = iota->attributes<IotaAttributes>().iota_dimension;
  for (const DimensionGroup& group : CommonGroups(iota->shape().dimensions(), root->shape().dimensions())) {
    if (group.from_begin != dimension || !group.IsOneToOne()) continue;
    return context.build.Iota(root->shape(), group.to_begin);
  }
  return nullptr;
}

HloInstruction* TransposeBeforeWidening(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const convert = root->operand(0);
  if (convert->opcode() != HloOpcode::kConvert || !HasOneUse(*convert)) return nullptr;
  const PrimitiveType type = root->shape().element_type();
  if (BitWidth(type) <= BitWidth(convert->operand(0)->shape().element_type())) return nullptr;
  return context.build.Convert(context.build.Transpose(convert->operand(0), DimensionsOf(*root)), type);
}

// A copy that changes a layout which nothing sees is removed as well: where a user does, it stays, because
// ReplaceInstruction would put another in its place.
HloInstruction* RemoveCopy(HloInstruction* root, const RuleContext&) {
  HloInstruction* const x = root->operand(0);
  return SameShapeAndLayout(root->shape(), x->shape()) || !LayoutMayBeSeen(*root) ? x : nullptr;
}

HloInstruction* BitcastToReshape(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const x = root->operand(0);
  const Shape& from = x->shape();
  const Shape& to = root->shape();
  if (from.element_type() != to.element_type() || BitWidth(to.element_type()) < 8) return nullptr;
  if (from.SameDimensions(to) && SameShapeAndLayout(from, to)) return x;
  if (!from.IsRowMajor() || !to.IsRowMajor()) return nullptr;
  return context.build.Reshape(x, to.dimensions());
}

}  // namespace

const RuleList& ReshapeRules() {
  static const auto* const rules = new RuleList{
      {"remove-identity-reshape", "reshape(x) to the shape of x => x", {HloOpcode::kReshape}, &RemoveIdentityReshape},
      {"remove-identity-transpose",
       "transpose(x), dimensions={0,1,..} => x",
       {HloOpcode::kTranspose},
       &RemoveIdentityTranspose},
      {"merge-reshapes", "reshape(reshape(x)) => reshape(x)", {HloOpcode::kReshape}, &MergeReshapes},
      {"reshape-of-broadcast",
       "reshape(broadcast(x)) => broadcast(reshape(x))  (if it keeps dimensions of x apart from new ones)",
       {HloOpcode::kReshape},
       &ReshapeOfBroadcast},
      {"reshape-of-iota",
       "reshape(iota) => iota  (if it leaves that dimension alone)",
       {HloOpcode::kReshape},
       &ReshapeOfIota},
      {"transpose-of-broadcast",
       "transpose(broadcast(x)) => broadcast(transpose(x))  (or of x)",
       {HloOpcode::kTranspose},
       &TransposeOfBroadcast},
      {"transpose-of-iota", "transpose(iota) => iota", {HloOpcode::kTranspose}, &TransposeOfIota},
      {"transpose-to-reshape",
       "transpose(x) => reshape(x)  (if only dimensions of size 1 change places)",
       {HloOpcode::kTranspose},
       &TransposeToReshape},
      {"merge-reshapes-and-transposes",
       "reshape(transpose(reshape(x))) => x, or a reshape, or a transpose, or any shorter chain",
       {HloOpcode::kReshape, HloOpcode::kTranspose},
       &MergeReshapesAndTransposes},
      {"transpose-before-widening",
       "transpose(convert(x)) => convert(transpose(x))  (if the conversion is to a wider type)",
       {HloOpcode::kTranspose},
       &TransposeBeforeWidening},
      {"remove-copy", "copy(x) => x  (if the layout is the same or nothing sees it)", {HloOpcode::kCopy}, &RemoveCopy},
      {"bitcast-to-reshape",
       "bitcast(x) => reshape(x)  (of one type and row-major)",
       {HloOpcode::kBitcast},
       &BitcastToReshape},
  };
  return *rules;
}

}  // namespace xla
