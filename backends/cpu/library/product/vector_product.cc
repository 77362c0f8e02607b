// A vector, or a few, times a matrix: reads the matrix once, at the speed of memory.
#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "absl/types/optional.h"
#include "backends/cpu/library/base/array_elements.h"
#include "backends/cpu/library/product/product_kernels.h"
#include "backends/cpu/library/product/product_packing.h"
#include "backends/cpu/library/product/product_programs.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

// Bytes of the matrix that a tile reads, about.
constexpr int64_t kTileBytes = 512 << 10;
// Columns whose sums stay in the first cache while rows are added to them.
constexpr int64_t kMaxColumnsOfTile = 4096;
constexpr int64_t kMaxInnerTiles = 64;
// More vectors take longer to multiply than the matrix to read.
constexpr int64_t kMaxVectors = 8;
// Elements of a matrix that several vectors read again and again rather than have packed into panels.
constexpr int64_t kMinMatrixOfSeveral = 128 << 10;
// Shorter rows than that are not worth reading for several vectors.
constexpr int64_t kMinColumnsOfSeveral = 64;
// Inner tiles leave so many times fewer sums than the matrix has elements.
constexpr int64_t kElementsOfSum = 32;
// What a prologue makes at a time: some rows of this many columns stay in the first cache.
constexpr int64_t kPrologueRows = 8;
constexpr int64_t kPrologueColumns = 1024;
// Longer sums are added in parts, to stay accurate.
constexpr int64_t kLongSum = 16384;

absl::optional<VectorProductType> MatrixTypeOf(PrimitiveType type) {
  switch (type) {
    case F32:
      return VectorProductType::kF32;
    case BF16:
      return VectorProductType::kBf16;
    case F16:
      return VectorProductType::kF16;
    case F64:
      return VectorProductType::kF64;
    case S8:
      return VectorProductType::kS8;
    case U8:
      return VectorProductType::kU8;
    default:
      return absl::nullopt;
  }
}

template <typename T>
class VectorProgram : public ProductProgram {
 public:
  VectorProgram(const StridedDot& product, const ProductTypes& types, VectorProductType matrix)
      : ProductProgram(product, types),
        along_rows_(product.m == 1 && (product.rhs_k == 1 || product.k == 1)),
        run_(along_rows_ ? HostProductKernels().along_rows[static_cast<int>(matrix)]
                         : HostProductKernels().add_rows[static_cast<int>(matrix)]) {
    ChooseTiles();
    vector_direct_ = types.lhs == kStored && product.lhs_k == 1;
    result_direct_ = types.result == kStored && (product.result_n == 1 || product.n == 1);
    vector_pitch_ = (tiling_.k_tile + 15) / 16 * 16;
    scratch_bytes_ = tiling_.m * (vector_pitch_ + tiling_.n_tile) * static_cast<int64_t>(sizeof(T));
    if (tiling_.k_tiles > 1) workspace_bytes_ = tiling_.k_tiles * SumCount() * static_cast<int64_t>(sizeof(T));
  }

  const char* kind() const override { return "vector"; }
  bool SetPrologue(std::shared_ptr<const ProductPrologue> prologue) override {
    if (tiling_.batches != 1 || !std::is_same_v<T, float>) return false;
    prologue_ = std::move(prologue);
    run_ = along_rows_ ? HostProductKernels().along_rows[static_cast<int>(VectorProductType::kF32)]
                       : HostProductKernels().add_rows[static_cast<int>(VectorProductType::kF32)];
    vector_bytes_ = RoundUp(scratch_bytes_, 64);
    scratch_bytes_ = vector_bytes_ + std::max(4 * tiling_.k_tile, kPrologueRows * kPrologueColumns) *
                                         static_cast<int64_t>(sizeof(float));
    return true;
  }

