#include "backends/cpu/library/convolution/convolution_program.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backends/cpu/library/base/onednn_runtime.h"
#include "backends/cpu/library/convolution/convolution_geometry.h"
#include "backends/cpu/library/convolution/direct_program.h"
#include "backends/cpu/library/convolution/kernel_arrangement.h"
#include "backends/cpu/library/convolution/widened_program.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;
using DataType = dnnl::memory::data_type;

// Work of a tile, and rows of one, below which neither is cut. Reading and writing an element is work, too.
constexpr double kTileFlops = 4e6;
constexpr double kElementFlops = 32;
constexpr int64_t kMinRows = 3;
constexpr int64_t kMaxTiles = 16;
// A call of oneDNN that has begun cannot be stopped: no tile takes much longer than a tenth of a second, unless one row
// does.
constexpr double kMostFlops = 8e9;

// Strides of batch, features, spatial where features are last.
Dims FeaturesLastStrides(const Dims& dims) {
  Dims strides(dims.size());
  int64_t stride = dims[1];
  for (size_t i = dims.size(); i-- > 2;) {
    strides[i] = stride;
    stride *= dims[i];
  }
  strides[0] = stride;
  strides[1] = 1;
  return strides;
}

// How the columns of a row lie about it.
struct RowPadding {
  int64_t low, high;       // columns of padding
  int64_t columns;         // of the result
  bool leaves_input_over;  // some dimension's last window ends before the input does
};

// Whether oneDNN's blocked products, as of version 2.6.3, may be wrong for such rows. They cut rows of the result into
// blocks of a few columns.
// - If more columns are padded at the end than the last block has, the block before it takes what lies after the row
//   for columns of it. (Later versions compare the padding with the last block.) It is shorter only by as much as makes
//   blocks even: where it was seen to be too short, half of the columns or more were padded.
// - If more columns are padded than a block has, rows are copied; to a place that is too small where input is left
// over.
bool MayBeWrong(const char* implementation, const RowPadding& row) {
  if (!absl::StartsWith(implementation, "brgconv:") || absl::StrContains(implementation, "amx")) return false;
  return (row.high > 1 && 3 * row.high > row.columns) || (std::max(row.low, row.high) > 1 && row.leaves_input_over);
}

class ConvolutionProgram : public TiledProgram {
 public:
  ConvolutionProgram(ConvolutionGeometry geometry, PrimitiveType input, PrimitiveType kernel, PrimitiveType result)
      : geometry_(std::move(geometry)), types_{input, kernel, result} {}

  // Cuts the batch into images, and few large images into rows; image by image where oneDNN has no code for such tiles
  // that share a kernel.
  absl::Status Prepare() {
    ChooseTiles();
    if (PrepareTiles()) return FinishKernel();
    images_ = 1;
    rows_ = geometry_.spatial[0].output;
    pieces_.clear();
    scratch_bytes_ = 0;
    kernel_ = Desc();
    if (PrepareTiles()) return FinishKernel();
    return absl::UnimplementedError("oneDNN has nothing fast for this convolution");
  }

  const char* kind() const override { return "onednn"; }
  int phase_count() const override { return 2; }
  int64_t tile_count(int phase) const override {
    if (phase == 0) return prepared_rhs_bytes_ == 0 ? 0 : arrangement_->tile_count();
    return CeilDiv(geometry_.batch, images_) * RowTiles();
  }
  double FlopCount() const override { return geometry_.FlopCount() * static_cast<double>(geometry_.batch); }
  bool SetEpilogue(std::shared_ptr<const ProductEpilogue> epilogue) override {
    if (types_[2] != F32) return false;
    epilogue_ = std::move(epilogue);
    return true;
  }

  void RunTile(int phase, int64_t tile, const Buffers& buffers, void* scratch) const override {
    if (phase == 0) {
      if (buffers.prepared_rhs == nullptr) arrangement_->RunTile(tile, buffers.rhs, buffers.workspace);
    } else {
      RunPiece(tile, buffers, scratch);
    }
  }

  void PrepareRhs(const void* rhs, void* prepared) const override {
    for (int64_t tile = 0; tile < tile_count(0); ++tile) arrangement_->RunTile(tile, rhs, prepared);
  }

 private:
  // A primitive for this many images, rows and padding.
  using PieceKey = std::array<int64_t, 5>;
  struct Piece {
    dnnl::primitive primitive;
    Desc input, result, scratchpad;
  };

  int64_t RowTiles() const { return CeilDiv(geometry_.spatial[0].output, rows_); }

