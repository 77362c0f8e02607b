#include "backends/cpu/library/convolution/convolution_geometry.h"

#include <algorithm>

#include "passes/analyses/strided_dot.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

int64_t Reach(const ConvolutionSpatial& s) { return (s.kernel - 1) * s.dilation; }

// Whether the array is dense with batch first, then these dimensions, then features.
bool IsFeaturesLast(const Shape& shape, int64_t batch, const DimensionVector& spatial, int64_t feature) {
  const DimensionVector strides = ElementStrides(shape);
  int64_t expected = 1;
  const auto matches = [&](int64_t dim) {
    const int64_t size = shape.dimension(static_cast<int>(dim));
    if (size != 1 && strides[dim] != expected) return false;
    expected *= size;
    return true;
  };
  if (!matches(feature)) return false;
  for (size_t i = spatial.size(); i-- > 0;) {
    if (!matches(spatial[i])) return false;
  }
  return matches(batch);
}

// The padding above that oneDNN is told: it must come to the same number of outputs. nullopt: input is left over.
absl::optional<int64_t> HighPadding(int64_t exact, int64_t stride) {
  if (exact <= -stride) return absl::nullopt;
  return std::max<int64_t>(exact, 0);
}

// What HighPadding is asked for: rows or columns beyond the input that the last window reaches, or of a transposed
// convolution what is cut off.
int64_t ExactHighPadding(const ConvolutionSpatial& s, bool transposed) {
  return transposed ? (s.input - 1) * s.stride - s.low + Reach(s) + 1 - s.output
                    : (s.output - 1) * s.stride + Reach(s) + 1 - s.input - s.low;
}

absl::optional<ConvolutionRows> ForwardRows(const ConvolutionSpatial& s, int64_t begin, int64_t end) {
  const int64_t first = begin * s.stride - s.low;
  const int64_t last = (end - 1) * s.stride - s.low + Reach(s);
  ConvolutionRows rows;
  rows.input_begin = std::max<int64_t>(first, 0);
  rows.input_count = std::min(last, s.input - 1) - rows.input_begin + 1;
  if (rows.input_count <= 0) return absl::nullopt;
  rows.low = rows.input_begin - first;
  rows.high = last - (rows.input_begin + rows.input_count - 1);
  return rows;
}

absl::optional<ConvolutionRows> TransposedRows(const ConvolutionSpatial& s, int64_t begin, int64_t end) {
  const int64_t first = std::min(CeilDiv(begin + s.low - Reach(s), s.stride), FloorDiv(begin + s.low, s.stride));
  ConvolutionRows rows;
  rows.input_begin = std::max<int64_t>(first, 0);
  rows.input_count = std::min(FloorDiv(end - 1 + s.low, s.stride), s.input - 1) - rows.input_begin + 1;
  if (rows.input_count <= 0) return absl::nullopt;
  rows.low = s.low + begin - rows.input_begin * s.stride;
  const absl::optional<int64_t> high =
      HighPadding((rows.input_count - 1) * s.stride - rows.low + Reach(s) + 1 - (end - begin), s.stride);
  if (rows.low < 0 || !high.has_value()) return absl::nullopt;
  rows.high = *high;
  return rows;
}

}  // namespace

double ConvolutionGeometry::FlopCount() const {
  double flops = 2.0 * static_cast<double>(input_features / groups) * static_cast<double>(output_features);
  for (const ConvolutionSpatial& s : spatial) {
    flops *= static_cast<double>(s.kernel) * static_cast<double>(transposed ? s.input : s.output);
  }
  return flops;
}

absl::optional<ConvolutionRows> RowsOf(const ConvolutionGeometry& geometry, int64_t begin, int64_t end) {
  const ConvolutionSpatial& s = geometry.spatial[0];
  return geometry.transposed ? TransposedRows(s, begin, end) : ForwardRows(s, begin, end);
}

