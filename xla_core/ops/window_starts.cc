#include "xla_core/ops/window_starts.h"

#include "absl/strings/str_cat.h"
#include "xla_core/ops/dimension_checks.h"
#include "xla_core/ops/strided_copy.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Coordinates per index vector.
int64_t IndexVectorSize(const Shape& indices, int64_t index_vector_dim) {
  return index_vector_dim == indices.rank() ? 1 : indices.dimension(static_cast<int>(index_vector_dim));
}

// The index vectors lie along index_vector_dim, or are scalars if that equals the rank.
absl::Status CheckIndexArray(const WindowStartAttributes& attributes, const Shape& indices) {
  if (!IsInt(indices.element_type())) {
    return absl::InvalidArgumentError(
        absl::StrCat("the indices must be of an integer type, got ", indices.ToString(), "; convert them"));
  }
  if (attributes.index_vector_dim < 0 || attributes.index_vector_dim > indices.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("index_vector_dim=", attributes.index_vector_dim,
                                                   " must be between 0 and the rank of the indices ",
                                                   indices.ToString(), ", which is ", indices.rank()));
  }
  const int64_t vector_size = IndexVectorSize(indices, attributes.index_vector_dim);
  if (static_cast<int64_t>(attributes.map.dimensions.size()) != vector_size) {
    return absl::InvalidArgumentError(absl::StrCat(attributes.map.name, "=", ListToString(attributes.map.dimensions),
                                                   " must have an entry for each of ", vector_size,
                                                   " coordinates of an index vector of ", indices.ToString(),
                                                   " along index_vector_dim=", attributes.index_vector_dim));
  }
  return absl::OkStatus();
}

// Batching dimensions pair up dimensions of the operand and of the indices that must have the same index.
absl::Status CheckBatching(const WindowStartAttributes& attributes, const Shape& operand, const Shape& indices) {
  const auto& of_operand = attributes.operand_batching;
  const auto& of_indices = attributes.indices_batching;
  RETURN_IF_ERROR(
      CheckDistinctDimensions(of_indices.name, of_indices.dimensions, {"the index array", indices.rank(), &indices}));
  if (Contains(of_indices.dimensions, attributes.index_vector_dim)) {
    return absl::InvalidArgumentError(absl::StrCat(of_indices.name, "=", ListToString(of_indices.dimensions),
                                                   " must not name index_vector_dim, which is ",
                                                   attributes.index_vector_dim));
  }
  if (of_operand.dimensions.size() != of_indices.dimensions.size()) {
    return absl::InvalidArgumentError(absl::StrCat(of_operand.name, "=", ListToString(of_operand.dimensions), " and ",
                                                   of_indices.name, "=", ListToString(of_indices.dimensions),
                                                   " must be equally long"));
  }
  for (size_t i = 0; i < of_operand.dimensions.size(); ++i) {
    const int a = static_cast<int>(of_operand.dimensions[i]);
    const int b = static_cast<int>(of_indices.dimensions[i]);
    if (operand.dimension(a) == indices.dimension(b)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "batching dimensions must have one size: dimension ", a, " of the operand ", operand.ToString(), " is ",
        operand.dimension(a), ", dimension ", b, " of the indices ", indices.ToString(), " is ", indices.dimension(b)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckWindowStarts(const WindowStartAttributes& attributes, const Shape& operand, const Shape& indices) {
  const DimensionsOf of_operand = {"the operand", operand.rank(), &operand};
  const auto& [map, operand_batching, indices_batching, dropped, index_vector_dim] = attributes;
  RETURN_IF_ERROR(CheckIndexArray(attributes, indices));
  RETURN_IF_ERROR(CheckDistinctDimensions(map.name, map.dimensions, of_operand));
  RETURN_IF_ERROR(CheckAscendingDimensions(dropped.name, dropped.dimensions, of_operand));
  RETURN_IF_ERROR(CheckAscendingDimensions(operand_batching.name, operand_batching.dimensions, of_operand));
  RETURN_IF_ERROR(CheckDisjoint(dropped.name, dropped.dimensions, operand_batching.name, operand_batching.dimensions));
  RETURN_IF_ERROR(CheckDisjoint(map.name, map.dimensions, operand_batching.name, operand_batching.dimensions));
  return CheckBatching(attributes, operand, indices);
}

DimensionVector WindowCountingDimensions(const Shape& indices, int64_t index_vector_dim) {
  DimensionVector dimensions;
  for (int d = 0; d < indices.rank(); ++d) {
    if (d != index_vector_dim) dimensions.push_back(d);
  }
  return dimensions;
}

// Precomputes for each coordinate of an index vector where it is, how large it may be, and the stride that it stands
// for.
WindowStartReader::WindowStartReader(const WindowStartAttributes& attributes, const Shape& operand,
                                     absl::Span<const int64_t> operand_sizes, absl::Span<const int64_t> window,
                                     const Literal& indices)
    : read_(IndexReaderFor(indices.shape().element_type())), data_(indices.untyped_data()) {
  const DimensionVector operand_strides = RowMajorStrides(operand);
  const DimensionVector index_strides = RowMajorStrides(indices.shape());
  const auto& map = attributes.map.dimensions;
  for (size_t k = 0; k < map.size(); ++k) {
    const int64_t d = map[k];
    const int64_t step = attributes.index_vector_dim < indices.shape().rank()
                             ? index_strides[static_cast<int>(attributes.index_vector_dim)]
                             : 0;
    coordinates_.push_back({static_cast<int64_t>(k) * step, operand_sizes[d] - window[d], operand_strides[d]});
  }
}

}  // namespace xla
