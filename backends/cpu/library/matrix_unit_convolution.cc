// Convolutions of 8-bit integers in the processor's matrix unit: what a window meets is copied to a row of a matrix,
// some rows at a time, which the kernel is multiplied with.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "backends/cpu/library/direct_convolution.h"
#include "backends/cpu/library/direct_program.h"
#include "backends/cpu/library/matrix_unit_kernels.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int64_t kStep = kMatrixUnitStep;
// Columns that one tile brings into panels.
constexpr int64_t kColumnsOfPanelTile = 128;
// With fewer features, most of the time would go to copying them.
constexpr int64_t kMinInputs = 16;
// What a tile should do at least, and how many are enough.
constexpr double kTileFlops = 8e6;
constexpr int64_t kManyTiles = 32;
constexpr int64_t kSumBytes = 4;
constexpr size_t kMaxAxes = 3;
constexpr double kMaxMeetings = 1 << 20;

int64_t CeilOf(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t RoundUp(int64_t x, int64_t multiple) { return CeilOf(x, multiple) * multiple; }

bool IsByte(PrimitiveType type) { return type == S8 || type == U8; }

// Whether features are last and everything is dense: rows of the result are windows, and rows or columns of the kernel
// are what they meet, in the same order.
bool IsDense(const DirectConvolution& c, bool& kernel_has_rows) {
  if (c.groups != 1 || c.input_strides.lhs != 1 || (c.outputs > 1 && c.output_strides.result != 1)) return false;
  kernel_has_rows = c.outputs == 1 || c.output_strides.rhs == 1;
  int64_t result = c.outputs, kernel = kernel_has_rows ? c.outputs : 1;
  if (c.inputs > 1 && c.input_strides.rhs != kernel) return false;
  kernel *= c.inputs;
  for (size_t i = c.axes.size(); i-- > 0;) {
    const WindowAxis& axis = c.axes[i];
    if (axis.output > 1 && axis.strides.result != result) return false;
    if (axis.kernel > 1 && axis.strides.rhs != kernel) return false;
    result *= axis.output;
    kernel *= axis.kernel;
  }
  if (c.batch > 1 && c.batch_strides.result != result) return false;
  return kernel_has_rows || c.output_strides.rhs == kernel;
}

class MatrixUnitConvolution : public TiledProgram {
 public:
  MatrixUnitConvolution(DirectConvolution convolution, bool kernel_has_rows, MatrixUnitType type,
                        const MatrixUnitKernels& kernels)
      : c_(std::move(convolution)),
        kernel_has_rows_(kernel_has_rows),
        type_(type),
        kernels_(kernels),
        inner_(c_.KernelPositions() * c_.inputs),
        inner_bytes_(RoundUp(inner_, kStep)),
        rows_(c_.batch * c_.OutputPositions()) {
    const auto tiles = static_cast<int64_t>(std::min(FlopCount() / kTileFlops, static_cast<double>(kManyTiles)));
    tile_rows_ = RoundUp(CeilOf(rows_, std::max<int64_t>(tiles, 1)), kMatrixUnitRows);
    prepared_rhs_bytes_ = workspace_bytes_ = RoundUp(c_.outputs, kMatrixUnitColumns) * inner_bytes_;
    scratch_bytes_ = kMatrixUnitRows * (LhsRow() + kMatrixUnitColumns * kSumBytes);
    TabulateMeetings();
  }

  const char* kind() const override { return "amx"; }
  int phase_count() const override { return 2; }
  int64_t tile_count(int phase) const override {
    return phase == 0 ? CeilOf(c_.outputs, kColumnsOfPanelTile) : CeilOf(rows_, tile_rows_);
  }
  double FlopCount() const override { return c_.FlopCount(); }
  bool SetEpilogue(std::shared_ptr<const ProductEpilogue>) override { return false; }

  void RunTile(int phase, int64_t tile, const Buffers& buffers, void* scratch) const override {
    if (phase == 0) {
      if (buffers.prepared_rhs == nullptr) MakePanels(tile, buffers.rhs, static_cast<char*>(buffers.workspace));
      return;
    }
    const int64_t end = std::min(rows_, (tile + 1) * tile_rows_);
    for (int64_t row = tile * tile_rows_; row < end; row += kMatrixUnitRows) {
      MultiplyRows(row, static_cast<int>(std::min(kMatrixUnitRows, end - row)), buffers, static_cast<char*>(scratch));
    }
  }
  void PrepareRhs(const void* rhs, void* prepared) const override {
    for (int64_t tile = 0; tile < tile_count(0); ++tile) MakePanels(tile, rhs, static_cast<char*>(prepared));
  }

 private:
  // Rows do not all begin in the same places of the first cache.
  int64_t LhsRow() const { return inner_bytes_ + kStep; }

  void MakePanels(int64_t tile, const void* rhs, char* panels) const {
    const auto* const kernel = static_cast<const char*>(rhs);
    const int64_t begin = tile * kColumnsOfPanelTile, end = std::min(begin + kColumnsOfPanelTile, c_.outputs);
    if (kernel_has_rows_) {
      kernels_.pack_rows(1, {kernel + begin, c_.outputs, inner_, end - begin}, panels + begin * inner_bytes_,
                         kMatrixUnitColumns * inner_bytes_);
      return;
    }
    for (int64_t n = begin; n < end; n += kMatrixUnitColumns) {
      kernels_.pack_columns(1, {kernel + n * inner_, inner_, std::min(kMatrixUnitColumns, end - n), inner_},
                            panels + n * inner_bytes_);
    }
  }

  void MultiplyRows(int64_t first, int rows, const Buffers& buffers, char* scratch) const {
    CopyWindows(first, rows, static_cast<const char*>(buffers.lhs), scratch);
    const auto* const panels =
        static_cast<const char*>(buffers.prepared_rhs != nullptr ? buffers.prepared_rhs : buffers.workspace);
    const int64_t result_row = c_.outputs * kSumBytes;
    char* const result = static_cast<char*>(buffers.result) + first * result_row;
    // A last panel that is not full has no places in the result for what it was filled up with.
    const int64_t part = c_.outputs % (kMatrixUnitColumns / 2) == 0 ? 0 : c_.outputs % kMatrixUnitColumns;
    const int64_t full = c_.outputs - part;
    MatrixUnitBlock block;
    block.steps = inner_bytes_ / kStep;
    block.a = scratch;
    block.a_row = LhsRow();
    block.a_rest = nullptr;
    block.b = panels;
    block.panel_bytes = kMatrixUnitColumns * inner_bytes_;
    block.c = result;
    block.c_row = result_row;
    block.rows = rows;
    block.columns = full;
    block.accumulate = false;
    if (full > 0) kernels_.multiply(type_, block);
    if (part == 0) return;
    char* const sums = scratch + kMatrixUnitRows * LhsRow();
    block.b = panels + full * inner_bytes_;
    block.c = sums;
    block.c_row = kMatrixUnitColumns * kSumBytes;
    block.columns = RoundUp(part, kMatrixUnitColumns / 2);
    kernels_.multiply(type_, block);
    for (int r = 0; r < rows; ++r) {
      std::memcpy(result + r * result_row + full * kSumBytes, sums + r * block.c_row, part * kSumBytes);
    }
  }

  // Of each axis, where outputs meet elements of the kernel: bytes from the first input, or -1.
  void TabulateMeetings() {
    for (const WindowAxis& axis : c_.axes) {
      std::vector<int64_t> meetings;
      for (int64_t x = 0; x < axis.output; ++x) {
        for (int64_t k = 0; k < axis.kernel; ++k) {
          const int64_t input = axis.InputAt(x, axis.reversed ? axis.kernel - 1 - k : k);
          meetings.push_back(input < 0 ? -1 : input * axis.strides.lhs);
        }
      }
      meetings_.push_back(std::move(meetings));
    }
  }

  // What the windows of rows of the result meet, and zeros where these are outside.
  void CopyWindows(int64_t first, int rows, const char* lhs, char* out) const {
    absl::InlinedVector<int64_t, kMaxAxes> output(c_.axes.size());
    int64_t image = first;
    for (size_t i = c_.axes.size(); i-- > 0;) {
      output[i] = image % c_.axes[i].output;
      image /= c_.axes[i].output;
    }
    for (int r = 0; r < rows; ++r) {
      char* const row = out + r * LhsRow();
      CopyAxis(0, output, lhs + image * c_.batch_strides.lhs, row);
      std::memset(row + inner_, 0, inner_bytes_ - inner_);
      size_t i = c_.axes.size();
      while (i > 0 && ++output[i - 1] == c_.axes[i - 1].output) output[--i] = 0;
      if (i == 0) ++image;
    }
  }

  // Axes from number `axis` on; as deep as there are axes. Returns the end of what it has written.
  char* CopyAxis(size_t axis, const absl::InlinedVector<int64_t, kMaxAxes>& output, const char* lhs, char* out) const {
    if (axis == c_.axes.size()) {
      std::memcpy(out, lhs, c_.inputs);
      return out + c_.inputs;
    }
    const int64_t kernel = c_.axes[axis].kernel;
    const int64_t* const meetings = meetings_[axis].data() + output[axis] * kernel;
    if (axis + 1 == c_.axes.size()) return CopyLastAxis(meetings, kernel, lhs, out);
    int64_t below = c_.inputs;
    for (size_t i = axis + 1; i < c_.axes.size(); ++i) below *= c_.axes[i].kernel;
    for (int64_t k = 0; k < kernel; ++k) {
      if (meetings[k] >= 0) {
        out = CopyAxis(axis + 1, output, lhs + meetings[k], out);
      } else {
        std::memset(out, 0, below);
        out += below;
      }
    }
    return out;
  }

  // What lies together, at once.
  char* CopyLastAxis(const int64_t* meetings, int64_t kernel, const char* lhs, char* out) const {
    for (int64_t k = 0; k < kernel;) {
      const int64_t input = meetings[k];
      int64_t count = 1;
      while (k + count < kernel && meetings[k + count] == (input < 0 ? -1 : input + count * c_.inputs)) ++count;
      if (input < 0) {
        std::memset(out, 0, count * c_.inputs);
      } else {
        std::memcpy(out, lhs + input, count * c_.inputs);
      }
      out += count * c_.inputs;
      k += count;
    }
    return out;
  }

  const DirectConvolution c_;
  const bool kernel_has_rows_;  // or else columns
  const MatrixUnitType type_;
  const MatrixUnitKernels& kernels_;
  const int64_t inner_, inner_bytes_;  // of a window, and in whole steps
  const int64_t rows_;                 // windows of all images
  int64_t tile_rows_;
  std::vector<std::vector<int64_t>> meetings_;  // by axis: of each output, of each element of the kernel
};

bool HasShortTables(const DirectConvolution& c) {
  return c.axes.size() <= kMaxAxes && std::all_of(c.axes.begin(), c.axes.end(), [](const WindowAxis& axis) {
           return static_cast<double>(axis.output) * static_cast<double>(axis.kernel) <= kMaxMeetings;
         });
}

}  // namespace