absl::optional<ConvolutionRows> AllRowsOf(const ConvolutionGeometry& geometry) {
  const ConvolutionSpatial& s = geometry.spatial[0];
  const absl::optional<int64_t> high = HighPadding(ExactHighPadding(s, geometry.transposed), s.stride);
  if (s.low < 0 || !high.has_value()) return absl::nullopt;
  return ConvolutionRows{0, s.input, s.low, *high};
}

absl::StatusOr<ConvolutionGeometry> ConvolutionGeometryOf(const HloInstruction& convolution) {
  const auto& a = convolution.attributes<ConvolutionAttributes>();
  const ConvolutionDimensionNumbers& labels = a.dim_labels;
  const Shape& input = convolution.operand(0)->shape();
  const Shape& kernel = convolution.operand(1)->shape();
  const Shape& result = convolution.shape();
  const auto size = [](const Shape& shape, int64_t dim) { return shape.dimension(static_cast<int>(dim)); };
  const auto no = [](const char* why) { return absl::UnimplementedError(why); };
  if (a.convolution_kind != ConvolutionKind::kUnset && a.convolution_kind != ConvolutionKind::kFprop) {
    return no("the convolution is written as a gradient");
  }
  if (a.sparsity_config.lhs.has_value() || a.sparsity_config.rhs.has_value()) return no("an operand is sparse");
  if (input.IsDynamic() || kernel.IsDynamic() || result.IsDynamic()) return no("dimensions are dynamic");
  if (input.ElementCount() == 0 || kernel.ElementCount() == 0 || result.ElementCount() == 0) {
    return no("an array is empty");
  }
  if (a.batch_group_count > 1) return no("batches are in groups");
  const size_t rank = labels.input_spatial.size();
  if (rank < 1 || rank > 3) return no("windows have 1 to 3 dimensions in oneDNN");
  if (!IsFeaturesLast(input, labels.input_batch, labels.input_spatial, labels.input_feature) ||
      !IsFeaturesLast(result, labels.output_batch, labels.output_spatial, labels.output_feature)) {
    return no("arrays do not lie in memory with batch first and features last");
  }

  ConvolutionGeometry geometry;
  geometry.batch = size(input, labels.input_batch);
  geometry.groups = a.feature_group_count;
  geometry.input_features = size(input, labels.input_feature);
  geometry.output_features = size(result, labels.output_feature);
  const DimensionVector strides = ElementStrides(kernel);
  geometry.kernel_input_stride = strides[labels.kernel_input_feature];
  geometry.kernel_output_stride = strides[labels.kernel_output_feature];
  bool window_moves = false;
  for (const WindowDimension& window : a.window.dimensions) {
    geometry.transposed = geometry.transposed || window.base_dilation > 1;
    window_moves = window_moves || window.stride > 1;
  }
  if (geometry.transposed && window_moves) return no("the input is spread and the window takes steps");
  for (size_t i = 0; i < rank; ++i) {
    const WindowDimension& window = a.window.dimensions[i];
    ConvolutionSpatial s;
    s.input = size(input, labels.input_spatial[i]);
    s.output = size(result, labels.output_spatial[i]);
    s.kernel = window.size;
    s.dilation = window.window_dilation;
    s.stride = geometry.transposed ? window.base_dilation : window.stride;
    s.kernel_stride = strides[labels.kernel_spatial[i]];
    s.flipped = window.window_reversal != geometry.transposed;
    s.low = geometry.transposed ? Reach(s) - window.padding_low : window.padding_low;
    const absl::optional<int64_t> high = HighPadding(ExactHighPadding(s, geometry.transposed), s.stride);
    // Rows are cut out of the first dimension anyway.
    if (i > 0 && s.low < 0)
      return no(geometry.transposed ? "padding is larger than the kernel" : "padding is negative");
    if (i > 0 && !high.has_value()) return no("the window does not reach the end of the input");
    s.high = high.value_or(0);
    geometry.spatial.push_back(s);
  }
  if (geometry.transposed && geometry.spatial[0].low < 0) return no("padding is larger than the kernel");
  if (!RowsOf(geometry, 0, geometry.spatial[0].output).has_value()) {
    return no("the window meets the input in a way that oneDNN does not have");
  }
  return geometry;
}

}  // namespace xla
