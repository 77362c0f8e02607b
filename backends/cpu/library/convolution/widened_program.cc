#include "backends/cpu/library/convolution/widened_program.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "backends/cpu/library/base/array_elements.h"
#include "backends/cpu/library/product/product_packing.h"

namespace xla {
namespace {

// Elements that a tile converts.
constexpr int64_t kTileElements = 64 << 10;

int64_t TilesOf(int64_t elements) { return (elements + kTileElements - 1) / kTileElements; }
int64_t FloatBytes(int64_t elements) { return (elements * static_cast<int64_t>(sizeof(float)) + 63) / 64 * 64; }

void Widen(const WidenedArray& array, int64_t begin, int64_t end, const void* from, float* to) {
  PackBlock<float>({array.type, ElementOf(array.type, from, begin), 1, 0, end - begin, 1}, false, to + begin, 0);
}

// Its phases are: operands to f32, those of the program, the result from f32. In the workspace are those arrays that
// are not f32 by themselves, and then the program's own.
class WidenedProgram : public TiledProgram {
 public:
  WidenedProgram(std::unique_ptr<TiledProgram> program, const WidenedArray& lhs, const WidenedArray& rhs,
                 const WidenedArray& result)
      : program_(std::move(program)), lhs_(lhs), rhs_(rhs), result_(result) {
    const auto place = [&](const WidenedArray& array) {
      const int64_t at = workspace_bytes_;
      if (array.type != F32) workspace_bytes_ += FloatBytes(array.elements);
      return at;
    };
    lhs_place_ = place(lhs_);
    rhs_place_ = place(rhs_);
    result_place_ = place(result_);
    workspace_place_ = workspace_bytes_;
    workspace_bytes_ += program_->workspace_bytes();
    scratch_bytes_ = program_->scratch_bytes();
    prepared_rhs_bytes_ = program_->prepared_rhs_bytes();
  }

  const char* kind() const override { return program_->kind(); }
  double FlopCount() const override { return program_->FlopCount(); }
  bool SetEpilogue(std::shared_ptr<const ProductEpilogue> /*epilogue*/) override { return false; }
  int phase_count() const override { return program_->phase_count() + 2; }
  int64_t tile_count(int phase) const override {
    if (phase == 0) return TilesToWiden(lhs_) + TilesToWiden(rhs_);
    if (phase + 1 == phase_count()) return TilesToWiden(result_);
    return program_->tile_count(phase - 1);
  }

  void RunTile(int phase, int64_t tile, const Buffers& buffers, void* scratch) const override {
    if (phase == 0) return WidenTile(tile, buffers);
    if (phase + 1 == phase_count()) return NarrowTile(tile, buffers);
    Buffers wide = buffers;
    if (lhs_.type != F32) wide.lhs = At(buffers, lhs_place_);
    if (rhs_.type != F32) wide.rhs = At(buffers, rhs_place_);
    if (result_.type != F32) wide.result = At(buffers, result_place_);
    wide.workspace = At(buffers, workspace_place_);
    program_->RunTile(phase - 1, tile, wide, scratch);
  }

  void PrepareRhs(const void* rhs, void* prepared) const override {
    if (rhs_.type == F32) return program_->PrepareRhs(rhs, prepared);
    std::vector<float> wide(static_cast<size_t>(rhs_.elements));
    Widen(rhs_, 0, rhs_.elements, rhs, wide.data());
    program_->PrepareRhs(wide.data(), prepared);
  }

 private:
  static int64_t TilesToWiden(const WidenedArray& array) { return array.type == F32 ? 0 : TilesOf(array.elements); }
  static void* At(const Buffers& buffers, int64_t place) { return static_cast<char*>(buffers.workspace) + place; }

  void WidenTile(int64_t tile, const Buffers& buffers) const {
    const int64_t of_lhs = TilesToWiden(lhs_);
    const bool is_lhs = tile < of_lhs;
    if (!is_lhs && buffers.prepared_rhs != nullptr) return;
    const WidenedArray& array = is_lhs ? lhs_ : rhs_;
    const int64_t begin = (is_lhs ? tile : tile - of_lhs) * kTileElements;
    Widen(array, begin, std::min(array.elements, begin + kTileElements), is_lhs ? buffers.lhs : buffers.rhs,
          static_cast<float*>(At(buffers, is_lhs ? lhs_place_ : rhs_place_)));
  }

  void NarrowTile(int64_t tile, const Buffers& buffers) const {
    const int64_t begin = tile * kTileElements, end = std::min(result_.elements, begin + kTileElements);
    UnpackBlock<float>(static_cast<const float*>(At(buffers, result_place_)) + begin, nullptr, 0, true,
                       {result_.type, ElementOf(result_.type, buffers.result, begin), 1, 0, end - begin, 1});
  }

  const std::unique_ptr<TiledProgram> program_;
  const WidenedArray lhs_, rhs_, result_;
  int64_t lhs_place_, rhs_place_, result_place_, workspace_place_;
};

}  // namespace

std::unique_ptr<TiledProgram> WidenProgram(std::unique_ptr<TiledProgram> program, const WidenedArray& lhs,
                                           const WidenedArray& rhs, const WidenedArray& result) {
  return std::make_unique<WidenedProgram>(std::move(program), lhs, rhs, result);
}

}  // namespace xla
