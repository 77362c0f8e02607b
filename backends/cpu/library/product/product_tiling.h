// How a product is cut into tiles. By its shape alone, so that no bit of a result depends on who runs them.
#ifndef BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_TILING_H_
#define BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_TILING_H_

#include <cstdint>

#include "passes/analyses/strided_dot.h"

namespace xla {

struct ProductBlock {
  int64_t batch, batch_count;
  int64_t m, m_count;
  int64_t n, n_count;
  int64_t k, k_count;
  int64_t k_tile;  // which of the sums that are added in the end
};

struct ProductTiling {
  int64_t batches, m, n, k;                        // of the whole
  int64_t batch_tile, m_tile, n_tile, k_tile;      // of a tile, at most
  int64_t batch_tiles, m_tiles, n_tiles, k_tiles;  // how many

  // One tile.
  explicit ProductTiling(const StridedDot& product);
  // At most so large; as even as multiples allow.
  void CutBatch(int64_t tile);
  void CutRows(int64_t tile, int64_t multiple);
  void CutColumns(int64_t tile, int64_t multiple);
  void CutInner(int64_t tile, int64_t multiple);
  // About `count` tiles of large blocks.
  void CutInto(int64_t count);

  double FlopCount() const { return 2.0 * batches * m * n * k; }
  int64_t TileCount() const { return batch_tiles * m_tiles * n_tiles * k_tiles; }
  ProductBlock Block(int64_t tile) const;
};

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_TILING_H_