 protected:
  void RunBlock(const ProductBlock& block, const Buffers& buffers, void* scratch) const override {
    T* const vector = static_cast<T*>(scratch);
    T* const sums = vector + tiling_.m * vector_pitch_;
    for (int64_t b = block.batch; b < block.batch + block.batch_count; ++b) {
      const StridedDot::Batch offsets = OffsetsOf(b);
      VectorProduct product;
      product.k = block.k_count;
      product.count = block.n_count;
      product.accumulate = false;
      product.vectors = static_cast<int>(tiling_.m);
      product.x = ElementOf(types_.lhs, buffers.lhs, offsets.lhs + block.k * product_.lhs_k);
      product.x_row = product_.lhs_m;
      if (!vector_direct_) {
        PackBlock<T>({types_.lhs, product.x, tiling_.m, product_.lhs_m, block.k_count, product_.lhs_k}, false, vector,
                     vector_pitch_);
        product.x = vector;
        product.x_row = vector_pitch_;
      }
      product.a = ElementOf(types_.rhs, buffers.rhs, offsets.rhs + block.k * product_.rhs_k + block.n * product_.rhs_n);
      product.a_row = along_rows_ ? product_.rhs_n : product_.rhs_k;
      product.y = sums;
      product.y_row = tiling_.n_tile;
      const int64_t result = offsets.result + block.n * product_.result_n;
      if (tiling_.k_tiles > 1) {
        const int64_t first = block.k_tile * SumCount() + b * tiling_.m * tiling_.n + block.n;
        product.y = static_cast<T*>(buffers.workspace) + first;
        product.y_row = tiling_.n;
      } else if (result_direct_) {
        product.y = static_cast<T*>(buffers.result) + result;
        product.y_row = product_.result_m;
      }
      if (prologue_ == nullptr) {
        run_(product);
      } else {
        auto* const elements = reinterpret_cast<float*>(static_cast<char*>(scratch) + vector_bytes_);
        (along_rows_ ? DequantizeAlongRows(block, buffers, product, elements)
                     : DequantizeRows(block, buffers, product, elements));
      }
      if (product.y == sums) Unpack(sums, tiling_.n_tile, block.n_count, buffers.result, result);
      if (tiling_.k_tiles == 1) FinishRows(buffers, offsets.result, 0, tiling_.m, block.n, block.n_count);
    }
  }

  void AddBlocks(const Buffers& buffers) const override {
    T* const sums = static_cast<T*>(buffers.workspace);
    const int64_t count = SumCount();
    for (int64_t tile = 1; tile < tiling_.k_tiles; ++tile) {
      const T* const other = sums + tile * count;
      for (int64_t i = 0; i < count; ++i) sums[i] += other[i];
    }
    for (int64_t b = 0; b < tiling_.batches; ++b) {
      Unpack(sums + b * tiling_.m * tiling_.n, tiling_.n, tiling_.n, buffers.result, OffsetsOf(b).result);
      FinishRows(buffers, OffsetsOf(b).result, 0, tiling_.m, 0, tiling_.n);
    }
  }

 private:
  static constexpr PrimitiveType kStored = sizeof(T) == 4 ? F32 : F64;

  int64_t SumCount() const { return tiling_.batches * tiling_.m * tiling_.n; }

  // Elements of rhs that follow each other in memory.
  void Dequantize(const Buffers& buffers, int64_t k, int64_t n, int64_t count, float* out) const {
    const void* const from = ElementOf(types_.rhs, buffers.rhs, k * product_.rhs_k + n * product_.rhs_n);
    PackBlock<float>({types_.rhs, from, 1, 0, count, 1}, false, out, 0);
    prologue_->Apply(k, n, along_rows_, count, buffers.prologue_arguments, out);
  }

  // y[r] = x * row r, some rows at a time.
  void DequantizeAlongRows(const ProductBlock& block, const Buffers& buffers, VectorProduct product,
                           float* elements) const {
    constexpr int64_t kRows = 4;
    float* const y = static_cast<float*>(product.y);
    for (int64_t n = 0; n < block.n_count; n += kRows) {
      product.count = std::min(kRows, block.n_count - n);
      for (int64_t r = 0; r < product.count; ++r) {
        Dequantize(buffers, block.k, block.n + n + r, block.k_count, elements + r * block.k_count);
      }
      product.a = elements;
      product.a_row = block.k_count;
      product.y = y + n;
      run_(product);
    }
  }

