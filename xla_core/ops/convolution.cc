// Convolution over any number of spatial dimensions.
//   lhs T[b, f, s...], rhs U[i, o, k...], result V[b / batch_group_count, o, window positions], in whatever order
//   dim_labels says. V is the written type, so that s8 times s8 may be s32.
//   result[b, o, p] = sum over kernel positions k and input features i of lhs[b, i, p * stride + k * rhs_dilate - low]
//   * rhs[i, o, k], where lhs is spread by lhs_dilate; what falls between its elements or outside contributes nothing,
//   even if rhs is infinite there. rhs_reversal turns k around.
//   Feature groups: output feature o reads the input features of group o / (O / groups) only. Batch groups: it reads
//   the batches of that group.
// Sums run in double (complex double, 64-bit integers that wrap) over k in row-major order and then i, and are rounded
// once.
//
// Errors: InvalidArgument if dim_labels do not name each dimension once, ranks differ, a group count is below 1 or both
// are above, features or batches do not divide into groups, a window size is not the kernel's, a stride or dilation is
// below 1, or a position does not fit in 64 bits. Unimplemented: convolution_kind dgrad and wgrad, sparsity.
// Source: StableHLO spec, section `convolution`.
//
// It runs as a matrix product per group. Rows are output positions (batch and spatial), columns output features, inner
// indices kernel positions and input features. The left matrix, the input patches, exists only as the blocks that
// TiledMatmul asks for; holes are zeros there, or skipped if rhs is not finite (0 * inf is not 0).
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/convolution_shape.h"
#include "xla_core/ops/dot_dimensions.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/strided_axis.h"
#include "xla_core/ops/tiled_matmul.h"
#include "xla_core/ops/wide_elements.h"
#include "xla_core/ops/window_shape.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

bool IsForward(const ConvolutionAttributes& attributes) {
  return attributes.convolution_kind == ConvolutionKind::kUnset ||
         attributes.convolution_kind == ConvolutionKind::kFprop;
}

bool IsSparse(const ConvolutionAttributes& attributes) {
  return attributes.sparsity_config.lhs.has_value() || attributes.sparsity_config.rhs.has_value();
}

// The gradients give other meanings to the dimensions, and sparsity other sizes: there the written shape decides.
absl::StatusOr<Shape> InferShapeOfConvolution(const HloInstruction& instruction) {
  const auto& attributes = instruction.attributes<ConvolutionAttributes>();
  if ((!IsForward(attributes) || IsSparse(attributes)) && instruction.shape().IsArray()) {
    return instruction.shape().WithoutLayout();
  }
  return InferConvolutionShape(instruction);
}

void VerifyConvolution(const HloInstruction& instruction, Violations& violations) {
  VerifyProductTypes(instruction, violations);
  violations.Add(CheckPrecisionCount(instruction.attributes<ConvolutionAttributes>().operand_precision, 2));
}

// One spatial dimension: `window` over lhs elements `stride` apart, of which `size` exist.
struct SpatialDimension {
  WindowDimension window;
  int64_t size;
  int64_t stride;
  int64_t output_size;

  // Element offset of lhs that kernel index `k` meets at a window that starts at `start`, or -1 for none.
  int64_t Offset(int64_t start, int64_t k) const {
    int64_t position = start + k * window.window_dilation;
    if (position < 0) return -1;
    if (window.base_dilation > 1) {
      if (position % window.base_dilation != 0) return -1;
      position /= window.base_dilation;
    }
    return position < size ? position * stride : -1;
  }
};

// The matrices of a convolution, as axes over its arrays. Groups are the batch of the product.
struct ConvolutionMatrices {
  explicit ConvolutionMatrices(const ConvolutionAttributes& attributes, const Literal& lhs, const Literal& rhs,
                               const Shape& result);

  int64_t groups;
  std::vector<SpatialDimension> spatial;
  // lhs: base of a group, batches of a group, features of a group.
  int64_t lhs_group_stride;
  int64_t batch_stride;
  int64_t batches;
  StridedAxis lhs_features;
  // rhs: inner indices from kernel_base on, output features of a group.
  int64_t kernel_base = 0;
  StridedAxis kernel_inner;
  StridedAxis kernel_outputs;
  int64_t rhs_group_stride;
  // result
  StridedAxis result_rows;
  StridedAxis result_columns;
  int64_t result_group_stride;
};

