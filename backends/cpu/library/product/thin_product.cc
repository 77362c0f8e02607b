// Long rows times a few columns: the rows are read once, where they lie.
#include <algorithm>
#include <utility>

#include "backends/cpu/library/product/product_kernels.h"
#include "backends/cpu/library/product/product_packing.h"
#include "backends/cpu/library/product/product_programs.h"

namespace xla {
namespace {

// Elements of k that are multiplied at a time: that much of all columns stays in the first cache.
constexpr int64_t kInnerOfThin = 1024;
// Columns that are a power of two apart would push each other out of that cache.
constexpr int64_t kPad = 16;
// Shorter sums are not worth adding up lanes in the end.
constexpr int64_t kMinInner = 64;
constexpr int64_t kMinHeight = 32;
constexpr double kFlopsOfTile = 1e6;
// More tiles would spend too much of their time on bringing columns together.
constexpr int64_t kMaxTiles = 16;

class ThinProgram : public ProductProgram {
 public:
  ThinProgram(const StridedDot& product, const ProductTypes& types)
      : ProductProgram(product, types), inner_(std::min(product.k, kInnerOfThin)), pitch_(inner_ + kPad) {
    const double row_flops = 2.0 * static_cast<double>(product.k * product.n);
    tiling_.CutBatch(1);
    tiling_.CutRows(std::max({static_cast<int64_t>(kFlopsOfTile / row_flops), product.m / kMaxTiles, kMinHeight}), 24);
    scratch_bytes_ = pitch_ * product.n * static_cast<int64_t>(sizeof(float));
  }

  const char* kind() const override { return "thin"; }
  bool SetEpilogue(std::shared_ptr<const ProductEpilogue> epilogue) override {
    if (product_.result_n != 1 && product_.result_m != 1) return false;
    epilogue_ = std::move(epilogue);
    return true;
  }

 protected:
  void RunBlock(const ProductBlock& block, const Buffers& buffers, void* scratch) const override {
    const StridedDot::Batch offsets = OffsetsOf(block.batch);
    const auto* const lhs = static_cast<const float*>(buffers.lhs) + offsets.lhs + block.m * product_.lhs_m;
    const auto* const rhs = static_cast<const float*>(buffers.rhs) + offsets.rhs;
    auto* const columns = static_cast<float*>(scratch);
    ThinProduct thin;
    thin.a_row = product_.lhs_m;
    thin.rows = block.m_count;
    thin.b = columns;
    thin.b_column = pitch_;
    thin.columns = static_cast<int>(product_.n);
    thin.c = static_cast<float*>(buffers.result) + offsets.result + block.m * product_.result_m;
    thin.c_row = product_.result_m;
    thin.c_column = product_.result_n;
    for (int64_t k = 0; k < product_.k; k += inner_) {
      thin.k = std::min(inner_, product_.k - k);
      thin.a = lhs + k;
      thin.accumulate = k > 0;
      PackBlock<float>({F32, rhs + k * product_.rhs_k, product_.n, product_.rhs_n, thin.k, product_.rhs_k}, false,
                       columns, pitch_);
      HostProductKernels().thin(thin);
    }
    if (product_.result_n == 1) return FinishRows(buffers, offsets.result, block.m, block.m_count, 0, product_.n);
    // The rows of the result lie in memory as columns would.
    FinishRowsOfElements(buffers, {offsets.result + block.m, product_.result_n, product_.n, block.m_count});
  }

 private:
  const int64_t inner_;
  const int64_t pitch_;  // of columns
};

}  // namespace

std::unique_ptr<ProductProgram> MakeThinProgram(const StridedDot& product, const ProductTypes& types) {
  if (types.lhs != F32 || types.rhs != F32 || types.result != F32 || product.lhs_k != 1) return nullptr;
  if (product.n < 2 || product.n > kThinColumns || product.k < kMinInner || product.m < kMinHeight) return nullptr;
  return std::make_unique<ThinProgram>(product, types);
}

}  // namespace xla