  // y += x[k] * row k, some rows at a time.
  void DequantizeRows(const ProductBlock& block, const Buffers& buffers, VectorProduct product, float* elements) const {
    const auto* const x = static_cast<const float*>(product.x);
    float* const y = static_cast<float*>(product.y);
    for (int64_t k = 0; k < block.k_count; k += kPrologueRows) {
      product.k = std::min(kPrologueRows, block.k_count - k);
      product.x = x + k;
      product.accumulate = k > 0;
      for (int64_t n = 0; n < block.n_count; n += kPrologueColumns) {
        product.count = std::min(kPrologueColumns, block.n_count - n);
        for (int64_t r = 0; r < product.k; ++r) {
          Dequantize(buffers, block.k + k + r, block.n + n, product.count, elements + r * kPrologueColumns);
        }
        product.a = elements;
        product.a_row = kPrologueColumns;
        product.y = y + n;
        run_(product);
      }
    }
  }

  void Unpack(const T* in, int64_t pitch, int64_t count, void* result, int64_t first) const {
    UnpackBlock<T>(in, nullptr, pitch, true,
                   {types_.result, ElementOf(types_.result, result, first), tiling_.m, product_.result_m, count,
                    product_.result_n});
  }

  void ChooseTiles() {
    const int64_t elements = std::max<int64_t>(kTileBytes / ByteWidth(types_.rhs), 1);
    const int64_t per_batch = tiling_.n * tiling_.k;
    tiling_.CutBatch(std::max<int64_t>(elements / per_batch, 1));
    if (tiling_.batch_tile > 1 || per_batch <= elements) return;
    if (along_rows_) {
      tiling_.CutColumns(std::max<int64_t>(elements / tiling_.k, 1), 4);
    } else {
      // Long pieces of rows, which memory delivers faster than short ones; several sums are added in the end for that.
      tiling_.CutColumns(kMaxColumnsOfTile / tiling_.m, 64);
    }
    const int64_t wanted = per_batch / elements;
    const int64_t most = tiling_.m == 1 ? kMaxInnerTiles : tiling_.k / (kElementsOfSum * tiling_.m);
    const int64_t parts = std::min(wanted / (tiling_.n_tiles * tiling_.batches), most);
    if (parts >= 2 && tiling_.n_tiles * tiling_.batches < 16) tiling_.CutInner(tiling_.k / parts, 64);
    if (tiling_.k_tile > 2 * kLongSum) tiling_.CutInner(kLongSum, 64);
  }

  const bool along_rows_;
  void (*run_)(const VectorProduct&);
  std::shared_ptr<const ProductPrologue> prologue_;
  int64_t vector_pitch_;
  int64_t vector_bytes_ = 0;  // of scratch memory, in front of what the prologue makes
  bool vector_direct_;
  bool result_direct_;
};

}  // namespace

std::unique_ptr<ProductProgram> MakeVectorProgram(const StridedDot& product, const ProductTypes& types) {
  if (product.m > kMaxVectors || !IsFloat(types.lhs) || !IsFloat(types.result)) return nullptr;
  const absl::optional<VectorProductType> matrix = MatrixTypeOf(types.rhs);
  if (!matrix.has_value()) return nullptr;
  if (product.m > 1) {
    // Other matrix types have instructions of their own, and rows along the sums go to thin products.
    if (product.rhs_n != 1 || (types.rhs != F32 && types.rhs != F64)) return nullptr;
    if (product.n < kMinColumnsOfSeveral || product.k * product.n < kMinMatrixOfSeveral) return nullptr;
  } else if (product.rhs_k != 1 && product.rhs_n != 1 && product.k != 1) {
    return nullptr;
  }
  const ProductArithmetic arithmetic = ArithmeticOf(types);
  if (arithmetic == ProductArithmetic::kF32) return std::make_unique<VectorProgram<float>>(product, types, *matrix);
  if (arithmetic == ProductArithmetic::kF64 && types.rhs == F64) {
    return std::make_unique<VectorProgram<double>>(product, types, *matrix);
  }
  return nullptr;
}

}  // namespace xla
