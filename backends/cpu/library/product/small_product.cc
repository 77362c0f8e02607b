// Many products of small matrices, straight from where they lie: packing one would take longer than multiplying it.
// Rows of one product are such, too, if they are short and many.
#include <algorithm>
#include <memory>
#include <type_traits>

#include "backends/cpu/library/product/product_kernels.h"
#include "backends/cpu/library/product/product_programs.h"

namespace xla {
namespace {

// Elements of the three matrices, in all that a tile multiplies.
constexpr int64_t kTileElements = 32 << 10;
// Sums that are longer pay for packing.
constexpr int64_t kMaxInner = 32;
constexpr int64_t kMaxRowsOfSmall = 64;
// So many rows pay for bringing rhs into lanes first.
constexpr int64_t kMinShortRows = 256;

struct Matrix {
  int64_t rows, row, columns, column;
  int64_t Extent() const { return (rows - 1) * row + (columns - 1) * column + 1; }
};

template <typename T>
class SmallProgram : public ProductProgram {
 public:
  SmallProgram(const StridedDot& product, const ProductTypes& types) : ProductProgram(product, types) {
    tiling_.CutBatch(
        std::max<int64_t>(kTileElements / (tiling_.m * tiling_.k + tiling_.k * tiling_.n + tiling_.m * tiling_.n), 1));
    // Dimensions of the batch that lie in memory as one do are one run.
    run_ = product.batch.back();
    for (size_t i = product.batch.size() - 1; i-- > 0;) {
      const StridedDot::Batch& outer = product.batch[i];
      if (outer.lhs != run_.size * run_.lhs || outer.rhs != run_.size * run_.rhs ||
          outer.result != run_.size * run_.result) {
        break;
      }
      run_.size *= outer.size;
    }
  }

  const char* kind() const override { return "small"; }

 protected:
  void RunBlock(const ProductBlock& block, const Buffers& buffers, void* /*scratch*/) const override {
    const int64_t end = block.batch + block.batch_count;
    for (int64_t b = block.batch; b < end;) {
      const int64_t count = std::min(run_.size - b % run_.size, end - b);
      const StridedDot::Batch offsets = OffsetsOf(b);
      SmallProducts<T> products;
      products.count = count;
      products.m = static_cast<int>(product_.m);
      products.k = static_cast<int>(product_.k);
      products.n = static_cast<int>(product_.n);
      products.a = static_cast<const T*>(buffers.lhs) + offsets.lhs;
      products.a_next = run_.lhs;
      products.a_row = product_.lhs_m;
      products.a_k = product_.lhs_k;
      products.b = static_cast<const T*>(buffers.rhs) + offsets.rhs;
      products.b_next = run_.rhs;
      products.b_k = product_.rhs_k;
      products.b_n = product_.rhs_n;
      products.c = static_cast<T*>(buffers.result) + offsets.result;
      products.c_next = run_.result;
      products.c_row = product_.result_m;
      products.c_n = product_.result_n;
      if constexpr (std::is_same_v<T, float>) {
        HostProductKernels().small_f32(products);
      } else {
        HostProductKernels().small_f64(products);
      }
      Finish(buffers, offsets.result, count);
      b += count;
    }
  }

 private:
  void Finish(const Buffers& buffers, int64_t first, int64_t count) const {
    if (epilogue_ == nullptr) return;
    const int64_t elements = product_.m * product_.n;
    const bool has_gaps = product_.m > 1 && product_.result_m != product_.n;
    if (!has_gaps && run_.result == elements) return FinishElements(buffers, first, count * elements);
    for (int64_t i = 0; i < count; ++i) {
      FinishRows(buffers, first + i * run_.result, 0, product_.m, 0, product_.n);
    }
  }

  StridedDot::Batch run_;  // the innermost products, at equal distances
};

bool HasTypes(const ProductTypes& types) {
  return types.lhs == types.rhs && types.lhs == types.result && (types.lhs == F32 || types.lhs == F64);
}

int64_t LanesOf(const ProductTypes& types) { return HostProductKernels().vector_bytes / ByteWidth(types.lhs); }

std::unique_ptr<ProductProgram> Make(const StridedDot& product, const ProductTypes& types) {
  if (types.lhs == F32) return std::make_unique<SmallProgram<float>>(product, types);
  return std::make_unique<SmallProgram<double>>(product, types);
}

// Two rows or more of lhs and of the result are a vector, or part of one.
bool HasShortRows(const StridedDot& product, int64_t lanes) {
  return product.m >= kMinShortRows && product.lhs_m + (product.k - 1) * product.lhs_k + 1 <= lanes &&
         2 * product.n <= lanes && (product.n == 1 || product.result_n == 1) && product.result_m == product.n;
}

// Every row is a product of its own with the same rhs.
StridedDot RowsAsBatch(StridedDot product) {
  product.batch.push_back({product.m, product.lhs_m, 0, product.result_m});
  product.m = 1;
  product.lhs_m = product.result_m = 0;
  return product;
}

}  // namespace

std::unique_ptr<ProductProgram> MakeSmallProgram(const StridedDot& product, const ProductTypes& types) {
  if (!HasTypes(types) || product.m < 1 || product.n < 1 || product.k < 1) return nullptr;
  const int64_t lanes = LanesOf(types);
  if (product.batch.empty() || product.BatchCount() < 4) return nullptr;
  const Matrix lhs = {product.m, product.lhs_m, product.k, product.lhs_k};
  const Matrix rhs = {product.k, product.rhs_k, product.n, product.rhs_n};
  const Matrix result = {product.m, product.result_m, product.n, product.result_n};
  const bool fit = lhs.Extent() <= lanes && rhs.Extent() <= lanes && product.m * product.n <= lanes &&
                   result.Extent() == product.m * product.n;
  const bool has_rows = product.m > 1 && product.m <= kMaxRowsOfSmall && product.k <= kMaxInner && product.n > 1 &&
                        product.n <= kSmallColumns * lanes && product.rhs_n == 1 && product.result_n == 1;
  return fit || has_rows ? Make(product, types) : nullptr;
}

std::unique_ptr<ProductProgram> MakeShortRowsProgram(const StridedDot& product, const ProductTypes& types) {
  if (!HasTypes(types) || product.n < 1 || product.k < 1 || !HasShortRows(product, LanesOf(types))) return nullptr;
  return Make(RowsAsBatch(product), types);
}

}  // namespace xla
