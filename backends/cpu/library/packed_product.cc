// Products by our own loops: operands are brought to the type that is computed in, in blocks that fit into caches,
// unless they are small and of that type already.
#include <algorithm>
#include <type_traits>

#include "backends/cpu/library/product_kernels.h"
#include "backends/cpu/library/product_packing.h"
#include "backends/cpu/library/product_programs.h"

namespace xla {
namespace {

// Elements of a tile: lhs rows x inner stay in the second cache, inner x a panel of columns in the first.
constexpr int64_t kMaxRows = 128;
constexpr int64_t kMaxColumns = 256;
constexpr int64_t kInner = 256;
// Up to here an operand is read where it is, instead of being copied first.
constexpr int64_t kDirectElements = 8192;

template <typename T>
const TileKernels<T>& KernelsOf(const ProductKernels& kernels) {
  if constexpr (std::is_same_v<T, float>) {
    return kernels.f32;
  } else if constexpr (std::is_same_v<T, double>) {
    return kernels.f64;
  } else if constexpr (std::is_same_v<T, uint32_t>) {
    return kernels.u32;
  } else {
    return kernels.u64;
  }
}

// Whether elements of that type are what the loops compute with.
template <typename T>
bool IsStoredAs(PrimitiveType type) {
  if constexpr (std::is_same_v<T, float>) return type == F32;
  if constexpr (std::is_same_v<T, double>) return type == F64;
  return IsInt(type) && ByteWidth(type) == sizeof(T);
}

template <typename T>
T* At(const void* data, int64_t element) {
  return const_cast<T*>(static_cast<const T*>(data)) + element;
}

const void* ElementOf(PrimitiveType type, const void* data, int64_t element) {
  return static_cast<const char*>(data) + element * ByteWidth(type);
}

int64_t RoundUp(int64_t x, int64_t multiple) { return (x + multiple - 1) / multiple * multiple; }

template <typename T, bool kComplex>
class PackedProgram : public ProductProgram {
 public:
  PackedProgram(const StridedDot& product, const ProductTypes& types)
      : ProductProgram(product, types),
        kernels_(HostProductKernels()),
        lanes_(kernels_.vector_bytes / static_cast<int>(sizeof(T))),
        kernel_rows_(kComplex ? kernels_.rows / 2 : kernels_.rows) {
    ChooseTiles();
    inner_ = std::min(tiling_.k_tile, kInner);
    const bool is_small = tiling_.m_tile * tiling_.k_tile <= kDirectElements;
    lhs_direct_ = !kComplex && IsStoredAs<T>(types.lhs) && is_small;
    rhs_direct_ = !kComplex && IsStoredAs<T>(types.rhs) && product.rhs_n == 1 &&
                  tiling_.n_tile * tiling_.k_tile <= kDirectElements;
    sums_pitch_ = RoundUp(tiling_.n_tile, 2 * lanes_);
    signed_ = !(IsUnsignedInt(types.lhs) && IsUnsignedInt(types.rhs));
    sums_part_ = tiling_.m_tile * sums_pitch_;
    lhs_part_ = tiling_.m_tile * inner_;
    rhs_part_ = inner_ * 2 * lanes_;
    scratch_bytes_ = kParts * (sums_part_ + lhs_part_ + rhs_part_) * static_cast<int64_t>(sizeof(T));
    sum_count_ = tiling_.batches * tiling_.m * tiling_.n;
    if (tiling_.k_tiles > 1) {
      workspace_bytes_ = kParts * tiling_.k_tiles * sum_count_ * static_cast<int64_t>(sizeof(T));
    }
  }

  const char* kind() const override { return "packed"; }

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
  struct Region {
    int64_t m, m_count, n, n_count;
  };

