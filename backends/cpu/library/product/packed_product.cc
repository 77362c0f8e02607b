// Products by our own loops: operands are brought to the type that is computed in, in blocks that fit into caches,
// unless they are small and of that type already.
#include <algorithm>
#include <memory>
#include <type_traits>

#include "backends/cpu/library/base/array_elements.h"
#include "backends/cpu/library/base/kernel_choice.h"
#include "backends/cpu/library/product/product_kernels.h"
#include "backends/cpu/library/product/product_packing.h"
#include "backends/cpu/library/product/product_programs.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

// Elements of a tile: rows of lhs and columns of rhs, both times inner, stay in the second cache, a panel of columns in
// the first, which is why there are half as many of inner where they are twice as wide.
constexpr int64_t kMaxRows = 128;
constexpr int64_t kMaxColumns = 256;
constexpr int64_t kInner = 256;
// The same for large products, in words of four bytes.
constexpr int64_t kMaxRowsOfLarge = 256;
constexpr int64_t kMaxColumnsOfLarge = 512;
// So many tiles over the same columns of a large rhs have it packed into panels once for all.
constexpr int64_t kMinTilesOfPanels = 3;
// Columns that one tile of the phase before packs into panels.
constexpr int64_t kColumnsOfPanelTile = 128;
// Up to here an operand is read where it is, instead of being copied first.
constexpr int64_t kDirectElements = 8192;
// Up to so many elements of k, products take less time than what they write.
constexpr int64_t kShortInner = 16;
// Few rows do not read rhs often enough for a copy to pay; from the second cache its rows come as fast.
constexpr int64_t kDirectElementsForFewRows = 32 << 10;

template <typename T>
T* At(const void* data, int64_t element) {
  return const_cast<T*>(static_cast<const T*>(data)) + element;
}

// A tile is computed in blocks of `inner` elements of k: that much of its rows of lhs is copied together, that much of
// its columns of rhs is packed into panels*, columns that one call of an innermost loop computes: two vectors wide,
// except for the last, which may be one wide and is filled up with zeros. In panels that have `rows` elements of k, the
// one that begins with column p begins at element p * rows.
template <typename T, bool kComplex>
class PackedProgram : public ProductProgram {
 public:
  PackedProgram(const StridedDot& product, const ProductTypes& types)
      : ProductProgram(product, types),
        kernels_(HostProductKernels()),
        lanes_(kernels_.vector_bytes / static_cast<int>(sizeof(T))),
        kernel_rows_(kComplex ? kernels_.rows / 2 : kernels_.rows) {
    ChooseTiles();
    inner_ = std::min(tiling_.k_tile, kInner / kWords);
    // An operand that is read once or twice is not worth a copy: all of lhs where there are few columns.
    const bool is_small =
        tiling_.m_tile * tiling_.k_tile <= kDirectElements || (tiling_.n <= 4 * lanes_ && product.lhs_k == 1);
    const int64_t most_of_rhs = tiling_.m_tile <= 2 * kernel_rows_ ? kDirectElementsForFewRows : kDirectElements;
    lhs_direct_ = !kComplex && IsStoredAs<T>(types.lhs) && is_small;
    rhs_direct_ =
        !kComplex && IsStoredAs<T>(types.rhs) && product.rhs_n == 1 && tiling_.n_tile * tiling_.k_tile <= most_of_rhs;
    sums_pitch_ = RoundUp(tiling_.n_tile, 2 * lanes_);
    signed_ = !(IsUnsignedInt(types.lhs) && IsUnsignedInt(types.rhs));
    sums_part_ = tiling_.m_tile * sums_pitch_;
    lhs_part_ = RoundUp(tiling_.m_tile, kernel_rows_) * inner_;
    rhs_part_ = inner_ * (kComplex ? lanes_ : RoundUp(tiling_.n_tile, 2 * lanes_));
    if (!kComplex && !rhs_direct_ && tiling_.batches == 1) {
      prepared_rhs_bytes_ = product.k * RoundUp(product.n, lanes_) * static_cast<int64_t>(sizeof(T));
      has_panels_ = tiling_.m_tiles >= kMinTilesOfPanels && tiling_.k_tiles == 1;
    }
    scratch_bytes_ = kParts * (sums_part_ + lhs_part_ + rhs_part_) * static_cast<int64_t>(sizeof(T));
    sum_count_ = tiling_.batches * tiling_.m * tiling_.n;
    if (tiling_.k_tiles > 1) {
      workspace_bytes_ = kParts * tiling_.k_tiles * sum_count_ * static_cast<int64_t>(sizeof(T));
    }
    if (has_panels_) workspace_bytes_ = prepared_rhs_bytes_;
  }

