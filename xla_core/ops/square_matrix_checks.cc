#include "xla_core/ops/square_matrix_checks.h"

#include "absl/strings/str_cat.h"

namespace xla {

absl::Status CheckSquareMatrices(const Shape& shape) {
  if (!shape.IsArray() || (!IsFloat(shape.element_type()) && !IsComplex(shape.element_type()))) {
    return absl::InvalidArgumentError(
        absl::StrCat("the matrix must be an array of floats or complex numbers, got ", shape.ToString()));
  }
  const int rank = shape.rank();
  if (rank < 2 || shape.dimension(rank - 2) != shape.dimension(rank - 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the last two dimensions must make a square matrix, got ", shape.ToString()));
  }
  return absl::OkStatus();
}

}  // namespace xla
