// Large products by oneDNN: of f32 by sgemm, which brings both sides into an order of its own every time; by a
// primitive for each size of tile where rhs is the same in every run, and of narrower numbers, whose instructions our
// own loops do not know.
#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "backends/cpu/library/base/onednn_runtime.h"
#include "backends/cpu/library/product/product_programs.h"

namespace xla {
namespace {

// Products of fewer multiplications go to our own loops, which have no preparations to make.
constexpr double kMinProduct = 64.0 * 64 * 64;
// Fewer rows or columns do not make up for what sgemm does to the other operand first.
constexpr int64_t kMinSgemmRows = 64;
// A primitive whose rhs is in order already gains where sgemm would spend its time on that: with few rows, and more
// columns than those are long.
constexpr int64_t kMinOrderedRows = 16;
constexpr int64_t kMaxOrderedRows = 256;
constexpr int64_t kMinOrderedColumns = 256;
constexpr int64_t kOrderedColumns = 64;
// Blocks of 512 rows and columns are a tenth faster than those of 256.
constexpr int64_t kSgemmBlock = 512 * 512;
// Products get this many tiles even if those are smaller, so that threads have something to do.
constexpr int64_t kManyTiles = 16;
// A call of oneDNN that has begun cannot be stopped: no tile takes much longer than a tenth of a second.
constexpr double kMostFlops = 8e9;

bool IsLarge(const StridedDot& product) {
  const double size = static_cast<double>(product.m) * static_cast<double>(product.n) * static_cast<double>(product.k);
  return size >= kMinProduct && std::min({product.m, product.n, product.k}) >= 8;
}

// Four tiles as soon as there is work for them: `min_flops`; of large products many, of `flops_of_many`, and of the
// largest as many as it takes. A power of two, so that matrices of such sizes, which are common, are cut evenly.
int64_t TileCountFor(double flops, double min_flops, double flops_of_many) {
  const double wanted =
      std::max({std::min(flops / min_flops, 4.0), std::min(flops / flops_of_many, 64.0), 2 * flops / kMostFlops});
  int64_t count = 1;
  while (2 * count <= wanted) count *= 2;
  return count;
}

// oneDNN writes the code of all of sgemm when it is called first, which takes tens of milliseconds: while a program is
// compiled rather than when it runs.
void PrepareSgemm() {
  static const bool done = [] {
    const OneDnnScope scope;
    // Vectors and single numbers would go another way.
    const float matrix[4] = {};
    float result[4];
    return dnnl_sgemm('N', 'N', 2, 2, 2, 1.0f, matrix, 2, matrix, 2, 0.0f, result, 2) == dnnl_success;
  }();
  static_cast<void>(done);
}

class SgemmProgram : public ProductProgram {
 public:
  SgemmProgram(const StridedDot& product, const ProductTypes& types) : ProductProgram(product, types) {
    PrepareSgemm();
    const int64_t blocks = product.m * product.n / kSgemmBlock * product.BatchCount();
    const double flops = tiling_.FlopCount();
    const auto smaller_blocks = static_cast<int64_t>(std::min(4.0 * static_cast<double>(blocks), flops / kMostFlops));
    const int64_t count = std::min(TileCountFor(flops, 2e6, 256e6), std::max({kManyTiles, blocks, smaller_blocks}));
    tiling_.CutInto(count);
    const int64_t missing = count / tiling_.TileCount();
    if (missing > 1 && product.m * product.n <= 256 * 256 && product.k >= 4096) {
      tiling_.CutInner(std::max<int64_t>(product.k / missing, 2048), 64);
    }
    if (tiling_.k_tiles > 1) {
      workspace_bytes_ = tiling_.k_tiles * SumCount() * static_cast<int64_t>(sizeof(float));
    }
  }

  const char* kind() const override { return "onednn"; }