  const char* kind() const override { return "packed"; }
  bool SetPrologue(std::shared_ptr<const ProductPrologue> prologue) override {
    if (kComplex || !std::is_same_v<T, float> || tiling_.batches != 1) return false;
    prologue_ = std::move(prologue);
    rhs_direct_ = false;
    prepared_rhs_bytes_ = 0;
    return true;
  }
  int phase_count() const override { return ProductProgram::phase_count() + (has_panels_ ? 1 : 0); }
  int64_t tile_count(int phase) const override {
    if (!has_panels_) return ProductProgram::tile_count(phase);
    return phase == 0 ? PanelTileCount() : ProductProgram::tile_count(phase - 1);
  }
  void RunTile(int phase, int64_t tile, const Buffers& buffers, void* scratch) const override {
    if (!has_panels_) return ProductProgram::RunTile(phase, tile, buffers, scratch);
    if (phase > 0) return ProductProgram::RunTile(phase - 1, tile, buffers, scratch);
    if (buffers.prepared_rhs == nullptr) MakePanelTile(tile, buffers, static_cast<T*>(buffers.workspace));
  }
  void PrepareRhs(const void* rhs, void* prepared) const override {
    Buffers buffers;
    buffers.rhs = rhs;
    for (int64_t tile = 0; tile < PanelTileCount(); ++tile) MakePanelTile(tile, buffers, static_cast<T*>(prepared));
  }

 protected:
  void RunBlock(const ProductBlock& block, const Buffers& buffers, void* scratch) const override {
    for (int64_t b = block.batch; b < block.batch + block.batch_count; ++b) {
      Multiply(block, b, buffers, static_cast<T*>(scratch));
      if (tiling_.k_tiles > 1) continue;
      FinishRows(buffers, OffsetsOf(b).result, block.m, block.m_count, block.n, block.n_count);
    }
  }

  void AddBlocks(const Buffers& buffers) const override {
    T* const sums = static_cast<T*>(buffers.workspace);
    for (int part = 0; part < kParts; ++part) {
      T* const first = sums + part * tiling_.k_tiles * sum_count_;
      for (int64_t tile = 1; tile < tiling_.k_tiles; ++tile) {
        const T* const other = first + tile * sum_count_;
        for (int64_t i = 0; i < sum_count_; ++i) first[i] += other[i];
      }
    }
    for (int64_t b = 0; b < tiling_.batches; ++b) {
      const T* const in = sums + b * tiling_.m * tiling_.n;
      Unpack(in, in + tiling_.k_tiles * sum_count_, tiling_.n, OffsetsOf(b).result, {0, tiling_.m, 0, tiling_.n},
             buffers.result);
      FinishRows(buffers, OffsetsOf(b).result, 0, tiling_.m, 0, tiling_.n);
    }
  }

 private:
  static constexpr int kParts = kComplex ? 2 : 1;
  static constexpr int64_t kWords = sizeof(T) / sizeof(float);
  struct Region {
    int64_t m, m_count, n, n_count;
  };

  // Tiles that take some microseconds at least; of large products, as large as caches allow.
  void ChooseTiles() {
    constexpr double kFlops = kComplex ? 0.25e6 : 1e6;
    const double flops = tiling_.FlopCount();
    const bool is_large = !kComplex && flops >= 16e6 && tiling_.batches == 1;
    double count = std::min(std::max(flops / (4 * kFlops), 1.0), 16.0);
    if (is_large) {
      // Smaller ones would spend more time on copying what they multiply.
      const double of_least_size = static_cast<double>(tiling_.m) * static_cast<double>(tiling_.n) / (128 * 192);
      count = std::min(std::max(flops / 32e6, 4.0), std::min(std::max(of_least_size, 2.0), 16.0));
    }
    tiling_.CutInto(static_cast<int64_t>(count));
    if (tiling_.batch_tile > 1) {
      const double batch_flops = std::max(flops / static_cast<double>(tiling_.batches), 1.0);
      const auto batch = static_cast<int64_t>(std::min(kFlops / batch_flops + 1, 1e6));
      tiling_.CutBatch(std::min(tiling_.batch_tile, batch));
    }
    tiling_.CutRows(std::min(tiling_.m_tile, is_large ? kMaxRowsOfLarge / kWords : kMaxRows), kernel_rows_);
    tiling_.CutColumns(std::min(tiling_.n_tile, is_large ? kMaxColumnsOfLarge / kWords : kMaxColumns), 2 * lanes_);
    const int64_t missing = 16 / tiling_.TileCount();
    const int64_t longest = std::max<int64_t>(1024, static_cast<int64_t>(8e6) / (tiling_.m * tiling_.n));
    if (missing > 1 && tiling_.k >= 2 * longest) {
      tiling_.CutInner(std::max(longest, tiling_.k / missing), kInner);
    }
  }

