// Factors of products and sums: dot, convolution, reduce, batch-norm.
#include <algorithm>

#include "passes/base/identity_element.h"
#include "passes/partitioning/factor_rule.h"
#include "passes/partitioning/ordered_reduction.h"
#include "xla_core/ir/attributes.h"

namespace xla {
namespace {

// Parts are sums in the type of the result: integers wrap to the same bits in the end, floats are rounded once more.
// Padding is zero in them, so each type must have one.
bool CanBeAddedUp(const HloInstruction& product) {
  const auto has_zero = [](const Shape& shape) { return IdentityElement(HloOpcode::kAdd, shape.element_type()).ok(); };
  return has_zero(product.shape()) && has_zero(product.operand(0)->shape()) && has_zero(product.operand(1)->shape());
}

// The first dimension of several elements that is reduced: the tiles along it are ranges of elements in their order.
// -1: there is none.
int FirstReduced(const Shape& array, const DimensionVector& reduced) {
  for (int k = 0; k < array.rank(); ++k) {
    if (array.dimension(k) > 1 && std::find(reduced.begin(), reduced.end(), k) != reduced.end()) return k;
  }
  return -1;
}

}  // namespace

absl::optional<FactorRule> DotFactors(const HloInstruction& instruction) {
  const DotAttributes& attributes = instruction.attributes<DotAttributes>();
  const Shape& lhs = instruction.operand(0)->shape();
  const Shape& rhs = instruction.operand(1)->shape();
  FactorRule rule;
  rule.operands = {std::vector<int>(lhs.rank(), FactorRule::kNone), std::vector<int>(rhs.rank(), FactorRule::kNone)};
  rule.results.emplace_back();
  std::vector<bool> is_free[] = {std::vector<bool>(lhs.rank(), true), std::vector<bool>(rhs.rank(), true)};
  for (size_t i = 0; i < attributes.lhs_batch_dims.size(); ++i) {
    const int factor = rule.AddFactor();
    rule.operands[0][attributes.lhs_batch_dims[i]] = rule.operands[1][attributes.rhs_batch_dims[i]] = factor;
    rule.results[0].push_back(factor);
    is_free[0][attributes.lhs_batch_dims[i]] = is_free[1][attributes.rhs_batch_dims[i]] = false;
  }
  const bool can_be_cut = CanBeAddedUp(instruction);
  for (size_t i = 0; i < attributes.lhs_contracting_dims.size(); ++i) {
    const int64_t of_lhs = attributes.lhs_contracting_dims[i];
    const int64_t of_rhs = attributes.rhs_contracting_dims[i];
    is_free[0][of_lhs] = is_free[1][of_rhs] = false;
    if (can_be_cut) rule.operands[0][of_lhs] = rule.operands[1][of_rhs] = rule.AddFactor({/*is_reduced=*/true});
  }
  for (int side = 0; side < 2; ++side) {
    for (size_t k = 0; k < is_free[side].size(); ++k) {
      if (!is_free[side][k]) continue;
      rule.operands[side][k] = rule.AddFactor();
      rule.results[0].push_back(rule.operands[side][k]);
    }
  }
  return rule;
}

absl::optional<FactorRule> ConvolutionFactors(const HloInstruction& instruction) {
  const ConvolutionAttributes& attributes = instruction.attributes<ConvolutionAttributes>();
  const bool is_usual =
      attributes.convolution_kind == ConvolutionKind::kUnset || attributes.convolution_kind == ConvolutionKind::kFprop;
  const bool is_sparse = attributes.sparsity_config.lhs.has_value() || attributes.sparsity_config.rhs.has_value();
  if (!is_usual || is_sparse) return absl::nullopt;
  const ConvolutionDimensionNumbers& dims = attributes.dim_labels;
  FactorRule rule;
  rule.operands = {std::vector<int>(instruction.operand(0)->shape().rank(), FactorRule::kNone),
                   std::vector<int>(instruction.operand(1)->shape().rank(), FactorRule::kNone)};
  rule.results = {std::vector<int>(instruction.shape().rank(), FactorRule::kNone)};
  const bool can_be_added_up = CanBeAddedUp(instruction);
  // Groups would be spread over shards of the batch, or of features.
  if (attributes.batch_group_count == 1) {
    rule.operands[0][dims.input_batch] = rule.results[0][dims.output_batch] = rule.AddFactor();
  }
  if (attributes.batch_group_count == 1 && attributes.feature_group_count == 1) {
    rule.operands[1][dims.kernel_output_feature] = rule.results[0][dims.output_feature] = rule.AddFactor();
    if (can_be_added_up) {
      rule.operands[0][dims.input_feature] = rule.operands[1][dims.kernel_input_feature] =
          rule.AddFactor({/*is_reduced=*/true});
    }
  }
  if (can_be_added_up) AddSpatialFactors(instruction, rule);
  return rule;
}

absl::optional<FactorRule> ReduceFactors(const HloInstruction& instruction) {
  const DimensionVector& reduced = instruction.attributes<DimensionsAttributes>().dimensions;
  const int arrays = instruction.operand_count() / 2;
  const absl::optional<HloOpcode> opcode = ReducingOpcode(*instruction.called_computation(0));
  const Shape& array = instruction.operand(0)->shape();
  const bool can_be_cut = arrays == 1 && opcode.has_value() && IdentityElement(*opcode, array.element_type()).ok();
  FactorRule rule;
  if (can_be_cut) rule.combiner = *opcode;
  // Several arrays are reduced by a function that may look at the order of elements: that of argmax does.
  const int first = FirstReduced(array, reduced);
  rule.reduces_parts = !can_be_cut && first >= 0 && IsRegroupedInOrder(instruction);
  std::vector<int> of_array;
  std::vector<int> of_result;
  for (int k = 0; k < array.rank(); ++k) {
    const bool is_reduced = std::find(reduced.begin(), reduced.end(), k) != reduced.end();
    const bool is_cut = !is_reduced || can_be_cut || (rule.reduces_parts && k == first);
    of_array.push_back(is_cut ? rule.AddFactor({is_reduced}) : FactorRule::kNone);
    if (!is_reduced) of_result.push_back(of_array.back());
  }
  rule.operands.assign(arrays, of_array);
  rule.operands.resize(2 * arrays);
  rule.results.assign(arrays, of_result);
  return rule;
}

// Features are normalized one by one. With given mean and variance, so is everything else.
absl::optional<FactorRule> BatchNormFactors(const HloInstruction& instruction) {
  const int64_t feature = instruction.attributes<BatchNormAttributes>().feature_index;
  const Shape& array = instruction.operand(0)->shape();
  FactorRule rule;
  std::vector<int> of_array;
  for (int k = 0; k < array.rank(); ++k) {
    const bool is_cut = k == feature || instruction.opcode() == HloOpcode::kBatchNormInference;
    of_array.push_back(is_cut ? rule.AddFactor() : FactorRule::kNone);
  }
  const std::vector<int> of_feature = {of_array[feature]};
  // Of rank 1 in an array of rank 1 are both: the two lists are equal then.
  const auto factors_of = [&](const Shape& shape) { return shape.rank() == 1 ? of_feature : of_array; };
  for (const HloInstruction* operand : instruction.operands()) rule.operands.push_back(factors_of(operand->shape()));
  for (const Shape* leaf : ResultLeaves(instruction.shape())) rule.results.push_back(factors_of(*leaf));
  return rule;
}

}  // namespace xla
