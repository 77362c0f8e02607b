// Products of 8-bit integers and of bf16 in the processor's matrix unit.
#include <algorithm>
#include <cstring>
#include <memory>

#include "absl/types/optional.h"
#include "backends/cpu/library/product/matrix_unit_kernels.h"
#include "backends/cpu/library/product/product_programs.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

constexpr int64_t kStep = kMatrixUnitStep;
// Bytes along k that are added up at once, while rows of lhs stay near and one panel after the other passes by.
constexpr int64_t kMatrixUnitInner = 4096;
// Bytes of rhs that stay in the second cache while the rows of a tile pass by.
constexpr int64_t kPanelBytes = 1 << 20;
constexpr int64_t kMatrixUnitMaxColumns = 1024;
constexpr int64_t kFewColumns = 256;
// Columns of sums that are taken on, to what they become, while they are in the first cache.
constexpr int64_t kColumnsOfSums = 256;
// Columns that one tile of the phase before packs into panels.
constexpr int64_t kMatrixUnitColumnsOfPanelTile = 128;
// Rows of a tile of a large product; fewer would not make up for the panels' way from memory.
constexpr int64_t kMinRows = 64;
constexpr int64_t kMinColumns = 128;
// What a tile should do at least.
constexpr double kTileFlops = 32e6;
constexpr int64_t kMatrixUnitManyTiles = 16;

absl::optional<MatrixUnitType> UnitTypeOf(const ProductTypes& types) {
  if (types.lhs == BF16 && types.rhs == BF16 && (types.result == BF16 || types.result == F32)) {
    return MatrixUnitType::kBf16Bf16;
  }
  const auto is_byte = [](PrimitiveType type) { return type == S8 || type == U8; };
  if (!is_byte(types.lhs) || !is_byte(types.rhs) || (types.result != S32 && types.result != U32)) return absl::nullopt;
  if (types.lhs == S8) return types.rhs == S8 ? MatrixUnitType::kS8S8 : MatrixUnitType::kS8U8;
  return types.rhs == S8 ? MatrixUnitType::kU8S8 : MatrixUnitType::kU8U8;
}

// The unit treats bf16 numbers that are not normal as zeros, so that it is left to products that gain much. Of
// integers it is worth its preparations sooner.
bool IsWorthwhile(const StridedDot& product, MatrixUnitType type) {
  const double size = static_cast<double>(product.m) * static_cast<double>(product.n) * static_cast<double>(product.k);
  if (type == MatrixUnitType::kBf16Bf16)
    return size >= 64 * 64 * 64 && std::min({product.m, product.n, product.k}) >= 8;
  return size >= 16 * 16 * 16 && std::min(product.m, product.n) >= 4 && product.k >= 8;
}

// A tile takes 32 rows at a time through all of its columns. Panels of rhs are made in a phase of their own if several
// tiles want them.
class MatrixUnitProgram : public ProductProgram {
 public:
  MatrixUnitProgram(const StridedDot& product, const ProductTypes& types, MatrixUnitType type,
                    const MatrixUnitKernels& kernels)
      : ProductProgram(product, types),
        kernels_(kernels),
        type_(type),
        bytes_(static_cast<int>(ByteWidth(types.lhs))),
        inner_bytes_(RoundUp(product.k * bytes_, kStep)),
        copies_lhs_(product.lhs_k != 1 && product.k > 1),
        narrows_(types.result == BF16) {
    ChooseTiles();
    const int64_t columns = RoundUp(tiling_.n_tile, kMatrixUnitColumns);
    chunk_bytes_ =
        std::min(std::max(kPanelBytes / columns / kMatrixUnitInner, int64_t{1}) * kMatrixUnitInner, inner_bytes_);
    prepared_rhs_bytes_ = tiling_.batches * BatchPanelBytes();
    has_panels_ = tiling_.m_tiles > 1;
    if (has_panels_) workspace_bytes_ = prepared_rhs_bytes_;
    lhs_bytes_ = kMatrixUnitRows * (copies_lhs_ ? LhsRow() : kStep);
    sums_row_ = kSumBytes * (narrows_ ? columns : kMatrixUnitColumns) + kStep;
    sums_bytes_ = sums_row_ * (HasManyChunks() ? RoundUp(tiling_.m_tile, kMatrixUnitRows) : kMatrixUnitRows);
    scratch_bytes_ = lhs_bytes_ + sums_bytes_ + (has_panels_ ? 0 : columns * inner_bytes_);
  }

