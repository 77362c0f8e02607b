#include "xla_core/ops/tiled_matmul.h"

#include <algorithm>

#include "xla_core/ops/parallel_status.h"
#include "xla_core/ops/scratch_reservation.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// A block of lhs (128 x 256 doubles) is 256 KiB and one of rhs 512 KiB: together they stay in a second-level cache,
// while one panel of rhs (256 x 8) stays in the first.
constexpr int64_t kBlockRows = 128;
constexpr int64_t kBlockColumns = 256;
constexpr int64_t kBlockInner = 256;

void Accumulate(const MatmulTile<double>& tile) {
  if (HasAvx2()) return AccumulateTileAvx2(tile);
  AccumulateTile(tile);
}
template <typename Wide>
void Accumulate(const MatmulTile<Wide>& tile) {
  AccumulateTile(tile);
}

template <typename Wide>
void AccumulateValid(const MatmulTile<Wide>& tile, const uint8_t* valid) {
  for (int i = 0; i < tile.rows; ++i) {
    for (int64_t k = 0; k < tile.k; ++k) {
      if (!valid[i * tile.k + k]) continue;
      AccumulateTile(MatmulTile<Wide>{1, 1, tile.lhs + i * tile.k + k, tile.rhs + k * kTileColumns,
                                      tile.sums + i * tile.sums_pitch, tile.sums_pitch});
    }
  }
}

// One tile of the result at a time, with buffers that serve many tiles.
template <typename Wide>
class TileWorker {
 public:
  TileWorker(const MatmulSizes& sizes, const MatmulOperands<Wide>& operands) : sizes_(sizes), operands_(operands) {
    const int64_t rows = std::min(sizes.m, kBlockRows);
    const int64_t inner = std::min(sizes.k, kBlockInner);
    pitch_ = Pitch(sizes);
    lhs_.resize(rows * inner);
    rhs_.resize(inner * pitch_);
    sums_.resize(rows * pitch_);
    if (operands.SkipsProducts()) valid_.resize(rows * inner);
  }

  // What the buffers of a worker take.
  static int64_t BufferBytes(const MatmulSizes& sizes) {
    const int64_t rows = std::min(sizes.m, kBlockRows);
    const int64_t inner = std::min(sizes.k, kBlockInner);
    const int64_t pitch = Pitch(sizes);
    return (rows * inner + inner * pitch + rows * pitch) * int64_t{sizeof(Wide)} + rows * inner;
  }

  void Run(int64_t batch, int64_t m_begin, int64_t n_begin) {
    const int64_t m_count = std::min(kBlockRows, sizes_.m - m_begin);
    const int64_t n_count = std::min(kBlockColumns, sizes_.n - n_begin);
    std::fill_n(sums_.begin(), m_count * pitch_, Wide());
    for (int64_t k = 0; k < sizes_.k; k += kBlockInner) {
      const int64_t k_count = std::min(kBlockInner, sizes_.k - k);
      operands_.PackLhs({batch, m_begin, m_count, k, k_count}, lhs_.data(), valid_.empty() ? nullptr : valid_.data());
      operands_.PackRhs({batch, n_begin, n_count, k, k_count}, rhs_.data());
      AccumulateBlock(m_count, n_count, k_count);
    }
    operands_.Store(batch, m_begin, m_count, n_begin, n_count, sums_.data(), pitch_);
  }

 private:
  static int64_t Pitch(const MatmulSizes& sizes) {
    return CeilDiv(std::min(sizes.n, kBlockColumns), kTileColumns) * kTileColumns;
  }

  // One call of the microkernel for each tile of kTileRows x kTileColumns sums, which stay in registers over k.
  void AccumulateBlock(int64_t m_count, int64_t n_count, int64_t k_count) {
    for (int64_t n = 0; n < n_count; n += kTileColumns) {
      for (int64_t m = 0; m < m_count; m += kTileRows) {
        const int rows = static_cast<int>(std::min<int64_t>(kTileRows, m_count - m));
        const MatmulTile<Wide> tile{
            rows, k_count, lhs_.data() + m * k_count, rhs_.data() + n * k_count, sums_.data() + m * pitch_ + n, pitch_};
        if (valid_.empty()) {
          Accumulate(tile);
        } else {
          AccumulateValid(tile, valid_.data() + m * k_count);
        }
      }
    }
  }

  const MatmulSizes& sizes_;
  const MatmulOperands<Wide>& operands_;
  int64_t pitch_;
  std::vector<Wide> lhs_;
  std::vector<Wide> rhs_;
  std::vector<Wide> sums_;
  std::vector<uint8_t> valid_;
};

// Tiles that make up some hundred thousand products, so that many small products of a batch share one set of buffers.
int64_t TilesPerTask(const MatmulSizes& sizes) {
  const double products = static_cast<double>(std::min(sizes.m, kBlockRows)) *
                          static_cast<double>(std::min(sizes.n, kBlockColumns)) *
                          static_cast<double>(std::max<int64_t>(sizes.k, 1));
  return std::max<int64_t>(1, static_cast<int64_t>(200000 / products));
}

}  // namespace

// Each task takes whole tiles, and the inner index is never split between tasks, so that sums do not depend on
// threads.
template <typename Wide>
absl::Status TiledMatmul(const MatmulSizes& sizes, const MatmulOperands<Wide>& operands, EvalContext& context) {
  if (sizes.batch == 0 || sizes.m == 0 || sizes.n == 0) return absl::OkStatus();
  const int64_t row_blocks = CeilDiv(sizes.m, kBlockRows);
  const int64_t column_blocks = CeilDiv(sizes.n, kBlockColumns);
  const int64_t tiles = sizes.batch * row_blocks * column_blocks;
  MemoryBudget* const budget = context.memory_budget();
  return ParallelForStatus(context, tiles, TilesPerTask(sizes), [&](int64_t begin, int64_t end) -> absl::Status {
    ASSIGN_OR_RETURN(const auto reservation, ScratchReservation::Make(TileWorker<Wide>::BufferBytes(sizes), budget));
    TileWorker<Wide> worker(sizes, operands);
    for (int64_t tile = begin; tile < end; ++tile) {
      const int64_t column_block = tile % column_blocks;
      const int64_t row_block = tile / column_blocks % row_blocks;
      worker.Run(tile / column_blocks / row_blocks, row_block * kBlockRows, column_block * kBlockColumns);
    }
    return absl::OkStatus();
  });
}

template absl::Status TiledMatmul(const MatmulSizes&, const MatmulOperands<double>&, EvalContext&);
template absl::Status TiledMatmul(const MatmulSizes&, const MatmulOperands<uint64_t>&, EvalContext&);
template absl::Status TiledMatmul(const MatmulSizes&, const MatmulOperands<std::complex<double>>&, EvalContext&);

}  // namespace xla