  int64_t WidthOf(int64_t columns) const { return kComplex || columns <= lanes_ ? lanes_ : 2 * lanes_; }

  // ---- Panels
  int64_t PanelTileCount() const { return (product_.n + kColumnsOfPanelTile - 1) / kColumnsOfPanelTile; }

  void MakePanelTile(int64_t tile, const Buffers& buffers, T* panels) const {
    const int64_t n = tile * kColumnsOfPanelTile;
    for (int64_t k = 0; k < product_.k; k += kInner) {
      MakePanels(n, std::min(kColumnsOfPanelTile, product_.n - n), k, std::min(kInner, product_.k - k), buffers.rhs,
                 buffers.prologue_arguments, panels + n * product_.k, product_.k, k);
    }
  }

  // Columns of rhs, of which n is the first of a panel, in panels of `rows` elements of k, from number `row` on.
  void MakePanels(int64_t n, int64_t n_count, int64_t k, int64_t k_count, const void* rhs, const void* const* arguments,
                  T* out, int64_t rows, int64_t row) const {
    const int64_t full = 2 * lanes_;
    int64_t done = 0;
    if (IsStoredAs<T>(types_.rhs) && product_.rhs_n == 1 && prologue_ == nullptr) {
      done = n_count / full * full;
      constexpr auto kBytes = static_cast<int64_t>(sizeof(T));
      kernels_.copy_panels(At<T>(rhs, k * product_.rhs_k + n), product_.rhs_k * kBytes, k_count, n_count / full,
                           out + row * full, rows * full * kBytes);
    }
    if constexpr (std::is_same_v<T, float>) {
      if (done == 0 && product_.rhs_n == 1) {
        done = n_count / full * full;
        MakePanelsOfRows(n, done, k, k_count, rhs, arguments, out, rows, row);
      }
    }
    while (done < n_count) {
      const int64_t width = WidthOf(n_count - done);
      const int64_t columns = std::min(width, n_count - done);
      T* const panel = out + done * rows + row * width;
      PackRhs(n + done, columns, width, k, k_count, rhs, panel);
      if constexpr (std::is_same_v<T, float>) {
        for (int64_t p = 0; p < k_count && prologue_ != nullptr; ++p) {
          prologue_->Apply(k + p, n + done, /*along_k=*/false, columns, arguments, panel + p * width);
        }
      }
      done += columns;
    }
  }

  // The same for full panels of numbers that are something else in memory: a few rows of many columns become f32 and
  // take all steps of the prologue in the first cache.
  void MakePanelsOfRows(int64_t n, int64_t n_count, int64_t k, int64_t k_count, const void* rhs,
                        const void* const* arguments, T* out, int64_t rows, int64_t row) const {
    constexpr int64_t kRows = 8, kColumns = 512;
    constexpr auto kBytes = static_cast<int64_t>(sizeof(float));
    alignas(64) float block[kRows * kColumns];
    const int64_t full = 2 * lanes_;
    for (int64_t c = 0; c < n_count; c += kColumns) {
      const int64_t columns = std::min(kColumns, n_count - c);
      for (int64_t p = 0; p < k_count; p += kRows) {
        const int64_t count = std::min(kRows, k_count - p);
        const void* const first = ElementOf(types_.rhs, rhs, (k + p) * product_.rhs_k + n + c);
        PackBlock<float>({types_.rhs, first, count, product_.rhs_k, columns, 1}, false, block, kColumns);
        for (int64_t i = 0; i < count && prologue_ != nullptr; ++i) {
          prologue_->Apply(k + p + i, n + c, /*along_k=*/false, columns, arguments, block + i * kColumns);
        }
        kernels_.copy_panels(block, kColumns * kBytes, count, columns / full, out + c * rows + (row + p) * full,
                             rows * full * kBytes);
      }
    }
  }

