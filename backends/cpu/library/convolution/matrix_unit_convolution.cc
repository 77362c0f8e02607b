// Convolutions of 8-bit integers in the processor's matrix unit: rows of windows are read from where they lie in the
// image, or in a copy of it with zeros around (window_rows.h), and multiplied with the kernel, which goes into panels.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cpu/library/convolution/direct_convolution.h"
#include "backends/cpu/library/convolution/direct_program.h"
#include "backends/cpu/library/convolution/window_rows.h"
#include "backends/cpu/library/product/matrix_unit_kernels.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int64_t kStep = kMatrixUnitStep;
// Features that lie together: with fewer, most of the time would go to copying them.
constexpr int64_t kMinTogether = 16;
// What a tile should do at least, and how many are enough.
constexpr double kMatrixUnitTileFlops = 8e6;
constexpr int64_t kManyTiles = 32;
// What one tile packs into panels: bytes of the kernel's rows, or columns; and bytes that one copies.
constexpr int64_t kBytesOfPanelTile = 64 << 10;
constexpr int64_t kColumnsOfPanelTile = 128;
constexpr int64_t kBytesOfCopyTile = 64 << 10;
// Bytes of panels that stay in the second cache while the rows of a tile pass by.
constexpr int64_t kPanelBytes = 1 << 20;
// Tiles of rows that are listed at a time.
constexpr int64_t kListedTiles = 64;
constexpr int64_t kSumBytes = 4;
constexpr size_t kMaxAxes = 3;
constexpr double kMatrixUnitMaxMeetings = 1 << 20;
// Of all windows, of which a copy has no more; beyond, they would not be counted exactly.
constexpr double kMatrixUnitMaxBytes = 1e15;

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
    const ConvolutionAxis& axis = c.axes[i];
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
        rows_(WindowRowsOf(c_, kStep, kMatrixUnitTileRows)),
        part_count_(static_cast<int64_t>(rows_.parts.size())),
        padded_part_bytes_(RoundUp(rows_.part_bytes, kStep)),
        inner_bytes_(part_count_ * padded_part_bytes_) {
    ChooseTiles();
    prepared_rhs_bytes_ = RoundUp(c_.outputs, kMatrixUnitColumns) * inner_bytes_;
    workspace_bytes_ = prepared_rhs_bytes_;
    // What is read beyond the last row's parts meets zeros in the panels.
    if (rows_.is_copied) workspace_bytes_ += RoundUp(rows_.LineCount(c_) * rows_.LineBytes(c_), kStep) + kStep;
  }

  const char* kind() const override { return "amx"; }
  int phase_count() const override { return 2; }
  int64_t tile_count(int phase) const override {
    return phase == 0 ? copy_tiles_ + panel_tiles_ : row_chunks_ * column_chunks_;
  }
  double FlopCount() const override { return c_.FlopCount(); }
  bool SetEpilogue(std::shared_ptr<const ProductEpilogue>) override { return false; }

  void RunTile(int phase, int64_t tile, const Buffers& buffers, void*) const override {
    if (phase == 1) return MultiplyTile(tile, buffers);
    if (tile < copy_tiles_) {
      const int64_t begin = tile * copy_lines_, end = std::min(begin + copy_lines_, rows_.LineCount(c_));
      rows_.CopyLines(c_, static_cast<const char*>(buffers.lhs), begin, end, CopyIn(buffers));
    } else if (buffers.prepared_rhs == nullptr) {
      MakePanels(tile - copy_tiles_, buffers.rhs, static_cast<char*>(buffers.workspace));
    }
  }
  void PrepareRhs(const void* rhs, void* prepared) const override {
    for (int64_t tile = 0; tile < panel_tiles_; ++tile) MakePanels(tile, rhs, static_cast<char*>(prepared));
  }

 private:
  void ChooseTiles() {
    if (rows_.is_copied) {
      copy_lines_ = std::max<int64_t>(kBytesOfCopyTile / rows_.LineBytes(c_), 1);
      copy_tiles_ = CeilDiv(rows_.LineCount(c_), copy_lines_);
    }
    panel_steps_ = std::max<int64_t>(kBytesOfPanelTile / (kStep * c_.outputs), 1);
    panel_tiles_ =
        kernel_has_rows_ ? CeilDiv(inner_bytes_ / kStep, panel_steps_) : CeilDiv(c_.outputs, kColumnsOfPanelTile);

    run_tiles_ = CeilDiv(rows_.run_rows, kMatrixUnitTileRows);
    tile_rows_ = CeilDiv(rows_.run_rows, run_tiles_);
    row_tiles_ = rows_.RunCount() * run_tiles_;
    // Pairs of tiles are multiplied together. Rather all columns of fewer rows than the other way round.
    const int64_t pairs = CeilDiv(row_tiles_, 2), panels = CeilDiv(c_.outputs, kMatrixUnitColumns);
    const auto wanted =
        static_cast<int64_t>(std::min(FlopCount() / kMatrixUnitTileFlops, static_cast<double>(kManyTiles)));
    const int64_t most_panels = std::max<int64_t>(kPanelBytes / (inner_bytes_ * kMatrixUnitColumns), 1);
    const int64_t chunks = std::max(CeilDiv(panels, most_panels), std::min(panels, wanted / pairs));
    chunk_columns_ = CeilDiv(panels, chunks) * kMatrixUnitColumns;
    column_chunks_ = CeilDiv(c_.outputs, chunk_columns_);
    chunk_tiles_ = CeilDiv(pairs, std::min(pairs, std::max<int64_t>(CeilDiv(wanted, column_chunks_), 1))) * 2;
    row_chunks_ = CeilDiv(row_tiles_, chunk_tiles_);
  }

  char* CopyIn(const Buffers& buffers) const { return static_cast<char*>(buffers.workspace) + prepared_rhs_bytes_; }

  void MakePanels(int64_t tile, const void* rhs, char* panels) const {
    const auto* const kernel = static_cast<const char*>(rhs);
    if (kernel_has_rows_) {
      PackRows(tile * panel_steps_, std::min((tile + 1) * panel_steps_, inner_bytes_ / kStep), kernel, panels);
    } else {
      PackColumns(tile * kColumnsOfPanelTile, std::min((tile + 1) * kColumnsOfPanelTile, c_.outputs), kernel, panels);
    }
  }

  // Steps [begin, end) of all panels.
  void PackRows(int64_t begin, int64_t end, const char* kernel, char* panels) const {
    const int64_t part_steps = padded_part_bytes_ / kStep;
    for (int64_t step = begin; step < end;) {
      const int64_t part = step / part_steps, first = step % part_steps;
      const int64_t steps = std::min(end - step, part_steps - first);
      const int64_t rows = std::min(steps * kStep, rows_.part_bytes - first * kStep);
      const char* const from = kernel + (part * rows_.part_bytes + first * kStep) * c_.outputs;
      kernels_.pack_rows(1, {from, c_.outputs, rows, c_.outputs}, panels + step * kStep * kMatrixUnitColumns,
                         kMatrixUnitColumns * inner_bytes_);
      step += steps;
    }
  }

  // All steps of the panels of columns [begin, end).
  void PackColumns(int64_t begin, int64_t end, const char* kernel, char* panels) const {
    const int64_t column_bytes = part_count_ * rows_.part_bytes;
    for (int64_t column = begin; column < end; column += kMatrixUnitColumns) {
      const int64_t columns = std::min(kMatrixUnitColumns, end - column);
      for (int64_t part = 0; part < part_count_; ++part) {
        const char* const from = kernel + column * column_bytes + part * rows_.part_bytes;
        kernels_.pack_columns(1, {from, column_bytes, columns, rows_.part_bytes},
                              panels + column * inner_bytes_ + part * padded_part_bytes_ * kMatrixUnitColumns);
      }
    }
  }

  void MultiplyTile(int64_t tile, const Buffers& buffers) const {
    const int64_t column = tile / row_chunks_ * chunk_columns_;
    const int64_t begin = tile % row_chunks_ * chunk_tiles_, end = std::min(begin + chunk_tiles_, row_tiles_);
    const void* const panels = buffers.prepared_rhs != nullptr ? buffers.prepared_rhs : buffers.workspace;
    const char* const input = rows_.is_copied ? CopyIn(buffers) : static_cast<const char*>(buffers.lhs);
    char* const result = static_cast<char*>(buffers.result) + column * kSumBytes;
    MatrixUnitTile tiles[kListedTiles];
    MatrixUnitWindows windows;
    windows.tiles = tiles;
    windows.a_row = rows_.row_bytes;
    windows.c_row = c_.outputs * kSumBytes;
    windows.parts = rows_.parts.data();
    windows.part_count = part_count_;
    windows.part_steps = padded_part_bytes_ / kStep;
    windows.b = static_cast<const char*>(panels) + column * inner_bytes_;
    windows.panel_bytes = kMatrixUnitColumns * inner_bytes_;
    windows.columns = std::min(chunk_columns_, c_.outputs - column);
    for (int64_t first = begin; first < end; first += kListedTiles) {
      windows.tile_count = std::min(kListedTiles, end - first);
      for (int64_t i = 0; i < windows.tile_count; ++i) {
        const int64_t run = (first + i) / run_tiles_, row = (first + i) % run_tiles_ * tile_rows_;
        tiles[i].a = input + rows_.RunStart(run) + row * rows_.row_bytes;
        tiles[i].c = result + (run * rows_.run_rows + row) * windows.c_row;
        tiles[i].rows = static_cast<int>(std::min(tile_rows_, rows_.run_rows - row));
      }
      kernels_.multiply_windows(type_, windows);
    }
  }

  const DirectConvolution c_;
  const bool kernel_has_rows_;  // or else columns
  const MatrixUnitType type_;
  const MatrixUnitKernels& kernels_;
  const WindowRows rows_;
  const int64_t part_count_, padded_part_bytes_;
  const int64_t inner_bytes_;  // of a column of the panels
  // Of the first phase.
  int64_t copy_lines_ = 0, copy_tiles_ = 0;
  int64_t panel_steps_ = 0, panel_tiles_ = 0;
  // Of the second one: tiles of rows, as many in each run, and how many of them and columns make a program's tile.
  int64_t run_tiles_, tile_rows_, row_tiles_;
  int64_t chunk_columns_, column_chunks_, chunk_tiles_, row_chunks_;
};