// A convolution as a matrix product for each group: rows are (batch, output positions), columns output features, and
// the inner index is (kernel positions, input features). Strides are in elements; `kernel_base` is the offset of the
// kernel element that meets the first window position.
ConvolutionMatrices::ConvolutionMatrices(const ConvolutionAttributes& attributes, const Literal& lhs,
                                         const Literal& rhs, const Shape& result) {
  const ConvolutionDimensionNumbers& labels = attributes.dim_labels;
  const auto lhs_strides = RowMajorStrides(lhs.shape().dimensions());
  const auto rhs_strides = RowMajorStrides(rhs.shape().dimensions());
  const auto result_strides = RowMajorStrides(result.dimensions());
  const auto size_of = [](const Shape& shape, int64_t d) { return shape.dimension(static_cast<int>(d)); };

  groups = std::max(attributes.feature_group_count, attributes.batch_group_count);
  const int64_t features = size_of(rhs.shape(), labels.kernel_input_feature);
  const int64_t outputs = size_of(rhs.shape(), labels.kernel_output_feature) / groups;
  batches = size_of(result, labels.output_batch);
  batch_stride = lhs_strides[labels.input_batch];
  lhs_group_stride =
      attributes.batch_group_count > 1 ? batches * batch_stride : features * lhs_strides[labels.input_feature];
  lhs_features.Add(features, lhs_strides[labels.input_feature]);
  rhs_group_stride = outputs * rhs_strides[labels.kernel_output_feature];
  result_group_stride = outputs * result_strides[labels.output_feature];
  result_rows.Add(batches, result_strides[labels.output_batch]);

  for (size_t i = 0; i < labels.input_spatial.size(); ++i) {
    const WindowDimension& window = attributes.window.dimensions[i];
    const int64_t output_size = size_of(result, labels.output_spatial[i]);
    spatial.push_back({window, lhs.dynamic_size(static_cast<int>(labels.input_spatial[i])),
                       lhs_strides[labels.input_spatial[i]], output_size});
    result_rows.Add(output_size, result_strides[labels.output_spatial[i]]);
    const int64_t stride = rhs_strides[labels.kernel_spatial[i]];
    if (window.window_reversal) kernel_base += (window.size - 1) * stride;
    kernel_inner.Add(window.size, window.window_reversal ? -stride : stride);
  }
  kernel_inner.Add(features, rhs_strides[labels.kernel_input_feature]);
  kernel_outputs.Add(outputs, rhs_strides[labels.kernel_output_feature]);
  result_columns.Add(outputs, result_strides[labels.output_feature]);
}

template <typename Wide>
class ConvolutionOperands : public MatmulOperands<Wide> {
 public:
  ConvolutionOperands(const ConvolutionMatrices& matrices, const Literal& lhs, const Literal& rhs,
                      const WideStore& store, bool skips_products)
      : matrices_(matrices), lhs_(lhs), rhs_(rhs), store_(store), skips_products_(skips_products) {}

  bool SkipsProducts() const override { return skips_products_; }

  void PackLhs(const MatmulBlock& block, Wide* packed, uint8_t* valid) const override {
    const KernelRange range(matrices_, block);
    std::vector<int64_t> features(matrices_.lhs_features.size());
    matrices_.lhs_features.Offsets(0, matrices_.lhs_features.size(), features.data());
    std::vector<int64_t> starts(matrices_.spatial.size());
    std::vector<int64_t> offsets(range.count);
    for (int64_t row = 0; row < block.count; ++row) {
      const int64_t base = block.batch * matrices_.lhs_group_stride + WindowStarts(block.begin + row, starts);
      for (int64_t p = 0; p < range.count; ++p) offsets[p] = PatchOffset(base, starts, range.Indices(p));
      PackRow(block, range, offsets, features, packed, valid);
      packed += block.inner_count;
      if (valid != nullptr) valid += block.inner_count;
    }
  }

  void PackRhs(const MatmulBlock& block, Wide* packed) const override {
    std::vector<int64_t> inner(block.inner_count), columns(block.count);
    matrices_.kernel_inner.Offsets(block.inner_begin, block.inner_count, inner.data());
    for (int64_t& offset : inner) offset += matrices_.kernel_base + block.batch * matrices_.rhs_group_stride;
    matrices_.kernel_outputs.Offsets(block.begin, block.count, columns.data());
    for (size_t first = 0; first < columns.size(); first += kTileColumns) {
      const auto panel = absl::MakeConstSpan(columns).subspan(first, kTileColumns);
      if (panel.size() < kTileColumns) std::fill_n(packed, block.inner_count * kTileColumns, Wide());
      GatherWide(rhs_.shape().element_type(), rhs_.untyped_data(), inner, panel, kTileColumns, packed);
      packed += block.inner_count * kTileColumns;
    }
  }