  void Unpack(const T* in, const T* in_imaginary, int64_t pitch, int64_t offset, const Region& region,
              void* result) const {
    if (region.n_count <= 0) return;
    const int64_t first = offset + region.m * product_.result_m + region.n * product_.result_n;
    UnpackBlock(in, kComplex ? in_imaginary : nullptr, pitch, signed_,
                {types_.result, ElementOf(types_.result, result, first), region.m_count, product_.result_m,
                 region.n_count, product_.result_n});
  }

  // Rows of lhs in groups that one call of an innermost loop computes, each with the rows' elements of one k together.
  void PackLhs(const ProductBlock& block, int64_t k, int64_t k_count, const void* lhs, T* out) const {
    for (int64_t m = 0; m < block.m_count; m += kernel_rows_) {
      const int64_t first = (block.m + m) * product_.lhs_m + k * product_.lhs_k;
      const int64_t rows = std::min(kernel_rows_, block.m_count - m);
      const StridedBlock from = {types_.lhs,    ElementOf(types_.lhs, lhs, first), k_count, product_.lhs_k, rows,
                                 product_.lhs_m};
      for (int part = 0; part < kParts; ++part) {
        PackBlock(from, part == 1, out + part * lhs_part_ + m * inner_, kernel_rows_);
      }
    }
  }

  // k_count rows of `width` columns, of which `columns` exist.
  void PackRhs(int64_t n, int64_t columns, int64_t width, int64_t k, int64_t k_count, const void* rhs, T* out) const {
    const int64_t first = k * product_.rhs_k + n * product_.rhs_n;
    const StridedBlock from = {types_.rhs,    ElementOf(types_.rhs, rhs, first), k_count, product_.rhs_k, columns,
                               product_.rhs_n};
    if (columns < width) std::fill_n(out, k_count * width, T{0});
    if (columns < width && kComplex) std::fill_n(out + rhs_part_, k_count * width, T{0});
    for (int part = 0; part < kParts; ++part) PackBlock(from, part == 1, out + part * rhs_part_, width);
  }