  const char* kind() const override { return "amx"; }
  int phase_count() const override { return has_panels_ ? 2 : 1; }
  int64_t tile_count(int phase) const override {
    return phase + 1 < phase_count() ? PanelTileCount() : tiling_.TileCount();
  }
  void RunTile(int phase, int64_t tile, const Buffers& buffers, void* scratch) const override {
    if (phase + 1 == phase_count()) return RunBlock(tiling_.Block(InOrder(tile)), buffers, scratch);
    if (buffers.prepared_rhs == nullptr) MakePanelTile(tile, buffers.rhs, static_cast<char*>(buffers.workspace));
  }
  void PrepareRhs(const void* rhs, void* prepared) const override {
    for (int64_t tile = 0; tile < PanelTileCount(); ++tile) MakePanelTile(tile, rhs, static_cast<char*>(prepared));
  }

 protected:
  void RunBlock(const ProductBlock& block, const Buffers& buffers, void* scratch) const override {
    for (int64_t b = block.batch; b < block.batch + block.batch_count; ++b) {
      MultiplyTile(block, b, buffers, static_cast<char*>(scratch));
    }
  }

 private:
  static constexpr int64_t kSumBytes = 4;

  // What is multiplied at a time: some rows of a batch, and bytes along k.
  struct Part {
    int64_t m;
    int rows;
    const char* lhs;     // of the first row, all of k
    int64_t result;      // element of the first row and column
    const char* panels;  // of the first column, all of k
    char* sums;          // of the first row
    int64_t begin, end;  // of bytes along k, in the chunk that the scratch memory has lhs of
    int64_t chunk_begin;
    bool is_last;
  };

  void ChooseTiles() {
    const double wanted = std::min(tiling_.FlopCount() / kTileFlops, static_cast<double>(kMatrixUnitManyTiles));
    const auto count = std::max<int64_t>(static_cast<int64_t>(wanted), 1);
    tiling_.CutColumns(std::min(std::max(kPanelBytes / inner_bytes_, kFewColumns), kMatrixUnitMaxColumns),
                       kMatrixUnitColumns);
    tiling_.CutBatch(CeilDiv(tiling_.batches, std::min(tiling_.batches, count)));
    const int64_t rows = CeilDiv(tiling_.m * tiling_.batch_tiles * tiling_.n_tiles, count);
    tiling_.CutRows(std::max(kMinRows, rows), kMatrixUnitRows);
    const int64_t columns = CeilDiv(tiling_.n * tiling_.batch_tiles * tiling_.m_tiles, count);
    if (columns < tiling_.n_tile) tiling_.CutColumns(std::max(kMinColumns, columns), kMatrixUnitColumns);
  }

  // Tiles with the same columns follow each other, so that these stay in the cache.
  int64_t InOrder(int64_t tile) const {
    const int64_t of_batch = tiling_.m_tiles * tiling_.n_tiles, batch = tile / of_batch;
    const int64_t m = tile % of_batch % tiling_.m_tiles, n = tile % of_batch / tiling_.m_tiles;
    return (batch * tiling_.m_tiles + m) * tiling_.n_tiles + n;
  }

  int64_t LhsRow() const { return chunk_bytes_ + kStep; }
  bool HasManyChunks() const { return chunk_bytes_ < inner_bytes_; }

  // ---- Panels: those of a batch one after the other, each with all of k.
  int64_t BatchPanelBytes() const { return RoundUp(product_.n, kMatrixUnitColumns) * inner_bytes_; }
  int64_t PanelTilesOfBatch() const { return CeilDiv(product_.n, kMatrixUnitColumnsOfPanelTile); }
  int64_t PanelTileCount() const { return tiling_.batches * PanelTilesOfBatch(); }