  void ChooseTiles() {
    double elements = static_cast<double>(geometry_.input_features), written = geometry_.output_features;
    for (const ConvolutionSpatial& spatial : geometry_.spatial) {
      elements *= static_cast<double>(spatial.input);
      written *= static_cast<double>(spatial.output);
    }
    const double work = geometry_.FlopCount() + kElementFlops * (elements + written);
    const int64_t rows = geometry_.spatial[0].output;
    images_ = std::min(geometry_.batch, std::max<int64_t>(static_cast<int64_t>(kTileFlops / work), 1));
    images_ = std::min(images_, CeilDiv(geometry_.batch, kMaxTiles / 4));
    rows_ = rows;
    if (images_ > 1) return;
    int64_t parts = 1;
    if (geometry_.batch < kMaxTiles) {
      const auto of_enough_work = static_cast<int64_t>(std::min(work / kTileFlops, 8.0));
      parts = std::min({of_enough_work, kMaxTiles / geometry_.batch, std::max<int64_t>(rows / kMinRows, 1)});
    }
    const auto of_little_work = static_cast<int64_t>(std::min(work / kMostFlops, static_cast<double>(rows)));
    rows_ = CeilDiv(rows, std::max({parts, of_little_work, int64_t{1}}));
  }

  // Several images lie one after the other, with all their rows; oneDNN has no fast code for gaps between them.
  absl::optional<ConvolutionRows> RowsOfPiece(int64_t images, int64_t begin, int64_t end) const {
    return images > 1 ? AllRowsOf(geometry_) : RowsOf(geometry_, begin, end);
  }

  PieceKey KeyOf(int64_t images, int64_t begin, int64_t end, const ConvolutionRows& rows) const {
    return {images, end - begin, rows.input_count, rows.low, rows.high};
  }

  bool PrepareTiles() {
    const int64_t rows = geometry_.spatial[0].output;
    const int64_t last_images = geometry_.batch % images_;
    try {
      // From the middle on, whose kernel suits the others.
      for (int64_t i = 0; i < RowTiles(); ++i) {
        const int64_t tile = (i + RowTiles() / 2) % RowTiles();
        if (!PreparePiece(images_, tile * rows_, std::min(rows, (tile + 1) * rows_))) return false;
        if (last_images > 0 && !PreparePiece(last_images, tile * rows_, std::min(rows, (tile + 1) * rows_))) {
          return false;
        }
      }
    } catch (const dnnl::error&) {
      return false;
    }
    return true;
  }

  bool PreparePiece(int64_t images, int64_t begin, int64_t end) {
    const absl::optional<ConvolutionRows> rows = RowsOfPiece(images, begin, end);
    if (!rows.has_value()) return false;
    const PieceKey key = KeyOf(images, begin, end, *rows);
    if (pieces_.count(key) != 0) return true;

    const int64_t groups = geometry_.groups;
    Dims input = {images, geometry_.input_features}, result = {images, geometry_.output_features};
    Dims kernel;
    if (groups > 1) kernel.push_back(groups);
    kernel.push_back(geometry_.output_features / groups);
    kernel.push_back(geometry_.input_features / groups);
    Dims strides, dilations, low, high;
    bool leaves_input_over = false;
    for (size_t i = 0; i < geometry_.spatial.size(); ++i) {
      const ConvolutionSpatial& s = geometry_.spatial[i];
      input.push_back(i == 0 ? rows->input_count : s.input);
      result.push_back(i == 0 ? end - begin : s.output);
      kernel.push_back(s.kernel);
      strides.push_back(s.stride);
      dilations.push_back(s.dilation - 1);
      low.push_back(i == 0 ? rows->low : s.low);
      high.push_back(i == 0 ? rows->high : s.high);
      const int64_t read = (result.back() - 1) * s.stride + (s.kernel - 1) * s.dilation + 1;
      leaves_input_over = leaves_input_over || read < input.back() + low.back() + high.back();
    }
    Piece piece;
    piece.input = Desc(input, *OneDnnTypeOf(types_[0]), FeaturesLastStrides(input));
    piece.result = Desc(result, *OneDnnTypeOf(types_[2]), FeaturesLastStrides(result));
    Desc wanted = kernel_.is_zero() ? Desc(kernel, *OneDnnTypeOf(types_[1]), dnnl::memory::format_tag::any) : kernel_;
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const OneDnnScope scope;
    const auto finish = [&](auto& primitive) {
      while (MayBeWrong(primitive.impl_info_str(), {low.back(), high.back(), result.back(), leaves_input_over})) {
        if (!primitive.next_impl()) return false;
      }
      if (IsReferenceImplementation(primitive.impl_info_str())) return false;
      kernel_ = primitive.weights_desc();
      piece.scratchpad = primitive.scratchpad_desc();
      scratch_bytes_ = std::max(scratch_bytes_, static_cast<int64_t>(piece.scratchpad.get_size()));
      return true;
    };
    if (geometry_.transposed) {
      dnnl::deconvolution_forward::primitive_desc primitive(
          {dnnl::prop_kind::forward_inference, dnnl::algorithm::deconvolution_direct, piece.input, wanted, piece.result,
           strides, dilations, low, high},
          attributes, OneDnnEngine());
      if (!finish(primitive)) return false;
      piece.primitive = dnnl::deconvolution_forward(primitive);
    } else {
      dnnl::convolution_forward::primitive_desc primitive(
          {dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, piece.input, wanted, piece.result,
           strides, dilations, low, high},
          attributes, OneDnnEngine());
      if (!finish(primitive)) return false;
      piece.primitive = dnnl::convolution_forward(primitive);
    }
    pieces_.emplace(key, std::move(piece));
    return true;
  }

