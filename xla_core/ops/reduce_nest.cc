#include "xla_core/ops/reduce_nest.h"

namespace xla {

// Merges neighbouring dimensions that are both kept, or both reduced, and lie evenly in memory, so that loops are few
// and long.
ReduceNest::ReduceNest(absl::Span<const int64_t> dimensions, const DimensionVector& sizes,
                       const std::vector<bool>& reduced) {
  const DimensionVector strides = RowMajorStrides(dimensions);
  DimensionVector result_dimensions;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!reduced[i]) result_dimensions.push_back(dimensions[i]);
  }
  const DimensionVector all_result_strides = RowMajorStrides(result_dimensions);

  for (size_t i = 0, kept = 0; i < sizes.size(); ++i) {
    const int64_t result_stride = reduced[i] ? 0 : all_result_strides[kept++];
    const int64_t inner = strides[i] * sizes[i];
    (reduced[i] ? reduced_count : kept_count) *= sizes[i];
    if (sizes[i] == 1) continue;
    if (reduced[i]) {
      if (!reduced_sizes.empty() && reduced_strides.back() == inner) {
        reduced_sizes.back() *= sizes[i];
        reduced_strides.back() = strides[i];
      } else {
        reduced_sizes.push_back(sizes[i]);
        reduced_strides.push_back(strides[i]);
      }
    } else if (!kept_sizes.empty() && kept_strides.back() == inner &&
               result_strides.back() == result_stride * sizes[i]) {
      kept_sizes.back() *= sizes[i];
      kept_strides.back() = strides[i];
      result_strides.back() = result_stride;
    } else {
      kept_sizes.push_back(sizes[i]);
      kept_strides.push_back(strides[i]);
      result_strides.push_back(result_stride);
    }
  }
  if (kept_sizes.empty()) {
    kept_sizes = {1};
    kept_strides = {1};
    result_strides = {1};
  }
  if (reduced_sizes.empty()) {
    reduced_sizes = {1};
    reduced_strides = {0};
  }
}

}  // namespace xla