  void MakePanelTile(int64_t tile, const void* rhs, char* panels) const {
    const int64_t batch = tile / PanelTilesOfBatch(), n = tile % PanelTilesOfBatch() * kMatrixUnitColumnsOfPanelTile;
    MakePanels(batch, n, std::min(kMatrixUnitColumnsOfPanelTile, product_.n - n), rhs,
               panels + batch * BatchPanelBytes() + n * inner_bytes_);
  }

  void MakePanels(int64_t batch, int64_t n, int64_t n_count, const void* rhs, char* out) const {
    const auto* const data = static_cast<const char*>(rhs) + (OffsetsOf(batch).rhs + n * product_.rhs_n) * bytes_;
    if (product_.rhs_n == 1 || product_.n == 1) {
      return kernels_.pack_rows(bytes_, {data, product_.rhs_k * bytes_, product_.k, n_count}, out, PanelBytes());
    }
    const int64_t column_bytes = product_.rhs_n * bytes_;
    for (int64_t column = 0; column < n_count; column += kMatrixUnitColumns) {
      const int64_t columns = std::min(kMatrixUnitColumns, n_count - column);
      kernels_.pack_columns(bytes_, {data + column * column_bytes, column_bytes, columns, product_.k},
                            out + column * inner_bytes_);
    }
  }

  int64_t PanelBytes() const { return kMatrixUnitColumns * inner_bytes_; }

  // ---- Tiles
  void MultiplyTile(const ProductBlock& block, int64_t batch, const Buffers& buffers, char* scratch) const {
    const StridedDot::Batch offsets = OffsetsOf(batch);
    Part part;
    if (buffers.prepared_rhs != nullptr || has_panels_) {
      const void* const panels = buffers.prepared_rhs != nullptr ? buffers.prepared_rhs : buffers.workspace;
      part.panels = static_cast<const char*>(panels) + batch * BatchPanelBytes() + block.n * inner_bytes_;
    } else {
      char* const panels = scratch + lhs_bytes_ + sums_bytes_;
      MakePanels(batch, block.n, block.n_count, buffers.rhs, panels);
      part.panels = panels;
    }
    for (int64_t chunk = 0; chunk < inner_bytes_; chunk += chunk_bytes_) {
      const int64_t chunk_end = std::min(chunk + chunk_bytes_, inner_bytes_);
      part.chunk_begin = chunk;
      for (int64_t m = 0; m < block.m_count; m += kMatrixUnitRows) {
        part.m = block.m + m;
        part.rows = static_cast<int>(std::min(kMatrixUnitRows, block.m_count - m));
        part.lhs = static_cast<const char*>(buffers.lhs) + (offsets.lhs + part.m * product_.lhs_m) * bytes_;
        part.result = offsets.result + part.m * product_.result_m + block.n;
        part.sums = scratch + lhs_bytes_ + (HasManyChunks() ? m * sums_row_ : 0);
        if (copies_lhs_) CopyLhs(part, chunk_end, scratch);
        for (int64_t k = chunk; k < chunk_end; k += kMatrixUnitInner) {
          part.begin = k;
          part.end = std::min(k + kMatrixUnitInner, chunk_end);
          part.is_last = part.end == inner_bytes_;
          MultiplyPart(part, block.n_count, buffers.result, scratch);
        }
        if (part.is_last) FinishRows(buffers, offsets.result, part.m, part.rows, block.n, block.n_count);
      }
    }
  }

  // Rows with k contiguous, of a chunk, filled up with zeros.
  void CopyLhs(const Part& part, int64_t chunk_end, char* scratch) const {
    const int64_t k = part.chunk_begin / bytes_, k_end = std::min(chunk_end / bytes_, product_.k);
    const char* const first = part.lhs + k * product_.lhs_k * bytes_;
    kernels_.transpose(bytes_, {first, product_.lhs_k * bytes_, k_end - k, part.rows}, scratch, LhsRow());
  }

