// The innermost loops of a tiled matrix product: C[4][8] += A[4][k] * B[k][8].
//
// Each element of C is summed in the order of k, one product after the other, so neither the size of a block nor the
// width of the vectors changes a bit of the result. For the same reason no kernel may fuse a multiplication with an
// addition: the build says -ffp-contract=off.
#ifndef XLA_CORE_OPS_MATMUL_KERNEL_H_
#define XLA_CORE_OPS_MATMUL_KERNEL_H_

#include <complex>
#include <cstdint>

namespace xla {

inline constexpr int kTileRows = 4;
inline constexpr int kTileColumns = 8;

// A tile: row i of `lhs` starts at lhs + i * k, row k of `rhs` at rhs + k * kTileColumns, row i of `sums` at
// sums + i * sums_pitch. `rows` (1 to kTileRows) says how many rows count; the others of lhs and sums are not touched.
template <typename Wide>
struct MatmulTile {
  int rows;
  int64_t k;
  const Wide* lhs;
  const Wide* rhs;
  Wide* sums;
  int64_t sums_pitch;
};

void AccumulateTile(const MatmulTile<double>& tile);
void AccumulateTile(const MatmulTile<uint64_t>& tile);
void AccumulateTile(const MatmulTile<std::complex<double>>& tile);

// The same for doubles with vectors of four, for processors that have them.
bool HasAvx2();
void AccumulateTileAvx2(const MatmulTile<double>& tile);

}  // namespace xla

#endif  // XLA_CORE_OPS_MATMUL_KERNEL_H_
