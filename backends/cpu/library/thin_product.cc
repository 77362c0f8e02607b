// Long rows times a few columns: the rows are read once, where they lie.
#include <algorithm>

#include "backends/cpu/library/product_kernels.h"
#include "backends/cpu/library/product_packing.h"
#include "backends/cpu/library/product_programs.h"

namespace xla {
namespace {

// Elements of k that are multiplied at a time: that much of all columns stays in the first cache.
constexpr int64_t kInner = 512;
// Shorter sums are not worth adding up lanes in the end.
constexpr int64_t kMinInner = 64;
constexpr int64_t kMinRows = 32;
constexpr double kFlopsOfTile = 1e6;

class ThinProgram : public ProductProgram {
 public:
  ThinProgram(const StridedDot& product, const ProductTypes& types)
      : ProductProgram(product, types), inner_(std::min(product.k, kInner)) {
    const double row_flops = 2.0 * static_cast<double>(product.k * product.n);
    tiling_.CutBatch(1);
    tiling_.CutRows(std::max<int64_t>(static_cast<int64_t>(kFlopsOfTile / row_flops), kMinRows), 8);
    scratch_bytes_ = inner_ * product.n * static_cast<int64_t>(sizeof(float));
  }

  const char* kind() const override { return "thin"; }

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
    thin.b_column = inner_;
    thin.columns = static_cast<int>(product_.n);
    thin.c = static_cast<float*>(buffers.result) + offsets.result + block.m * product_.result_m;
    thin.c_row = product_.result_m;
    thin.c_column = product_.result_n;
    for (int64_t k = 0; k < product_.k; k += inner_) {
      thin.k = std::min(inner_, product_.k - k);
      thin.a = lhs + k;
      thin.accumulate = k > 0;
      PackBlock<float>({F32, rhs + k * product_.rhs_k, product_.n, product_.rhs_n, thin.k, product_.rhs_k}, false,
                       columns, inner_);
      HostProductKernels().thin(thin);
    }
    FinishRows(buffers, offsets.result, block.m, block.m_count, 0, product_.n);
  }

 private:
  const int64_t inner_;
};

}  // namespace

std::unique_ptr<ProductProgram> MakeThinProgram(const StridedDot& product, const ProductTypes& types) {
  if (types.lhs != F32 || types.rhs != F32 || types.result != F32 || product.lhs_k != 1) return nullptr;
  if (product.n < 2 || product.n > kThinColumns || product.k < kMinInner || product.m < kMinRows) return nullptr;
  return std::make_unique<ThinProgram>(product, types);
}

}  // namespace xla