  // Sums of full panels go to the result at once, unless they are narrowed first.
  void MultiplyPart(const Part& part, int64_t columns, void* result, char* scratch) const {
    MatrixUnitBlock block;
    SetLhs(part, scratch, block);
    block.rows = part.rows;
    block.panel_bytes = PanelBytes();
    block.accumulate = part.begin > 0;
    const auto multiply = [&](int64_t column, int64_t count, void* to, int64_t row) {
      block.b = part.panels + column * inner_bytes_ + part.begin * kMatrixUnitColumns;
      block.columns = RoundUp(count, kMatrixUnitColumns / 2);
      block.c = to;
      block.c_row = row;
      kernels_.multiply(type_, block);
    };
    int64_t direct = columns % (kMatrixUnitColumns / 2) == 0 ? columns : columns - columns % kMatrixUnitColumns;
    if (narrows_) direct = 0;
    const int64_t result_bytes = ByteWidth(types_.result);
    char* const target = static_cast<char*>(result) + part.result * result_bytes;
    const int64_t target_row = product_.result_m * result_bytes;
    if (direct > 0) multiply(0, direct, target, target_row);
    for (int64_t column = direct; column < columns; column += kColumnsOfSums) {
      const int64_t count = std::min(kColumnsOfSums, columns - column);
      char* const sums = part.sums + (column - direct) * kSumBytes;
      multiply(column, count, sums, sums_row_);
      if (part.is_last) TakeSums(sums, part.rows, count, target + column * result_bytes, target_row);
    }
  }

  void SetLhs(const Part& part, char* scratch, MatrixUnitBlock& block) const {
    block.a_rest = nullptr;
    block.steps = (part.end - part.begin) / kStep;
    if (copies_lhs_) {
      block.a = scratch + (part.begin - part.chunk_begin);
      block.a_row = LhsRow();
      return;
    }
    block.a = part.lhs + part.begin;
    block.a_row = product_.lhs_m * bytes_;
    const int64_t rest = product_.k * bytes_ % kStep;
    if (!part.is_last || rest == 0) return;
    --block.steps;
    block.a_rest = scratch;
    for (int r = 0; r < part.rows; ++r) {
      std::memset(scratch + r * kStep, 0, kStep);
      std::memcpy(scratch + r * kStep, part.lhs + r * block.a_row + part.end - kStep, rest);
    }
  }

  void TakeSums(const char* sums, int rows, int64_t columns, char* target, int64_t target_row) const {
    for (int r = 0; r < rows; ++r) {
      if (narrows_) {
        kernels_.narrow_to_bf16(reinterpret_cast<const float*>(sums + r * sums_row_),
                                reinterpret_cast<uint16_t*>(target + r * target_row), columns);
      } else {
        std::memcpy(target + r * target_row, sums + r * sums_row_, columns * kSumBytes);
      }
    }
  }

  const MatrixUnitKernels& kernels_;
  const MatrixUnitType type_;
  const int bytes_;            // of an element
  const int64_t inner_bytes_;  // of k, in whole steps
  const bool copies_lhs_;
  const bool narrows_;
  int64_t chunk_bytes_;
  bool has_panels_ = false;  // a phase of its own makes them
  // Scratch memory: rows of lhs or the last step of them; sums; panels, if there is no phase for them.
  int64_t lhs_bytes_, sums_row_, sums_bytes_;
};

}  // namespace

std::unique_ptr<ProductProgram> MakeMatrixUnitProgram(const StridedDot& product, const ProductTypes& types) {
  const absl::optional<MatrixUnitType> type = UnitTypeOf(types);
  if (!type.has_value() || !product.HasUnitStrides() || product.result_n != 1 || !IsWorthwhile(product, *type)) {
    return nullptr;
  }
  const MatrixUnitKernels* const kernels = HostMatrixUnitKernels();
  return kernels == nullptr ? nullptr : std::make_unique<MatrixUnitProgram>(product, types, *type, *kernels);
}

}  // namespace xla
