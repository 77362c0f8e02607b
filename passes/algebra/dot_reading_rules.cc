// Rules for what is read of dots: slices and sums of them become dots of slices, and dots that sum more.
#include <cstdint>
#include <utility>
#include <vector>

#include "passes/algebra/dot_sides.h"
#include "passes/algebra/movement.h"
#include "passes/algebra/product_rules.h"
#include "passes/base/splat.h"

namespace xla {
namespace {

// Of dimensions that an operand has for itself, or of the batch.
HloInstruction* SliceOfDot(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const dot = root->operand(0);
  if (dot->opcode() != HloOpcode::kDot || !HasOneUse(*dot) ||
      root->shape().ElementCount() > dot->shape().ElementCount() / 2) {
    return nullptr;
  }
  const auto& ranges = root->attributes<SliceAttributes>().ranges;
  const DotSide sides[2] = {SideOf(*dot, 0), SideOf(*dot, 1)};
  HloInstruction* operands[2];
  int64_t place = static_cast<int64_t>(sides[0].batch.size());
  for (int i = 0; i < 2; ++i) {
    HloInstruction* const x = dot->operand(i);
    DimensionVector starts(x->shape().rank(), 0), strides(x->shape().rank(), 1);
    DimensionVector limits(x->shape().dimensions().begin(), x->shape().dimensions().end());
    const auto cut = [&](int64_t d, const SliceRange& range) {
      starts[d] = range.start;
      limits[d] = range.limit;
      strides[d] = range.stride;
    };
    for (size_t b = 0; b < sides[i].batch.size(); ++b) cut(sides[i].batch[b], ranges[b]);
    for (const int64_t d : sides[i].free) cut(d, ranges[place++]);
    operands[i] = context.build.Slice(x, starts, limits, strides);
  }
  return MakeDot(*dot, operands[0], sides[0], operands[1], sides[1], root->shape().dimensions(), context.build);
}

// The same at a position that is known at run time: the operands' dimensions are as long as those of the product, so
// the start indices are clamped alike.
HloInstruction* DynamicSliceOfDot(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const dot = root->operand(0);
  if (dot->opcode() != HloOpcode::kDot || !HasOneUse(*dot) || dot->shape().rank() == 0 ||
      root->shape().ElementCount() > dot->shape().ElementCount() / 2 || root->operand(1)->shape().rank() != 0) {
    return nullptr;
  }
  const auto result = root->shape().dimensions();
  const DotSide sides[2] = {SideOf(*dot, 0), SideOf(*dot, 1)};
  HloInstruction* operands[2];
  for (int i = 0; i < 2; ++i) {
    HloInstruction* const x = dot->operand(i);
    const auto x_sizes = x->shape().dimensions();
    DimensionVector sizes(x_sizes.begin(), x_sizes.end());
    std::vector<HloInstruction*> starts(sizes.size(), nullptr);
    bool cuts = false;
    const auto cut = [&](int64_t d, int64_t place) {
      starts[d] = root->operand(static_cast<int>(1 + place));
      cuts = cuts || sizes[d] != result[place];
      sizes[d] = result[place];
    };
    for (size_t b = 0; b < sides[i].batch.size(); ++b) cut(sides[i].batch[b], static_cast<int64_t>(b));
    for (size_t f = 0; f < sides[i].free.size(); ++f) {
      cut(sides[i].free[f], FirstFreeOf(i, sides) + static_cast<int64_t>(f));
    }
    HloInstruction* const zero = context.build.Zero(root->operand(1)->shape().element_type());
    for (HloInstruction*& start : starts) start = start == nullptr ? zero : start;
    operands[i] = cuts ? context.build.DynamicSlice(x, starts, sizes) : x;
  }
  return MakeDot(*dot, operands[0], sides[0], operands[1], sides[1], result, context.build);
}

bool IsSumFromZero(const HloInstruction& reduce) {
  if (reduce.operand_count() != 2 || !IsSplatOf(*reduce.operand(1), 0)) return false;
  const HloInstruction& sum = *reduce.called_computation(0)->root();
  const bool is_sum = sum.opcode() == HloOpcode::kAdd && sum.operand(0) != sum.operand(1) && sum.shape().rank() == 0;
  return is_sum && sum.operand(0)->opcode() == HloOpcode::kParameter &&
         sum.operand(1)->opcode() == HloOpcode::kParameter && sum.shape().element_type() != PRED;
}

// A sum of products of one batch after the other is one sum of products.
HloInstruction* ReduceOfDot(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const dot = root->operand(0);
  if (dot->opcode() != HloOpcode::kDot || !HasOneUse(*dot) || !IsSumFromZero(*root) || !MayAddParts(*dot)) {
    return nullptr;
  }
  DotSide sides[2] = {SideOf(*dot, 0), SideOf(*dot, 1)};
  const DimensionVector& reduced = DimensionsOf(*root);
  for (const int64_t d : reduced) {
    if (d >= static_cast<int64_t>(sides[0].batch.size())) return nullptr;
  }
  if (reduced.empty()) return nullptr;
  for (DotSide& side : sides) {
    DimensionVector contracting = Permuted(side.batch, reduced);
    contracting.insert(contracting.end(), side.contracting.begin(), side.contracting.end());
    side.contracting = std::move(contracting);
    side.batch = Without(side.batch, reduced);
  }
  return MakeDot(*dot, dot->operand(0), sides[0], dot->operand(1), sides[1], root->shape().dimensions(), context.build);
}

}  // namespace

const RuleList& DotReadingRules() {
  static const auto* const rules = new RuleList{
      {"slice-of-dot",
       "slice(dot(x, y)) => dot(slice(x), slice(y))  (with no other use, if at most half is read)",
       {HloOpcode::kSlice},
       &SliceOfDot},
      {"dynamic-slice-of-dot",
       "dynamic-slice(dot(x, y), i, j) => dot(dynamic-slice(x, i), dynamic-slice(y, j))  (the same)",
       {HloOpcode::kDynamicSlice},
       &DynamicSliceOfDot},
      {"reduce-of-dot",
       "reduce(dot(x, y), 0), add, over batch dimensions => dot(x, y) that contracts them  (with no other use)",
       {HloOpcode::kReduce},
       &ReduceOfDot},
  };
  return *rules;
}

}  // namespace xla
