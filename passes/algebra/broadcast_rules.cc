// Rules for broadcast and iota. They give broadcasts one form: dimensions ascending, no dimensions of size 1 in the
// operand, never a broadcast of a broadcast, and a reshape where nothing is repeated.
#include <algorithm>
#include <cstdint>

#include "passes/algebra/movement.h"
#include "passes/algebra/shape_rules.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

HloInstruction* RemoveIdentityBroadcast(HloInstruction* root, const RuleContext&) {
  const bool is_identity = root->shape().rank() == root->operand(0)->shape().rank() && IsCounting(DimensionsOf(*root));
  return is_identity ? root->operand(0) : nullptr;
}

// x with its dimensions in the order in which they stand in the result.
HloInstruction* SortBroadcastDimensions(HloInstruction* root, const RuleContext& context) {
  const DimensionVector& places = DimensionsOf(*root);
  if (IsAscending(places)) return nullptr;
  DimensionVector order = Counting(static_cast<int64_t>(places.size()));
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return places[a] < places[b]; });
  HloInstruction* const sorted = context.build.Transpose(root->operand(0), order);
  return context.build.Broadcast(sorted, root->shape().dimensions(), Permuted(places, order));
}

// A scalar stays a broadcast, as the form of all arrays of equal elements.
HloInstruction* BroadcastToReshape(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const x = root->operand(0);
  const int64_t count = root->shape().ElementCount();
  if (x->shape().rank() == 0 || count == 0 || count != x->shape().ElementCount() || !IsAscending(DimensionsOf(*root))) {
    return nullptr;
  }
  return context.build.Reshape(x, root->shape().dimensions());
}

HloInstruction* BroadcastOfBroadcast(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const inner = root->operand(0);
  if (inner->opcode() != HloOpcode::kBroadcast) return nullptr;
  return context.build.Broadcast(inner->operand(0), root->shape().dimensions(),
                                 Permuted(DimensionsOf(*root), DimensionsOf(*inner)));
}

// Dimensions of size 1 need not be there to be broadcast. What the reshape took away stays away.
HloInstruction* BroadcastOfReshape(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const reshape = root->operand(0);
  if (!IsDegenerateReshape(*reshape)) return nullptr;
  const auto sizes = reshape->shape().dimensions();
  DimensionVector places;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] != 1) places.push_back(DimensionsOf(*root)[i]);
  }
  if (places.size() == sizes.size()) return nullptr;
  HloInstruction* const squeezed = context.build.Reshape(reshape->operand(0), Squeezed(sizes));
  return context.build.Broadcast(squeezed, root->shape().dimensions(), places);
}

HloInstruction* BroadcastOfIota(HloInstruction* root, const RuleContext& context) {
  const HloInstruction* const iota = root->operand(0);
  if (iota->opcode() != HloOpcode::kIota) return nullptr;
  return context.build.Iota(root->shape(), DimensionsOf(*root)[iota->attributes<IotaAttributes>().iota_dimension]);
}

// Not for types without a zero.
HloInstruction* IotaOfOne(HloInstruction* root, const RuleContext& context) {
  const int dimension = static_cast<int>(root->attributes<IotaAttributes>().iota_dimension);
  const PrimitiveType type = root->shape().element_type();
  if (root->shape().dimension(dimension) != 1 || type == F8E8M0FNU) return nullptr;
  return context.build.Splat(root->shape(), 0);
}

}  // namespace

const RuleList& BroadcastRules() {
  static const auto* const rules = new RuleList{
      {"remove-identity-broadcast",
       "broadcast(x) to the shape of x => x",
       {HloOpcode::kBroadcast},
       &RemoveIdentityBroadcast},
      {"broadcast-of-broadcast",
       "broadcast(broadcast(x)) => broadcast(x)",
       {HloOpcode::kBroadcast},
       &BroadcastOfBroadcast},
      {"broadcast-of-iota", "broadcast(iota) => iota", {HloOpcode::kBroadcast}, &BroadcastOfIota},
      {"sort-broadcast-dimensions",
       "broadcast(x), dimensions={1,0} => broadcast(transpose(x)), dimensions={0,1}",
       {HloOpcode::kBroadcast},
       &SortBroadcastDimensions},
      {"broadcast-to-reshape",
       "broadcast(x) => reshape(x)  (if all new dimensions are of size 1; not of scalars)",
       {HloOpcode::kBroadcast},
       &BroadcastToReshape},
      {"broadcast-of-reshape",
       "broadcast(reshape(x)) => broadcast(x)  (if the reshape adds dimensions of size 1)",
       {HloOpcode::kBroadcast},
       &BroadcastOfReshape},
      {"iota-of-one", "iota along a dimension of size 1 => broadcast(0)", {HloOpcode::kIota}, &IotaOfOne},
  };
  return *rules;
}

}  // namespace xla
