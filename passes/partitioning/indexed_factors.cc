// Factors of gather, scatter, dynamic-slice and dynamic-update-slice: dimensions that slices span as a whole, batches,
// the indices of a gather, and dimensions of which slices have one element.
//
// A start along a dimension that a slice spans as a whole does not matter to a gather, which clamps it to 0. A scatter
// leaves out a window that does not begin at 0 there, on a shard as on the whole array. Along a dimension of which
// slices have one element, each device looks up what its shard has, and results are added up (partition_gather.h); it
// scatters what its shard has a place for.
#include <algorithm>

#include "passes/base/identity_element.h"
#include "passes/partitioning/factor_rule.h"
#include "xla_core/ir/attributes.h"

namespace xla {
namespace {

bool Has(const DimensionVector& dimensions, int64_t k) {
  return std::find(dimensions.begin(), dimensions.end(), k) != dimensions.end();
}

// Dimensions of an array of `rank` that are not in the list, ascending.
std::vector<int64_t> Others(int64_t rank, const DimensionVector& listed) {
  std::vector<int64_t> others;
  for (int64_t k = 0; k < rank; ++k) {
    if (!Has(listed, k)) others.push_back(k);
  }
  return others;
}

// The operand's dimensions that windows have, ascending: all but those that are left out of them.
std::vector<int64_t> WindowDimensions(int64_t rank, const DimensionVector& left_out, const DimensionVector& batching) {
  DimensionVector listed = left_out;
  listed.insert(listed.end(), batching.begin(), batching.end());
  return Others(rank, listed);
}

// Dimensions of the indices, without the one that holds vectors.
std::vector<int64_t> IndexDimensions(int64_t rank, int64_t index_vector_dim) {
  return Others(rank, DimensionVector{index_vector_dim});
}

// Elements that other devices do not have are neutral in a sum.
bool CanBeLookedUp(const Shape& array) { return IdentityElement(HloOpcode::kAdd, array.element_type()).ok(); }

FactorRule::Factor LookedUp(int part) {
  FactorRule::Factor factor;
  factor.is_reduced = true;
  factor.index_part = part;
  return factor;
}

// Dimensions along which an array stays as it is. A start along a dimension that is taken as a whole is clamped to 0,
// so what it is does not matter.
FactorRule WholePartsOf(const HloInstruction& instruction, const Shape& part) {
  const Shape& array = instruction.operand(0)->shape();
  std::vector<bool> is_cut(array.rank());
  for (int k = 0; k < array.rank(); ++k) is_cut[k] = part.dimension(k) == array.dimension(k);
  FactorRule rule = AlignedRule(instruction, is_cut);
  // Starts may be one vector, which is as long as the array has dimensions.
  for (size_t i = &part == &instruction.shape() ? 1 : 2; i < rule.operands.size(); ++i) {
    rule.operands[i].assign(rule.operands[i].size(), FactorRule::kNone);
  }
  return rule;
}

// Whether a slice or an update has one of several elements along the dimension, and its start is a scalar.
bool IsOneAtScalar(const HloInstruction& instruction, const Shape& part, int k) {
  return part.dimension(k) == 1 && instruction.operand(0)->shape().dimension(k) > 1 &&
         instruction.operand(instruction.operand_count() - 1)->shape().rank() == 0;
}

}  // namespace

absl::optional<FactorRule> DynamicSliceFactors(const HloInstruction& instruction) {
  FactorRule rule = WholePartsOf(instruction, instruction.shape());
  if (!CanBeLookedUp(instruction.operand(0)->shape())) return rule;
  for (int k = 0; k < instruction.shape().rank(); ++k) {
    if (IsOneAtScalar(instruction, instruction.shape(), k)) rule.operands[0][k] = rule.AddFactor(LookedUp(k));
  }
  return rule;
}

absl::optional<FactorRule> DynamicUpdateSliceFactors(const HloInstruction& instruction) {
  const Shape& update = instruction.operand(1)->shape();
  FactorRule rule = WholePartsOf(instruction, update);
  for (int k = 0; k < update.rank(); ++k) {
    if (!IsOneAtScalar(instruction, update, k)) continue;
    FactorRule::Factor factor;
    factor.index_part = k;
    rule.operands[0][k] = rule.results[0][k] = rule.AddFactor(factor);
  }
  return rule;
}

absl::optional<FactorRule> GatherFactors(const HloInstruction& instruction) {
  const GatherAttributes& attributes = instruction.attributes<GatherAttributes>();
  const Shape& array = instruction.operand(0)->shape();
  const Shape& indices = instruction.operand(1)->shape();
  FactorRule rule;
  std::vector<int> of_array(array.rank(), FactorRule::kNone);
  std::vector<int> of_indices(indices.rank(), FactorRule::kNone);
  std::vector<int> of_result(instruction.shape().rank(), FactorRule::kNone);

  DimensionVector offset_dims = attributes.offset_dims;
  std::sort(offset_dims.begin(), offset_dims.end());
  const std::vector<int64_t> window =
      WindowDimensions(array.rank(), attributes.collapsed_slice_dims, attributes.operand_batching_dims);
  for (size_t i = 0; i < window.size(); ++i) {
    if (attributes.slice_sizes[window[i]] != array.dimension(static_cast<int>(window[i]))) continue;
    of_array[window[i]] = of_result[offset_dims[i]] = rule.AddFactor();
  }
  for (size_t part = 0; part < attributes.start_index_map.size(); ++part) {
    const int64_t k = attributes.start_index_map[part];
    const bool is_one = attributes.slice_sizes[k] == 1 && array.dimension(static_cast<int>(k)) > 1;
    if (is_one && CanBeLookedUp(array)) of_array[k] = rule.AddFactor(LookedUp(static_cast<int>(part)));
  }
  const std::vector<int64_t> index_dims = IndexDimensions(indices.rank(), attributes.index_vector_dim);
  const std::vector<int64_t> batch_dims = Others(instruction.shape().rank(), attributes.offset_dims);
  for (size_t i = 0; i < index_dims.size(); ++i) {
    of_indices[index_dims[i]] = of_result[batch_dims[i]] = rule.AddFactor();
  }
  for (size_t i = 0; i < attributes.operand_batching_dims.size(); ++i) {
    of_array[attributes.operand_batching_dims[i]] = of_indices[attributes.start_indices_batching_dims[i]];
  }
  rule.operands = {of_array, of_indices};
  rule.results = {of_result};
  return rule;
}

absl::optional<FactorRule> ScatterFactors(const HloInstruction& instruction) {
  const ScatterAttributes& attributes = instruction.attributes<ScatterAttributes>();
  const int arrays = instruction.operand_count() / 2;
  const Shape& array = instruction.operand(0)->shape();
  const Shape& indices = instruction.operand(arrays)->shape();
  const Shape& updates = instruction.operand(arrays + 1)->shape();
  FactorRule rule;
  std::vector<int> of_array(array.rank(), FactorRule::kNone);
  std::vector<int> of_indices(indices.rank(), FactorRule::kNone);
  std::vector<int> of_updates(updates.rank(), FactorRule::kNone);

  DimensionVector window_dims = attributes.update_window_dims;
  std::sort(window_dims.begin(), window_dims.end());
  const std::vector<int64_t> window =
      WindowDimensions(array.rank(), attributes.inserted_window_dims, attributes.input_batching_dims);
  for (size_t i = 0; i < window.size(); ++i) {
    if (updates.dimension(static_cast<int>(window_dims[i])) != array.dimension(static_cast<int>(window[i]))) continue;
    of_array[window[i]] = of_updates[window_dims[i]] = rule.AddFactor();
  }
  for (const int64_t k : attributes.inserted_window_dims) {
    const DimensionVector& targets = attributes.scatter_dims_to_operand_dims;
    const auto part = std::find(targets.begin(), targets.end(), k);
    if (part == targets.end()) continue;
    FactorRule::Factor factor;
    factor.index_part = static_cast<int>(part - targets.begin());
    of_array[k] = rule.AddFactor(factor);
  }
  const std::vector<int64_t> index_dims = IndexDimensions(indices.rank(), attributes.index_vector_dim);
  const std::vector<int64_t> scatter_dims = Others(updates.rank(), attributes.update_window_dims);
  for (size_t i = 0; i < attributes.input_batching_dims.size(); ++i) {
    const int64_t of_batch = attributes.scatter_indices_batching_dims[i];
    const auto place = std::find(index_dims.begin(), index_dims.end(), of_batch) - index_dims.begin();
    of_array[attributes.input_batching_dims[i]] = of_indices[of_batch] = of_updates[scatter_dims[place]] =
        rule.AddFactor();
  }
  rule.operands.assign(arrays, of_array);
  rule.operands.push_back(of_indices);
  rule.operands.resize(2 * arrays + 1, of_updates);
  rule.results.assign(arrays, of_array);
  return rule;
}

}  // namespace xla