// Whether neighbours of a line are so in a window, too, which are then copied together.
bool TakesNeighbours(const DirectConvolution& c) {
  const ConvolutionAxis& last = c.axes.back();
  return last.window_dilation == 1 && last.base_dilation == 1 && !last.reversed && last.strides.lhs == c.inputs;
}

bool HasShortTables(const DirectConvolution& c) {
  double bytes = static_cast<double>(c.batch) * static_cast<double>(c.inputs);
  for (const ConvolutionAxis& axis : c.axes) {
    const double meetings = static_cast<double>(axis.output) * static_cast<double>(axis.kernel);
    if (meetings > kMatrixUnitMaxMeetings) return false;
    bytes *= meetings;
  }
  return c.axes.size() <= kMaxAxes && bytes <= kMatrixUnitMaxBytes;
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
  if (c.axes.empty() || !HasShortTables(c) || c.batch * c.OutputPositions() == 0 ||
      c.inputs * c.outputs * c.KernelPositions() == 0 || !IsDense(c, kernel_has_rows)) {
    return absl::UnimplementedError("the matrix unit needs features last");
  }
  if (c.inputs < kMinTogether && !TakesNeighbours(c)) {
    return absl::UnimplementedError("the matrix unit needs more features that lie together");
  }
  const MatrixUnitType type = input == S8 ? (kernel == S8 ? MatrixUnitType::kS8S8 : MatrixUnitType::kS8U8)
                                          : (kernel == S8 ? MatrixUnitType::kU8S8 : MatrixUnitType::kU8U8);
  return std::make_unique<MatrixUnitConvolution>(std::move(c), kernel_has_rows, type, *kernels);
}

}  // namespace xla
