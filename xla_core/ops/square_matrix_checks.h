// The operand rule of cholesky and triangular-solve.
#ifndef XLA_CORE_OPS_SQUARE_MATRIX_CHECKS_H_
#define XLA_CORE_OPS_SQUARE_MATRIX_CHECKS_H_

#include "absl/status/status.h"
#include "xla_core/types/shape.h"

namespace xla {

// The matrices of `shape` are its last two dimensions; they must be square and of floats or complex numbers.
absl::Status CheckSquareMatrices(const Shape& shape);

}  // namespace xla

#endif  // XLA_CORE_OPS_SQUARE_MATRIX_CHECKS_H_
