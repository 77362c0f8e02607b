#include "backends/cpu/library/product/product_tiling.h"

#include <algorithm>

#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

// Equal parts of at most `tile`, except for rounding up to a multiple.
void Cut(int64_t size, int64_t tile, int64_t multiple, int64_t& tile_size, int64_t& tiles) {
  const int64_t parts = CeilDiv(size, std::max<int64_t>(tile, 1));
  tile_size = std::min(size, RoundUp(CeilDiv(size, parts), multiple));
  tiles = CeilDiv(size, tile_size);
}

}  // namespace

ProductTiling::ProductTiling(const StridedDot& product)
    : batches(product.BatchCount()),
      m(product.m),
      n(product.n),
      k(product.k),
      batch_tile(batches),
      m_tile(m),
      n_tile(n),
      k_tile(k),
      batch_tiles(1),
      m_tiles(1),
      n_tiles(1),
      k_tiles(1) {}

void ProductTiling::CutBatch(int64_t tile) { Cut(batches, tile, 1, batch_tile, batch_tiles); }
void ProductTiling::CutRows(int64_t tile, int64_t multiple) { Cut(m, tile, multiple, m_tile, m_tiles); }
void ProductTiling::CutColumns(int64_t tile, int64_t multiple) { Cut(n, tile, multiple, n_tile, n_tiles); }
void ProductTiling::CutInner(int64_t tile, int64_t multiple) { Cut(k, tile, multiple, k_tile, k_tiles); }

// Operands are read once for each tile that shares them: m * n_tiles + n * m_tiles rows of k elements, which is least
// for tiles that are nearly squares.
void ProductTiling::CutInto(int64_t count) {
  constexpr int64_t kRows = 16, kColumns = 32;
  CutBatch(CeilDiv(batches, std::min(batches, count)));
  const int64_t parts = CeilDiv(count, batch_tiles);
  if (parts == 1) return;
  int64_t best_rows = 1;
  double best_cost = -1;
  for (int64_t rows = 1; rows <= parts && rows <= CeilDiv(m, kRows); ++rows) {
    const int64_t columns = std::min(CeilDiv(parts, rows), CeilDiv(n, kColumns));
    const double missing = static_cast<double>(parts) / static_cast<double>(rows * columns);
    const double cost = (static_cast<double>(m) * columns + static_cast<double>(n) * rows) * std::max(missing, 1.0);
    if (best_cost < 0 || cost < best_cost) {
      best_cost = cost;
      best_rows = rows;
    }
  }
  CutRows(CeilDiv(m, best_rows), kRows);
  CutColumns(CeilDiv(n, std::min(CeilDiv(parts, best_rows), CeilDiv(n, kColumns))), kColumns);
}

ProductBlock ProductTiling::Block(int64_t tile) const {
  ProductBlock block;
  const auto next = [&tile](int64_t tiles, int64_t tile_size, int64_t size, int64_t& begin, int64_t& count) {
    begin = tile % tiles * tile_size;
    count = std::min(tile_size, size - begin);
    tile /= tiles;
  };
  next(n_tiles, n_tile, n, block.n, block.n_count);
  next(m_tiles, m_tile, m, block.m, block.m_count);
  next(batch_tiles, batch_tile, batches, block.batch, block.batch_count);
  block.k_tile = tile;
  next(k_tiles, k_tile, k, block.k, block.k_count);
  return block;
}

}  // namespace xla
