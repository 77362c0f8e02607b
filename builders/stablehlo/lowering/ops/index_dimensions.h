// What gather and scatter share: which dimensions of indices and arrays belong together.
#ifndef BUILDERS_STABLEHLO_LOWERING_OPS_INDEX_DIMENSIONS_H_
#define BUILDERS_STABLEHLO_LOWERING_OPS_INDEX_DIMENSIONS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "builders/stablehlo/lowering/operation_call.h"

namespace xla {
namespace stablehlo {

// Which dimensions of the indices hold batches, and which batches of the array belong to them.
struct BatchingLabels {
  const char* array_list;
  const char* indices_list;
  const char* unique;
  const char* range;
  const char* not_vector;
  const char* count;
  const char* sizes;
};

absl::Status CheckBatching(const BatchingLabels& labels, const Shape& array, const Shape& indices,
                           const DimensionVector& array_dims, const DimensionVector& indices_dims,
                           int64_t index_vector_dim);
// index_vector_dim is a dimension of the indices, or the one after their last; and as long as the map from index
// vectors to dimensions of the array.
absl::Status CheckIndexVector(const Shape& indices, int64_t index_vector_dim, size_t map_size,
                              absl::string_view map_name, absl::string_view range, absl::string_view size);
// By the name of a constraint.
absl::Status CheckSorted(absl::string_view what, const DimensionVector& list, absl::string_view constraint);
DimensionVector Joined(const DimensionVector& a, const DimensionVector& b);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_OPS_INDEX_DIMENSIONS_H_