 protected:
  void RunBlock(const ProductBlock& block, const Buffers& buffers, void* /*scratch*/) const override {
    const OneDnnScope scope;
    const bool lhs_transposed = product_.lhs_k != 1, rhs_transposed = product_.rhs_n != 1;
    const bool in_workspace = tiling_.k_tiles > 1;
    for (int64_t b = block.batch; b < block.batch + block.batch_count; ++b) {
      const StridedDot::Batch offsets = OffsetsOf(b);
      const float* const lhs =
          static_cast<const float*>(buffers.lhs) + offsets.lhs + block.m * product_.lhs_m + block.k * product_.lhs_k;
      const float* const rhs =
          static_cast<const float*>(buffers.rhs) + offsets.rhs + block.k * product_.rhs_k + block.n * product_.rhs_n;
      const int64_t row = in_workspace ? tiling_.n : product_.result_m;
      float* const result =
          in_workspace ? static_cast<float*>(buffers.workspace) + block.k_tile * SumCount() + b * tiling_.m * tiling_.n
                       : static_cast<float*>(buffers.result) + offsets.result;
      dnnl_sgemm(lhs_transposed ? 'T' : 'N', rhs_transposed ? 'T' : 'N', block.m_count, block.n_count, block.k_count,
                 1.0f, lhs, lhs_transposed ? product_.lhs_k : product_.lhs_m, rhs,
                 rhs_transposed ? product_.rhs_n : product_.rhs_k, 0.0f, result + block.m * row + block.n, row);
      if (!in_workspace) FinishRows(buffers, offsets.result, block.m, block.m_count, block.n, block.n_count);
    }
  }

  void AddBlocks(const Buffers& buffers) const override {
    float* const sums = static_cast<float*>(buffers.workspace);
    for (int64_t tile = 1; tile < tiling_.k_tiles; ++tile) {
      const float* const other = sums + tile * SumCount();
      for (int64_t i = 0; i < SumCount(); ++i) sums[i] += other[i];
    }
    for (int64_t b = 0; b < tiling_.batches; ++b) {
      float* const result = static_cast<float*>(buffers.result) + OffsetsOf(b).result;
      for (int64_t m = 0; m < tiling_.m; ++m) {
        std::copy_n(sums + (b * tiling_.m + m) * tiling_.n, tiling_.n, result + m * product_.result_m);
      }
      FinishRows(buffers, OffsetsOf(b).result, 0, tiling_.m, 0, tiling_.n);
    }
  }

 private:
  int64_t SumCount() const { return tiling_.batches * tiling_.m * tiling_.n; }
};

// A primitive for each size of tile that occurs. oneDNN is fast where matrices are dense, so that tiles of some columns
// have rhs in panels of their own and leave their sums in scratch memory first. Panels of f32 are in the order that
// oneDNN needs, which takes longer than it gains unless it is done once for all runs.
class PrimitiveProgram : public ProductProgram {
 public:
  // nullptr if oneDNN has nothing fast.
  static std::unique_ptr<PrimitiveProgram> Make(const StridedDot& product, const ProductTypes& types) {
    std::unique_ptr<PrimitiveProgram> program(new PrimitiveProgram(product, types));
    try {
      for (int64_t tile = 0; tile < program->tiling_.m_tiles * program->tiling_.n_tiles; ++tile) {
        const ProductBlock block = program->tiling_.Block(tile);
        if (!program->Prepare(block.m_count, block.n_count)) return nullptr;
      }
      program->PlacePanels();
    } catch (const dnnl::error&) {
      return nullptr;
    }
    return program;
  }

  const char* kind() const override { return "onednn"; }
  int phase_count() const override { return has_panels_ ? 2 : 1; }
  int64_t tile_count(int phase) const override {
    return phase + 1 < phase_count() ? tiling_.n_tiles : tiling_.TileCount();
  }
  void RunTile(int phase, int64_t tile, const Buffers& buffers, void* scratch) const override {
    if (phase + 1 == phase_count()) return RunBlock(tiling_.Block(tile), buffers, scratch);
    if (buffers.prepared_rhs == nullptr) MakePanel(tile, buffers.rhs, buffers.workspace);
  }
  void PrepareRhs(const void* rhs, void* prepared) const override {
    for (int64_t tile = 0; tile < tile_count(0); ++tile) MakePanel(tile, rhs, prepared);
  }

