// Rules for dot.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/algebra/dot_sides.h"
#include "passes/algebra/movement.h"
#include "passes/algebra/product_rules.h"
#include "passes/algebra/single_product.h"
#include "passes/base/splat.h"

namespace xla {
namespace {

// The sum of no products is +0.
HloInstruction* DotOfNothing(HloInstruction* root, const RuleContext& context) {
  const DotSide side = SideOf(*root, 0);
  const PrimitiveType type = root->shape().element_type();
  if (Product(Permuted(root->operand(0)->shape().dimensions(), side.contracting)) != 0 || type == F8E8M0FNU) {
    return nullptr;
  }
  return context.build.Splat(root->shape(), 0);
}

// Not of floats: 0 * infinity is NaN.
HloInstruction* DotOfZero(HloInstruction* root, const RuleContext& context) {
  const auto is_zero = [](const HloInstruction& x) {
    const PrimitiveType type = x.shape().element_type();
    return (IsInt(type) || type == PRED) && IsSplatOf(x, 0);
  };
  const auto is_exact = [](const HloInstruction& x) { return !IsFloat(x.shape().element_type()); };
  const HloInstruction& lhs = *root->operand(0);
  const HloInstruction& rhs = *root->operand(1);
  const bool is_result_zero = (is_zero(lhs) && is_exact(rhs)) || (is_zero(rhs) && is_exact(lhs));
  if (!is_result_zero || IsComplex(root->shape().element_type()) || IsComplex(lhs.shape().element_type()) ||
      IsComplex(rhs.shape().element_type()) || root->shape().element_type() == F8E8M0FNU) {
    return nullptr;
  }
  return context.build.Splat(root->shape(), 0);
}

// Replaces operand i, a transpose, by what is transposed, if the free dimensions stay in order.
HloInstruction* DotOfTranspose(HloInstruction* root, const RuleContext& context) {
  HloInstruction* operands[2] = {root->operand(0), root->operand(1)};
  DotSide sides[2] = {SideOf(*root, 0), SideOf(*root, 1)};
  bool changes = false;
  for (int i = 0; i < 2; ++i) {
    if (operands[i]->opcode() != HloOpcode::kTranspose) continue;
    const DimensionVector& permutation = DimensionsOf(*operands[i]);
    const auto in_source = [&](const DimensionVector& dimensions) { return Permuted(permutation, dimensions); };
    const DotSide source{in_source(sides[i].batch), in_source(sides[i].contracting), in_source(sides[i].free)};
    if (!IsAscending(source.free)) continue;
    operands[i] = operands[i]->operand(0);
    sides[i] = source;
    changes = true;
  }
  if (!changes) return nullptr;
  return MakeDot(*root, operands[0], sides[0], operands[1], sides[1], root->shape().dimensions(), context.build);
}

// The transpose of a product that puts the free dimensions of rhs first is the product of the operands in the other
// order.
HloInstruction* TransposeOfDot(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const dot = root->operand(0);
  if (dot->opcode() != HloOpcode::kDot || !HasOneUse(*dot)) return nullptr;
  DotSide left = SideOf(*dot, 0), right = SideOf(*dot, 1);
  const int64_t batch = static_cast<int64_t>(left.batch.size());
  const int64_t left_free = static_cast<int64_t>(left.free.size());
  const int64_t right_free = static_cast<int64_t>(right.free.size());
  DimensionVector swapped = Counting(batch);
  for (int64_t i = 0; i < right_free; ++i) swapped.push_back(batch + left_free + i);
  for (int64_t i = 0; i < left_free; ++i) swapped.push_back(batch + i);
  // Batch dimensions may come in another order.
  const DimensionVector& permutation = DimensionsOf(*root);
  if (!std::equal(permutation.begin() + batch, permutation.end(), swapped.begin() + batch)) return nullptr;
  DimensionVector order(permutation.begin(), permutation.begin() + batch);
  left.batch = Permuted(left.batch, order);
  right.batch = Permuted(right.batch, order);
  HloInstruction* const product =
      MakeDot(*dot, dot->operand(1), right, dot->operand(0), left, root->shape().dimensions(), context.build);
  auto& precision = product->mutable_attributes<DotAttributes>().operand_precision;
  std::reverse(precision.begin(), precision.end());
  return product;
}

// An operand as an array of the result's dimensions; its contracting dimensions are of size 1. `first` is the place of
// its first free dimension in the result.
HloInstruction* Spread(HloInstruction* x, const DotSide& side, int64_t first, const Shape& result,
                       InstructionBuilder& build) {
  DimensionVector order = side.batch;
  order.insert(order.end(), side.free.begin(), side.free.end());
  DimensionVector places = Counting(static_cast<int64_t>(side.batch.size()));
  for (size_t i = 0; i < side.free.size(); ++i) places.push_back(first + static_cast<int64_t>(i));
  const DimensionVector sizes = Permuted(x->shape().dimensions(), order);
  DimensionVector permutation = side.contracting;
  permutation.insert(permutation.end(), order.begin(), order.end());
  if (!IsAscending(order)) x = build.Transpose(x, permutation);
  return build.Broadcast(build.Reshape(x, sizes), result.dimensions(), places);
}

// A dot that sums one product for each element is a multiplication of broadcasts, if a single product rounds as the
// dot does.
HloInstruction* DotToMultiply(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const lhs = root->operand(0);
  HloInstruction* const rhs = root->operand(1);
  const DotSide left = SideOf(*root, 0), right = SideOf(*root, 1);
  if (Product(Permuted(lhs->shape().dimensions(), left.contracting)) != 1 ||
      !HasSingleProduct(lhs->shape().element_type(), rhs->shape().element_type(), root->shape().element_type())) {
    return nullptr;
  }
  const int64_t batch = static_cast<int64_t>(left.batch.size());
  HloInstruction* const x = Spread(lhs, left, batch, root->shape(), context.build);
  HloInstruction* const y =
      Spread(rhs, right, batch + static_cast<int64_t>(left.free.size()), root->shape(), context.build);
  return SingleProduct(x, y, root->shape().element_type(), context.build);
}

// A matrix times a vector, for each batch. The products are rounded before they are added, so that this is for integers
// and where roundings may change.
HloInstruction* DotToReduce(HloInstruction* root, const RuleContext& context) {
  const PrimitiveType type = root->shape().element_type();
  const DotSide sides[2] = {SideOf(*root, 0), SideOf(*root, 1)};
  if (root->operand(0)->shape().element_type() != type || root->operand(1)->shape().element_type() != type) {
    return nullptr;
  }
  const int matrix = sides[1].free.empty() ? 0 : 1;
  const int vector = 1 - matrix;
  HloInstruction* const x = root->operand(matrix);
  if (!sides[vector].free.empty() || !IsAscending(sides[matrix].batch)) return nullptr;
  // The batch dimensions of the result come first.
  if (!sides[matrix].batch.empty() && !sides[matrix].free.empty() &&
      sides[matrix].free[0] < sides[matrix].batch.back()) {
    return nullptr;
  }
  DimensionVector places(root->operand(vector)->shape().rank());
  for (size_t i = 0; i < sides[vector].batch.size(); ++i) places[sides[vector].batch[i]] = sides[matrix].batch[i];
  for (size_t i = 0; i < sides[vector].contracting.size(); ++i) {
    places[sides[vector].contracting[i]] = sides[matrix].contracting[i];
  }
  HloInstruction* const y = context.build.Broadcast(root->operand(vector), x->shape().dimensions(), places);
  HloInstruction* const products = context.build.Mul(matrix == 0 ? x : y, matrix == 0 ? y : x);
  return context.build.Reduce(products, context.build.Zero(type), sides[matrix].contracting, HloOpcode::kAdd);
}

HloInstruction* IntegerDotToReduce(HloInstruction* root, const RuleContext& context) {
  const PrimitiveType type = root->shape().element_type();
  return IsInt(type) || type == PRED ? DotToReduce(root, context) : nullptr;
}

HloInstruction* FloatDotToReduce(HloInstruction* root, const RuleContext& context) {
  const PrimitiveType type = root->shape().element_type();
  return type == F32 || type == F64 ? DotToReduce(root, context) : nullptr;
}

}  // namespace

const RuleList& DotRules() {
  static const std::vector<HloOpcode> dot = {HloOpcode::kDot};
  static const auto* const rules = new RuleList{
      {"dot-of-nothing", "dot(x, y) over a dimension of size 0 => broadcast(0)", dot, &DotOfNothing},
      {"dot-of-zero", "dot(broadcast(0), y) => broadcast(0)  (integers and predicates)", dot, &DotOfZero},
      {"dot-of-transpose", "dot(transpose(x), y) => dot(x, y) with other dimension numbers", dot, &DotOfTranspose},
      {"transpose-of-dot", "transpose(dot(x, y)) => dot(y, x)", {HloOpcode::kTranspose}, &TransposeOfDot},
      {"dot-to-multiply", "dot(x, y) over nothing or dimensions of size 1 => multiply(broadcast(x), broadcast(y)) + 0",
       dot, &DotToMultiply},
      {"integer-dot-to-reduce", "dot(matrix, vector) => reduce(multiply(matrix, broadcast(vector)), add)", dot,
       &IntegerDotToReduce},
      {"dot-to-reduce", "dot(matrix, vector) => reduce(multiply(matrix, broadcast(vector)), add)", dot,
       &FloatDotToReduce, kReassociate},
  };
  return *rules;
}

}  // namespace xla