  void Multiply(const ProductBlock& block, int64_t batch, const Buffers& buffers, T* scratch) const {
    T* const sums = scratch;
    T* const packed_lhs = sums + kParts * sums_part_;
    T* const packed_rhs = packed_lhs + kParts * lhs_part_;
    const StridedDot::Batch offsets = OffsetsOf(batch);
    const void* const lhs = ElementOf(types_.lhs, buffers.lhs, offsets.lhs);
    const void* const rhs = ElementOf(types_.rhs, buffers.rhs, offsets.rhs);

    // Where sums may be stored at once.
    const bool in_workspace = tiling_.k_tiles > 1;
    T* target = nullptr;
    int64_t target_row = product_.result_m;
    int64_t target_imaginary = 0;
    if (in_workspace) {
      target = At<T>(buffers.workspace, (block.k_tile * tiling_.batches + batch) * tiling_.m * tiling_.n);
      target_row = tiling_.n;
      target_imaginary = tiling_.k_tiles * sum_count_;
    } else if (!kComplex && IsStoredAs<T>(types_.result) && (product_.result_n == 1 || product_.n == 1)) {
      target = At<T>(buffers.result, offsets.result);
    }
    // Panels of all of rhs, or of what is multiplied at a time.
    const T* const all_panels = static_cast<const T*>(
        buffers.prepared_rhs != nullptr ? buffers.prepared_rhs : (has_panels_ ? buffers.workspace : nullptr));
    const bool packs_block = !kComplex && !rhs_direct_ && all_panels == nullptr;

    TileProduct<T> tile;
    tile.a_imaginary = lhs_part_;
    tile.b_imaginary = rhs_part_;
    for (int64_t k = block.k; k < block.k + block.k_count; k += inner_) {
      tile.k = std::min(inner_, block.k + block.k_count - k);
      tile.accumulate = k > block.k;
      if (lhs_direct_) {
        tile.a_row = product_.lhs_m;
        tile.a_k = product_.lhs_k;
      } else {
        PackLhs(block, k, tile.k, lhs, packed_lhs);
        tile.a_row = 1;
        tile.a_k = kernel_rows_;
      }
      const T* const a = lhs_direct_ ? At<T>(lhs, block.m * product_.lhs_m + k * product_.lhs_k) : packed_lhs;
      if (packs_block) {
        MakePanels(block.n, block.n_count, k, tile.k, rhs, buffers.prologue_arguments, packed_rhs, tile.k, 0);
      }
      const auto multiply_rows = [&](int64_t first, int64_t end) {
        for (int64_t n = 0; n < block.n_count;) {
          const int64_t width = WidthOf(block.n_count - n);
          const int64_t columns = std::min(width, block.n_count - n);
          if (all_panels != nullptr) {
            tile.b = all_panels + (block.n + n) * product_.k + k * width;
            tile.b_k = width;
          } else if (packs_block) {
            tile.b = packed_rhs + n * tile.k;
            tile.b_k = width;
          } else if (rhs_direct_ && columns == width) {
            tile.b = At<T>(rhs, k * product_.rhs_k + block.n + n);
            tile.b_k = product_.rhs_k;
          } else {
            // Among columns that are read where they are, only the last ones.
            if (first == 0) PackRhs(block.n + n, columns, width, k, tile.k, rhs, packed_rhs);
            tile.b = packed_rhs;
            tile.b_k = width;
          }
          T* const c = target != nullptr ? target + block.m * target_row + block.n + n : sums + n;
          tile.c_row = target != nullptr ? target_row : sums_pitch_;
          tile.c_imaginary = target != nullptr ? target_imaginary : sums_part_;
          tile.columns = static_cast<int>(columns);
          for (int64_t m = first; m < end; m += kernel_rows_) {
            tile.a = a + m * (lhs_direct_ ? tile.a_row : inner_);
            tile.c = c + m * tile.c_row;
            tile.rows = static_cast<int>(std::min<int64_t>(kernel_rows_, block.m_count - m));
            Run(tile, width);
          }
          n += columns;
        }
      };
      // Where writing takes longer than multiplying, whole rows are finished one after the other.
      const int64_t step = !kComplex && tile.k <= kShortInner ? kernel_rows_ : block.m_count;
      for (int64_t m = 0; m < block.m_count; m += step) multiply_rows(m, std::min(block.m_count, m + step));
    }

    if (target != nullptr) return;
    Unpack(sums, sums + sums_part_, sums_pitch_, offsets.result, {block.m, block.m_count, block.n, block.n_count},
           buffers.result);
  }

  void Run(const TileProduct<T>& tile, int64_t width) const {
    if constexpr (kComplex) {
      if constexpr (std::is_same_v<T, float>) {
        kernels_.c64(tile);
      } else {
        kernels_.c128(tile);
      }
    } else {
      const TileKernels<T>& kernels = KernelsOf<T>(kernels_);
      (width == lanes_ ? kernels.narrow : kernels.wide)(tile);
    }
  }

  const ProductKernels& kernels_;
  std::shared_ptr<const ProductPrologue> prologue_;
  const int64_t lanes_;
  const int64_t kernel_rows_;
  int64_t inner_;
  bool lhs_direct_;
  bool rhs_direct_;
  bool has_panels_ = false;  // a phase of its own packs rhs into panels
  bool signed_;
  // Elements of the real parts of each block of scratch memory.
  int64_t sums_pitch_;
  int64_t sums_part_;
  int64_t lhs_part_;
  int64_t rhs_part_;
  int64_t sum_count_;
};

}  // namespace

std::unique_ptr<ProductProgram> MakePackedProgram(const StridedDot& product, const ProductTypes& types) {
  switch (ArithmeticOf(types)) {
    case ProductArithmetic::kF32:
      return std::make_unique<PackedProgram<float, false>>(product, types);
    case ProductArithmetic::kF64:
      return std::make_unique<PackedProgram<double, false>>(product, types);
    case ProductArithmetic::kU32:
      return std::make_unique<PackedProgram<uint32_t, false>>(product, types);
    case ProductArithmetic::kU64:
      return std::make_unique<PackedProgram<uint64_t, false>>(product, types);
    case ProductArithmetic::kC64:
      return std::make_unique<PackedProgram<float, true>>(product, types);
    case ProductArithmetic::kC128:
      return std::make_unique<PackedProgram<double, true>>(product, types);
    case ProductArithmetic::kNone:
      break;
  }
  return nullptr;
}

}  // namespace xla