 protected:
  void RunBlock(const ProductBlock& block, const Buffers& buffers, void* scratch) const override {
    const Prepared& prepared = prepared_.at({block.m_count, block.n_count});
    const dnnl::engine& engine = OneDnnEngine();
    const OneDnnScope scope;
    const dnnl::memory scratchpad(prepared.scratchpad, engine, static_cast<char*>(scratch) + sums_bytes_);
    const void* const panels = buffers.prepared_rhs != nullptr ? buffers.prepared_rhs : buffers.workspace;
    for (int64_t b = block.batch; b < block.batch + block.batch_count; ++b) {
      const StridedDot::Batch offsets = OffsetsOf(b);
      const dnnl::memory lhs(prepared.lhs, engine, At(types_.lhs, buffers.lhs, offsets.lhs + block.m * product_.lhs_m));
      const dnnl::memory rhs(prepared.rhs, engine,
                             has_panels_ ? PanelAt(panels, block.n / tiling_.n_tile)
                                         : At(types_.rhs, buffers.rhs, offsets.rhs + block.n * product_.rhs_n));
      char* const target =
          At(types_.result, buffers.result, offsets.result + block.m * product_.result_m + block.n * product_.result_n);
      const dnnl::memory result(prepared.result, engine, has_sums_ ? scratch : target);
      prepared.primitive.execute(
          scope.stream(),
          {{DNNL_ARG_SRC, lhs}, {DNNL_ARG_WEIGHTS, rhs}, {DNNL_ARG_DST, result}, {DNNL_ARG_SCRATCHPAD, scratchpad}});
      if (has_sums_) CopySums(block, static_cast<const char*>(scratch), target);
      FinishRows(buffers, offsets.result, block.m, block.m_count, block.n, block.n_count);
    }
  }

 private:
  struct Prepared {
    dnnl::matmul primitive;
    dnnl::memory::desc lhs, rhs, result, scratchpad;
  };

  PrimitiveProgram(const StridedDot& product, const ProductTypes& types) : ProductProgram(product, types) {
    orders_panels_ = types.rhs == F32;
    if (orders_panels_) {
      const int64_t count = TileCountFor(tiling_.FlopCount(), 8e6, 64e6);
      tiling_.CutColumns(std::max((product.n + count - 1) / count, kMinOrderedColumns), kOrderedColumns);
    } else {
      tiling_.CutInto(TileCountFor(tiling_.FlopCount(), 8e6, 256e6));
    }
    if (tiling_.batches > 1 && product.rhs_n == 1) tiling_.CutColumns(product.n, 1);
    has_panels_ = orders_panels_ || (tiling_.n_tiles > 1 && product.rhs_n == 1);
    has_sums_ = product.result_m != tiling_.n_tile;
    if (has_sums_) sums_bytes_ = (tiling_.m_tile * tiling_.n_tile * ByteWidth(types.result) + 63) / 64 * 64;
    scratch_bytes_ = sums_bytes_;
  }

  static char* At(PrimitiveType type, const void* data, int64_t element) {
    return const_cast<char*>(static_cast<const char*>(data)) + element * ByteWidth(type);
  }

  // The columns of rhs that tile number `tile` of n multiplies with.
  void MakePanel(int64_t tile, const void* rhs, void* panels) const {
    const int64_t n = tile * tiling_.n_tile;
    const int64_t bytes = std::min(tiling_.n_tile, tiling_.n - n) * ByteWidth(types_.rhs);
    char* const panel = PanelAt(panels, tile);
    if (orders_panels_) return OrderPanel(n, std::min(tiling_.n_tile, tiling_.n - n), rhs, panel);
    for (int64_t k = 0; k < product_.k; ++k) {
      std::memcpy(panel + k * bytes, At(types_.rhs, rhs, k * product_.rhs_k + n), bytes);
    }
  }

  char* PanelAt(const void* panels, int64_t tile) const { return At(S8, panels, tile * panel_bytes_); }

  void OrderPanel(int64_t n, int64_t n_count, const void* rhs, char* panel) const {
    const OneDnnScope scope;
    const dnnl::engine& engine = OneDnnEngine();
    const dnnl::memory::desc plain({product_.k, n_count}, *OneDnnTypeOf(types_.rhs), {product_.rhs_k, product_.rhs_n});
    dnnl::memory from(plain, engine, At(types_.rhs, rhs, n * product_.rhs_n));
    dnnl::memory to(orders_.at(n_count), engine, panel);
    dnnl::reorder(from, to).execute(scope.stream(), from, to);
  }

  // When it is known what they have in them.
  void PlacePanels() {
    if (!has_panels_) return;
    panel_bytes_ = tiling_.n_tile * product_.k * ByteWidth(types_.rhs);
    for (const auto& [columns, order] : orders_) {
      panel_bytes_ = std::max(panel_bytes_, (static_cast<int64_t>(order.get_size()) + 63) / 64 * 64);
    }
    prepared_rhs_bytes_ = workspace_bytes_ = tiling_.n_tiles * panel_bytes_;
  }

