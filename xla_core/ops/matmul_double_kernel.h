// The double kernel over vectors of any width; matmul_kernel.cc and matmul_kernel_avx2.cc each compile it for their
// instruction set. Everything here is in an unnamed namespace, lest the linker keep one copy for both.
#ifndef XLA_CORE_OPS_MATMUL_DOUBLE_KERNEL_H_
#define XLA_CORE_OPS_MATMUL_DOUBLE_KERNEL_H_

#include <cstring>

#include "xla_core/ops/matmul_kernel.h"

namespace xla {
namespace {

// kRows rows by kVectors vectors of columns: as many sums as the registers hold.
template <typename Vector, int kRows, int kVectors>
void AccumulateDoubles(const MatmulTile<double>& tile, int first_row, int first_column) {
  constexpr int kLanes = sizeof(Vector) / sizeof(double);
  Vector sums[kRows][kVectors];
  double* const c = tile.sums + first_row * tile.sums_pitch + first_column;
  for (int i = 0; i < kRows; ++i) {
    for (int v = 0; v < kVectors; ++v) std::memcpy(&sums[i][v], c + i * tile.sums_pitch + v * kLanes, sizeof(Vector));
  }
  const double* const a = tile.lhs + first_row * tile.k;
  const double* b = tile.rhs + first_column;
  for (int64_t k = 0; k < tile.k; ++k, b += kTileColumns) {
    Vector columns[kVectors];
    for (int v = 0; v < kVectors; ++v) std::memcpy(&columns[v], b + v * kLanes, sizeof(Vector));
    for (int i = 0; i < kRows; ++i) {
      const double factor = a[i * tile.k + k];
      for (int v = 0; v < kVectors; ++v) sums[i][v] += columns[v] * factor;
    }
  }
  for (int i = 0; i < kRows; ++i) {
    for (int v = 0; v < kVectors; ++v) std::memcpy(c + i * tile.sums_pitch + v * kLanes, &sums[i][v], sizeof(Vector));
  }
}

template <typename Vector, int kVectors>
void AccumulateDoubles(const MatmulTile<double>& tile) {
  constexpr int kColumns = kVectors * sizeof(Vector) / sizeof(double);
  for (int column = 0; column < kTileColumns; column += kColumns) {
    if (tile.rows == kTileRows) {
      AccumulateDoubles<Vector, kTileRows, kVectors>(tile, 0, column);
    } else {
      for (int row = 0; row < tile.rows; ++row) AccumulateDoubles<Vector, 1, kVectors>(tile, row, column);
    }
  }
}

}  // namespace
}  // namespace xla

#endif  // XLA_CORE_OPS_MATMUL_DOUBLE_KERNEL_H_
