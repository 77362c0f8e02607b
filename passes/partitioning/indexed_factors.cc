// Factors of gather and scatter: dimensions that slices span as a whole, batches, and the indices of a gather.
//
// A start along a dimension that a slice spans as a whole does not matter to a gather, which clamps it to 0. A scatter
// leaves out a window that does not begin at 0 there, on a shard as on the whole array. Along a dimension of which
// updates have one element, each device scatters what its shard has a place for.
#include <algorithm>

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

}  // namespace

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