  absl::Status FinishKernel() {
    arrangement_ = KernelArrangement::Make(geometry_, kernel_);
    if (!arrangement_.has_value()) {
      return absl::UnimplementedError("oneDNN needs more of the kernel than another order");
    }
    if (!arrangement_->IsIdentity()) {
      prepared_rhs_bytes_ = static_cast<int64_t>(kernel_.get_size());
      workspace_bytes_ = prepared_rhs_bytes_;
    }
    return absl::OkStatus();
  }

  void RunPiece(int64_t tile, const Buffers& buffers, void* scratch) const {
    const int64_t image = tile / RowTiles() * images_;
    const int64_t images = std::min(images_, geometry_.batch - image);
    const int64_t begin = tile % RowTiles() * rows_;
    const int64_t end = std::min(geometry_.spatial[0].output, begin + rows_);
    const ConvolutionRows rows = *RowsOfPiece(images, begin, end);
    const Piece& piece = pieces_.at(KeyOf(images, begin, end, rows));

    int64_t input_row = geometry_.input_features, result_row = geometry_.output_features;
    for (size_t i = 1; i < geometry_.spatial.size(); ++i) {
      input_row *= geometry_.spatial[i].input;
      result_row *= geometry_.spatial[i].output;
    }
    const auto at = [](PrimitiveType type, const void* data, int64_t element) {
      return const_cast<char*>(static_cast<const char*>(data)) + element * ByteWidth(type);
    };
    const dnnl::engine& engine = OneDnnEngine();
    const dnnl::memory input(
        piece.input, engine,
        at(types_[0], buffers.lhs, (image * geometry_.spatial[0].input + rows.input_begin) * input_row));
    const dnnl::memory result(
        piece.result, engine,
        at(types_[2], buffers.result, (image * geometry_.spatial[0].output + begin) * result_row));
    const void* const prepared = prepared_rhs_bytes_ == 0          ? buffers.rhs
                                 : buffers.prepared_rhs != nullptr ? buffers.prepared_rhs
                                                                   : buffers.workspace;
    const dnnl::memory kernel(kernel_, engine, const_cast<void*>(prepared));
    const dnnl::memory scratchpad(piece.scratchpad, engine, scratch);
    const OneDnnScope scope;
    piece.primitive.execute(
        scope.stream(),
        {{DNNL_ARG_SRC, input}, {DNNL_ARG_WEIGHTS, kernel}, {DNNL_ARG_DST, result}, {DNNL_ARG_SCRATCHPAD, scratchpad}});
    FinishElements(buffers, (image * geometry_.spatial[0].output + begin) * result_row,
                   ((images - 1) * geometry_.spatial[0].output + end - begin) * result_row);
  }

  const ConvolutionGeometry geometry_;
  const std::array<PrimitiveType, 3> types_;  // input, kernel, result
  int64_t images_ = 1;                        // of a tile
  int64_t rows_ = 1;                          // likewise
  Desc kernel_;
  absl::optional<KernelArrangement> arrangement_;
  std::map<PieceKey, Piece> pieces_;
};

bool HasTypes(PrimitiveType input, PrimitiveType kernel, PrimitiveType result) {
  if (input == F32) return kernel == F32 && result == F32;
  if (input == BF16) {
    return kernel == BF16 && (result == BF16 || result == F32) && OneDnnHas(dnnl::cpu_isa::avx512_core_bf16);
  }
  // For s8 inputs, older processors want sums of the kernel beside it, which KernelArrangement does not have.
  return (input == U8 || input == S8) && kernel == S8 && result == S32 && OneDnnHas(dnnl::cpu_isa::avx512_core_vnni);
}

// Whether some window may meet nothing but padding, or nothing but what lies between the elements of a spread input.
bool MayHaveEmptyWindows(const ConvolutionGeometry& geometry) {
  return std::any_of(geometry.spatial.begin(), geometry.spatial.end(), [&](const ConvolutionSpatial& s) {
    if (!geometry.transposed) return std::max(s.low, s.high) > (s.kernel - 1) * s.dilation || s.input < s.dilation;
    // `low` and `high` are cut off: below 0, there are results beyond those that the input reaches.
    const int64_t reached = (s.input - 1) * s.stride + (s.kernel - 1) * s.dilation + 1;
    return s.kernel < s.stride || (s.dilation > 1 && s.stride > 1) || s.low + s.output > reached;
  });
}

