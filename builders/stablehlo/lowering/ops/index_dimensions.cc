#include "builders/stablehlo/lowering/ops/index_dimensions.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {

DimensionVector Joined(const DimensionVector& a, const DimensionVector& b) {
  DimensionVector joined = a;
  joined.insert(joined.end(), b.begin(), b.end());
  return joined;
}

absl::Status CheckSorted(absl::string_view what, const DimensionVector& list, absl::string_view constraint) {
  if (std::is_sorted(list.begin(), list.end())) return absl::OkStatus();
  return Broken(constraint, absl::StrCat(what, " must be in ascending order"));
}

absl::Status CheckBatching(const BatchingLabels& labels, const Shape& array, const Shape& indices,
                           const DimensionVector& array_dims, const DimensionVector& indices_dims,
                           int64_t index_vector_dim) {
  RETURN_IF_ERROR(CheckDimensions(labels.indices_list, indices_dims, indices.rank(), labels.range, labels.unique));
  if (std::count(indices_dims.begin(), indices_dims.end(), index_vector_dim) != 0) {
    return Broken(labels.not_vector,
                  absl::StrCat(labels.indices_list, " must not have index_vector_dim ", index_vector_dim));
  }
  if (array_dims.size() != indices_dims.size()) {
    return Broken(labels.count,
                  absl::StrCat(labels.array_list, " and ", labels.indices_list, " must have as many entries, got ",
                               array_dims.size(), " and ", indices_dims.size()));
  }
  for (size_t i = 0; i < array_dims.size(); ++i) {
    const int64_t a = array.dimension(static_cast<int>(array_dims[i]));
    const int64_t b = indices.dimension(static_cast<int>(indices_dims[i]));
    if (a == b) continue;
    return Broken(labels.sizes, absl::StrCat(labels.array_list, "[", i, "] and ", labels.indices_list, "[", i,
                                             "] must be dimensions of equal size, got ", a, " and ", b));
  }
  return absl::OkStatus();
}

absl::Status CheckIndexVector(const Shape& indices, int64_t index_vector_dim, size_t map_size,
                              absl::string_view map_name, absl::string_view range, absl::string_view size) {
  if (index_vector_dim < 0 || index_vector_dim > indices.rank()) {
    return Broken(range, absl::StrCat("index_vector_dim must be at least 0 and at most the rank of the indices, ",
                                      indices.rank(), ", got ", index_vector_dim));
  }
  const int64_t expected =
      index_vector_dim < indices.rank() ? indices.dimension(static_cast<int>(index_vector_dim)) : 1;
  return CheckSize(map_name, map_size, expected, size);
}

}  // namespace stablehlo
}  // namespace xla