absl::StatusOr<std::unique_ptr<TiledProgram>> MakeMatrixUnitConvolution(const HloInstruction& convolution) {
  const PrimitiveType input = convolution.operand(0)->shape().element_type();
  const PrimitiveType kernel = convolution.operand(1)->shape().element_type();
  const PrimitiveType result = convolution.shape().element_type();
  const MatrixUnitKernels* const kernels = HostMatrixUnitKernels();
  if (kernels == nullptr || !IsByte(input) || !IsByte(kernel) || (result != S32 && result != U32)) {
    return absl::UnimplementedError("the matrix unit takes 8-bit integers");
  }
  ASSIGN_OR_RETURN(DirectConvolution c, DirectConvolutionOf(convolution));
  bool kernel_has_rows = false;
  if (c.inputs < kMinInputs || !HasShortTables(c) || c.OutputPositions() == 0 || c.KernelPositions() == 0 ||
      !IsDense(c, kernel_has_rows)) {
    return absl::UnimplementedError("the matrix unit wants many features, which lie together");
  }
  const MatrixUnitType type = input == S8 ? (kernel == S8 ? MatrixUnitType::kS8S8 : MatrixUnitType::kS8U8)
                                          : (kernel == S8 ? MatrixUnitType::kU8S8 : MatrixUnitType::kU8U8);
  return std::make_unique<MatrixUnitConvolution>(std::move(c), kernel_has_rows, type, *kernels);
}

}  // namespace xla