// Errors: Unimplemented, with the reason, where oneDNN has nothing fast.
absl::StatusOr<std::unique_ptr<TiledProgram>> MakeOneDnnConvolution(const HloInstruction& convolution,
                                                                    PrimitiveType input, PrimitiveType kernel,
                                                                    PrimitiveType result) {
  if (!HasTypes(input, kernel, result)) {
    return absl::UnimplementedError(absl::StrCat("oneDNN has no convolution of ", PrimitiveTypeName(input), " and ",
                                                 PrimitiveTypeName(kernel), " as ", PrimitiveTypeName(result)));
  }
  ASSIGN_OR_RETURN(ConvolutionGeometry geometry, ConvolutionGeometryOf(convolution));
  // Its code for narrow types reads beyond the input, as of version 2.7, if such windows take large steps; and that for
  // spread integers leaves such results as they were, or writes beside them.
  const bool is_integer = input == S8 || input == U8;
  if (input != F32 && (is_integer || !geometry.transposed) && MayHaveEmptyWindows(geometry)) {
    return absl::UnimplementedError("windows of narrow types meet nothing but padding");
  }
  auto program = std::make_unique<ConvolutionProgram>(std::move(geometry), input, kernel, result);
  RETURN_IF_ERROR(program->Prepare());
  return std::unique_ptr<TiledProgram>(std::move(program));
}

// Narrow floats that oneDNN has no instructions for, as f32, where that is worth the way there and back. Errors:
// Unimplemented otherwise.
absl::StatusOr<std::unique_ptr<TiledProgram>> MakeWidenedConvolution(const HloInstruction& convolution) {
  constexpr double kMinFlopsOfElement = 64;
  const auto array = [](const HloInstruction& x) {
    return WidenedArray{x.shape().element_type(), x.shape().ElementCount()};
  };
  const WidenedArray lhs = array(*convolution.operand(0)), rhs = array(*convolution.operand(1));
  const WidenedArray result = array(convolution);
  const auto fits = [](const WidenedArray& x) { return x.type == F16 || x.type == BF16 || x.type == F32; };
  if (!fits(lhs) || !fits(rhs) || !fits(result)) return absl::UnimplementedError("no f16, bf16 or f32");
  ASSIGN_OR_RETURN(std::unique_ptr<TiledProgram> program, MakeOneDnnConvolution(convolution, F32, F32, F32));
  const auto elements = static_cast<double>(lhs.elements + rhs.elements + result.elements);
  if (program->FlopCount() < kMinFlopsOfElement * elements) return absl::UnimplementedError("too little to compute");
  return WidenProgram(std::move(program), lhs, rhs, result);
}

// Gradients of kernels: windows with many more positions than there are results for each image and feature. oneDNN goes
// through few results at a time, while our loops take images together.
bool IsLikeGradientOfKernel(const HloInstruction& convolution) {
  constexpr int64_t kMinImages = 8;
  const auto& a = convolution.attributes<ConvolutionAttributes>();
  const auto size = [&](int64_t dim) { return convolution.shape().dimension(static_cast<int>(dim)); };
  double results = 1, positions = 1;
  for (const int64_t dim : a.dim_labels.output_spatial) results *= static_cast<double>(size(dim));
  for (const WindowDimension& window : a.window.dimensions) positions *= static_cast<double>(window.size);
  return convolution.shape().element_type() == F32 && size(a.dim_labels.output_batch) >= kMinImages &&
         positions > 4 * results;
}

}  // namespace

absl::StatusOr<std::unique_ptr<TiledProgram>> MakeConvolutionProgram(const HloInstruction& convolution) {
  if (IsLikeGradientOfKernel(convolution)) {
    absl::StatusOr<std::unique_ptr<TiledProgram>> direct = MakeDirectConvolution(convolution);
    if (!absl::IsUnimplemented(direct.status())) return direct;
  }
  absl::StatusOr<std::unique_ptr<TiledProgram>> program = MakeMatrixUnitConvolution(convolution);
  if (!absl::IsUnimplemented(program.status())) return program;
  program = MakeOneDnnConvolution(convolution, convolution.operand(0)->shape().element_type(),
                                  convolution.operand(1)->shape().element_type(), convolution.shape().element_type());
  if (!absl::IsUnimplemented(program.status())) return program;
  program = MakeWidenedConvolution(convolution);
  return absl::IsUnimplemented(program.status()) ? MakeDirectConvolution(convolution) : std::move(program);
}

}  // namespace xla