  void Store(int64_t group, int64_t m_begin, int64_t m_count, int64_t n_begin, int64_t n_count, const Wide* sums,
             int64_t pitch) const override {
    std::vector<int64_t> rows(m_count), columns(n_count), offsets(n_count);
    matrices_.result_rows.Offsets(m_begin, m_count, rows.data());
    matrices_.result_columns.Offsets(n_begin, n_count, columns.data());
    for (int64_t m = 0; m < m_count; ++m) {
      const int64_t base = rows[m] + group * matrices_.result_group_stride;
      for (int64_t n = 0; n < n_count; ++n) offsets[n] = base + columns[n];
      ScatterWide(store_, sums + m * pitch, offsets);
    }
  }

 private:
  // The kernel positions that a block of inner indices touches, and the kernel indices of each.
  struct KernelRange {
    KernelRange(const ConvolutionMatrices& matrices, const MatmulBlock& block)
        : features(matrices.lhs_features.size()), rank(matrices.spatial.size()) {
      begin = block.inner_begin / features;
      count = (block.inner_begin + block.inner_count - 1) / features - begin + 1;
      indices.resize(count * rank);
      for (int64_t p = 0; p < count; ++p) {
        int64_t rest = begin + p;
        for (size_t i = rank; i-- > 0;) {
          indices[p * rank + i] = rest % matrices.spatial[i].window.size;
          rest /= matrices.spatial[i].window.size;
        }
      }
    }
    const int64_t* Indices(int64_t p) const { return indices.data() + p * rank; }
    const int64_t features;
    const size_t rank;
    int64_t begin;
    int64_t count;
    std::vector<int64_t> indices;
  };

  // Where the window of an output position starts in each dimension of lhs; returns the offset of its batch.
  int64_t WindowStarts(int64_t row, std::vector<int64_t>& starts) const {
    for (size_t i = matrices_.spatial.size(); i-- > 0;) {
      const SpatialDimension& dimension = matrices_.spatial[i];
      starts[i] = row % dimension.output_size * dimension.window.stride - dimension.window.padding_low;
      row /= dimension.output_size;
    }
    return row * matrices_.batch_stride;
  }

  int64_t PatchOffset(int64_t base, const std::vector<int64_t>& starts, const int64_t* kernel_indices) const {
    for (size_t i = 0; i < starts.size(); ++i) {
      const int64_t offset = matrices_.spatial[i].Offset(starts[i], kernel_indices[i]);
      if (offset < 0) return -1;
      base += offset;
    }
    return base;
  }

  // Packs one row: for runs of kernel positions that all meet the input, or all do not, at once.
  void PackRow(const MatmulBlock& block, const KernelRange& range, const std::vector<int64_t>& offsets,
               const std::vector<int64_t>& features, Wide* packed, uint8_t* valid) const {
    const int64_t end = block.inner_begin + block.inner_count;
    for (int64_t k = block.inner_begin; k < end;) {
      const int64_t position = k / range.features - range.begin;
      const int64_t feature = k % range.features;
      const bool meets = offsets[position] >= 0;
      int64_t run = 1;
      int64_t count = std::min(range.features - feature, end - k);
      if (feature == 0 && count == range.features) {
        const int64_t whole = (end - k) / range.features;
        while (run < whole && (offsets[position + run] >= 0) == meets) ++run;
        count = run * range.features;
      }
      Wide* const target = packed + (k - block.inner_begin);
      if (valid != nullptr) std::fill_n(valid + (k - block.inner_begin), count, meets ? 1 : 0);
      if (meets) {
        GatherWide(lhs_.shape().element_type(), lhs_.untyped_data(),
                   absl::MakeConstSpan(offsets.data() + position, static_cast<size_t>(run)),
                   absl::MakeConstSpan(features.data() + feature, static_cast<size_t>(count / run)), range.features,
                   target);
      } else {
        std::fill_n(target, count, Wide());
      }
      k += count;
    }
  }