  // Tiles that take some microseconds at least.
  void ChooseTiles() {
    constexpr double kFlops = kComplex ? 0.25e6 : 1e6;
    const double flops = tiling_.FlopCount();
    tiling_.CutInto(static_cast<int64_t>(std::min(std::max(flops / (4 * kFlops), 1.0), 16.0)));
    if (tiling_.batch_tile > 1) {
      const double batch_flops = std::max(flops / static_cast<double>(tiling_.batches), 1.0);
      const auto batch = static_cast<int64_t>(std::min(kFlops / batch_flops + 1, 1e6));
      tiling_.CutBatch(std::min(tiling_.batch_tile, batch));
    }
    tiling_.CutRows(std::min(tiling_.m_tile, kMaxRows), kernel_rows_);
    tiling_.CutColumns(std::min(tiling_.n_tile, kMaxColumns), 2 * lanes_);
    const int64_t missing = 16 / tiling_.TileCount();
    const int64_t longest = std::max<int64_t>(1024, static_cast<int64_t>(8e6) / (tiling_.m * tiling_.n));
    if (missing > 1 && tiling_.k >= 2 * longest) {
      tiling_.CutInner(std::max(longest, tiling_.k / missing), kInner);
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

  void PackLhs(const ProductBlock& block, int64_t k, int64_t k_count, const void* lhs, T* out) const {
    const int64_t first = block.m * product_.lhs_m + k * product_.lhs_k;
    const StridedBlock from = {types_.lhs,    ElementOf(types_.lhs, lhs, first), block.m_count, product_.lhs_m, k_count,
                               product_.lhs_k};
    for (int part = 0; part < kParts; ++part) PackBlock(from, part == 1, out + part * lhs_part_, inner_);
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
    const auto width_of = [&](int64_t columns) { return kComplex || columns <= lanes_ ? lanes_ : 2 * lanes_; };

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
        tile.a_row = inner_;
        tile.a_k = 1;
      }
      const T* const a = lhs_direct_ ? At<T>(lhs, block.m * product_.lhs_m + k * product_.lhs_k) : packed_lhs;
      for (int64_t n = 0; n < block.n_count;) {
        const int64_t width = width_of(block.n_count - n);
        const int64_t columns = std::min(width, block.n_count - n);
        if (rhs_direct_ && columns == width) {
          tile.b = At<T>(rhs, k * product_.rhs_k + block.n + n);
          tile.b_k = product_.rhs_k;
        } else {
          PackRhs(block.n + n, columns, width, k, tile.k, rhs, packed_rhs);
          tile.b = packed_rhs;
          tile.b_k = width;
        }
        const bool direct = target != nullptr && columns == width;
        T* const c = direct ? target + block.m * target_row + block.n + n : sums + n;
        tile.c_row = direct ? target_row : sums_pitch_;
        tile.c_imaginary = direct ? target_imaginary : sums_part_;
        for (int64_t m = 0; m < block.m_count; m += kernel_rows_) {
          tile.a = a + m * tile.a_row;
          tile.c = c + m * tile.c_row;
          tile.rows = static_cast<int>(std::min<int64_t>(kernel_rows_, block.m_count - m));
          Run(tile, width);
        }
        n += columns;
      }
    }

    // What is left in `sums`: all, or the columns behind the last full panel.
    const int64_t left = target == nullptr ? 0 : FullColumns(block.n_count);
    if (left >= block.n_count) return;
    if (!in_workspace) {
      Unpack(sums + left, sums + sums_part_ + left, sums_pitch_, offsets.result,
             {block.m, block.m_count, block.n + left, block.n_count - left}, buffers.result);
      return;
    }
    for (int part = 0; part < kParts; ++part) {
      for (int64_t m = 0; m < block.m_count; ++m) {
        std::copy_n(sums + part * sums_part_ + m * sums_pitch_ + left, block.n_count - left,
                    target + part * target_imaginary + (block.m + m) * target_row + block.n + left);
      }
    }
  }

  // Columns of panels that are full.
  int64_t FullColumns(int64_t columns) const {
    int64_t n = 0;
    while (n < columns) {
      const int64_t width = kComplex || columns - n <= lanes_ ? lanes_ : 2 * lanes_;
      if (columns - n < width) break;
      n += width;
    }
    return n;
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
  const int64_t lanes_;
  const int64_t kernel_rows_;
  int64_t inner_;
  bool lhs_direct_;
  bool rhs_direct_;
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