  void CopySums(const ProductBlock& block, const char* sums, char* target) const {
    const int64_t bytes = block.n_count * ByteWidth(types_.result);
    const int64_t step = product_.result_m * ByteWidth(types_.result);
    for (int64_t m = 0; m < block.m_count; ++m) std::memcpy(target + m * step, sums + m * bytes, bytes);
  }

  bool Prepare(int64_t m, int64_t n) {
    if (prepared_.count({m, n}) != 0) return true;
    using Desc = dnnl::memory::desc;
    using Dims = dnnl::memory::dims;
    Prepared prepared;
    prepared.lhs = Desc(Dims{m, product_.k}, *OneDnnTypeOf(types_.lhs), Dims{product_.lhs_m, product_.lhs_k});
    const auto type = *OneDnnTypeOf(types_.rhs);
    const Dims rhs_dims = {product_.k, n};
    if (orders_panels_) {
      // Tiles of other rows find the columns as the first ones wanted them.
      const auto order = orders_.find(n);
      prepared.rhs = order != orders_.end() ? order->second : Desc(rhs_dims, type, dnnl::memory::format_tag::any);
    } else {
      prepared.rhs = Desc(rhs_dims, type, has_panels_ ? Dims{n, 1} : Dims{product_.rhs_k, product_.rhs_n});
    }
    prepared.result =
        Desc(Dims{m, n}, *OneDnnTypeOf(types_.result), has_sums_ ? Dims{n, 1} : Dims{product_.result_m, 1});
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const OneDnnScope scope;
    const dnnl::matmul::primitive_desc primitive({prepared.lhs, prepared.rhs, prepared.result}, attributes,
                                                 OneDnnEngine());
    if (IsReferenceImplementation(primitive.impl_info_str())) return false;
    prepared.rhs = primitive.weights_desc();
    if (orders_panels_) orders_.emplace(n, prepared.rhs);
    prepared.scratchpad = primitive.scratchpad_desc();
    scratch_bytes_ = std::max(scratch_bytes_, sums_bytes_ + static_cast<int64_t>(prepared.scratchpad.get_size()));
    prepared.primitive = dnnl::matmul(primitive);
    prepared_.emplace(std::make_pair(m, n), std::move(prepared));
    return true;
  }

  bool orders_panels_ = false;
  bool has_panels_ = false;
  bool has_sums_ = false;
  int64_t sums_bytes_ = 0;
  int64_t panel_bytes_ = 0;
  std::map<int64_t, dnnl::memory::desc> orders_;  // of panels, by columns
  std::map<std::pair<int64_t, int64_t>, Prepared> prepared_;
};

bool GainsByOrder(const StridedDot& product) {
  const bool has_dense_rows = product.lhs_k == 1 && product.lhs_m == product.k;
  return product.batch.empty() && has_dense_rows && product.m >= kMinOrderedRows && product.m <= kMaxOrderedRows &&
         product.n > product.k;
}

}  // namespace

std::unique_ptr<ProductProgram> MakeOneDnnProgram(const StridedDot& product, const ProductTypes& types,
                                                  bool rhs_is_fixed) {
  if (!product.HasUnitStrides() || product.result_n != 1 || !IsLarge(product)) return nullptr;
  if (types.lhs == F32 && types.rhs == F32 && types.result == F32) {
    if (rhs_is_fixed && GainsByOrder(product)) {
      if (auto program = PrimitiveProgram::Make(product, types)) return program;
    }
    if (std::min(product.m, product.n) < kMinSgemmRows) return nullptr;
    return std::make_unique<SgemmProgram>(product, types);
  }
  const bool is_bf16 = types.lhs == BF16 && types.rhs == BF16 && (types.result == BF16 || types.result == F32) &&
                       OneDnnHas(dnnl::cpu_isa::avx512_core_bf16);
  const bool is_int8 = (types.lhs == S8 || types.lhs == U8) && types.rhs == S8 && types.result == S32 &&
                       OneDnnHas(dnnl::cpu_isa::avx512_core_vnni);
  if (!is_bf16 && !is_int8) return nullptr;
  return PrimitiveProgram::Make(product, types);
}

}  // namespace xla