  const ConvolutionMatrices& matrices_;
  const Literal& lhs_;
  const Literal& rhs_;
  const WideStore& store_;
  const bool skips_products_;
};

template <typename Wide>
bool IsFinite(Wide value) {
  if constexpr (std::is_same_v<Wide, complex128>) {
    return std::isfinite(value.real()) && std::isfinite(value.imag());
  } else {
    return std::isfinite(static_cast<double>(value));
  }
}

template <typename Wide>
bool AllFinite(const Literal& array) {
  constexpr int64_t kChunk = 4096;
  std::vector<Wide> values(kChunk);
  for (int64_t i = 0; i < array.element_count(); i += kChunk) {
    const int64_t count = std::min(kChunk, array.element_count() - i);
    ReadWide(array.shape().element_type(), array.untyped_data(), i, count, values.data());
    if (!std::all_of(values.begin(), values.begin() + count, &IsFinite<Wide>)) return false;
  }
  return true;
}

// Output sizes where the input's run-time sizes are smaller than its bounds.
absl::Status SetDynamicSizes(const ConvolutionAttributes& attributes, const Literal& lhs, const Literal& rhs,
                             Literal& result) {
  const ConvolutionDimensionNumbers& labels = attributes.dim_labels;
  const auto set = [&](int64_t d, int64_t size) {
    const int i = static_cast<int>(d);
    if (size < result.shape().dimension(i)) result.SetDynamicSize(i, size);
  };
  set(labels.output_batch, lhs.dynamic_size(static_cast<int>(labels.input_batch)) / attributes.batch_group_count);
  set(labels.output_feature, rhs.dynamic_size(static_cast<int>(labels.kernel_output_feature)));
  for (size_t i = 0; i < labels.input_spatial.size(); ++i) {
    ASSIGN_OR_RETURN(const int64_t size, WindowOutputSize(attributes.window.dimensions[i],
                                                          lhs.dynamic_size(static_cast<int>(labels.input_spatial[i]))));
    set(labels.output_spatial[i], size);
  }
  return absl::OkStatus();
}

// Integers whose sums fit are computed in double. Products with elements outside of the input are skipped if rhs has
// infinities or NaN, which 0 times would turn into NaN.
absl::StatusOr<Literal> EvaluateConvolution(const HloInstruction& instruction, OperandValues& operands,
                                            EvalContext& context) {
  const auto& attributes = instruction.attributes<ConvolutionAttributes>();
  if (!IsForward(attributes) || IsSparse(attributes)) {
    return absl::UnimplementedError(absl::StrCat(
        instruction.name(), ": the interpreter has no sparse convolution and no convolution_kind but fprop"));
  }
  const Literal& lhs = operands[0];
  const Literal& rhs = operands[1];
  ASSIGN_OR_RETURN(Literal result, context.Allocate(instruction.shape()));
  RETURN_IF_ERROR(SetDynamicSizes(attributes, lhs, rhs, result));
  if (result.element_count() == 0) return result;

  const ConvolutionMatrices matrices(attributes, lhs, rhs, instruction.shape());
  const MatmulSizes sizes{matrices.groups, matrices.result_rows.size(), matrices.result_columns.size(),
                          matrices.kernel_inner.size()};
  const PrimitiveType a = lhs.shape().element_type(), b = rhs.shape().element_type();
  WideStore store{result.shape().element_type(), result.untyped_mutable_data()};
  store.integers_are_signed = !(IsUnsignedInt(a) && IsUnsignedInt(b));
  WideType wide_type = WideTypeFor(a, b);
  if (wide_type == WideType::kInteger && IntegerSumsFitDouble(a, b, sizes.k)) {
    wide_type = WideType::kFloat;
    store.doubles_are_integers = true;
  }
  RETURN_IF_ERROR(DispatchWide(wide_type, [&](auto tag) {
    using Wide = typename decltype(tag)::type;
    const bool skips_products = !IsInt(b) && b != PRED && !AllFinite<Wide>(rhs);
    return TiledMatmul<Wide>(sizes, ConvolutionOperands<Wide>(matrices, lhs, rhs, store, skips_products), context);
  }));
  return result;
}

}  // namespace

OpDefinition Define_kConvolution() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.make_attributes = &MakeAttributes<ConvolutionAttributes>;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShapeOfConvolution;
  op.verify = &VerifyConvolution;
  op.evaluate = &EvaluateConvolution;
  return op;
}

}  // namespace xla
