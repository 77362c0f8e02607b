#include "backends/cpu/library/convolution/direct_convolution.h"

#include <algorithm>
#include <numeric>

#include "passes/analyses/strided_dot.h"
#include "xla_core/ir/attributes.h"

namespace xla {
namespace {

// Sizes beyond which indices and bytes are not counted exactly any more.
constexpr double kMaxElements = 1e15;
constexpr int64_t kMaxIndex = int64_t{1} << 40;
constexpr size_t kMaxMeetings = size_t{4} << 20;

}  // namespace

int64_t ConvolutionAxis::InputAt(int64_t x, int64_t k) const {
  const int64_t position = x * stride - low + k * window_dilation;
  if (position < 0 || position % base_dilation != 0) return -1;
  return position / base_dilation < input ? position / base_dilation : -1;
}

int64_t DirectConvolution::KernelPositions() const {
  int64_t positions = 1;
  for (const ConvolutionAxis& axis : axes) positions *= axis.kernel;
  return positions;
}

int64_t DirectConvolution::OutputPositions() const {
  int64_t positions = 1;
  for (const ConvolutionAxis& axis : axes) positions *= axis.output;
  return positions;
}

double DirectConvolution::FlopCount() const {
  double flops = 2.0 * static_cast<double>(groups) * static_cast<double>(batch) * static_cast<double>(inputs) *
                 static_cast<double>(outputs);
  for (const ConvolutionAxis& axis : axes) {
    flops *= static_cast<double>(axis.output) * static_cast<double>(axis.kernel) /
             static_cast<double>(std::min(axis.base_dilation, axis.kernel + 1));
  }
  return flops;
}

absl::StatusOr<DirectConvolution> DirectConvolutionOf(const HloInstruction& instruction) {
  const auto& a = instruction.attributes<ConvolutionAttributes>();
  const auto no = [](const char* why) { return absl::UnimplementedError(why); };
  if (a.convolution_kind != ConvolutionKind::kUnset && a.convolution_kind != ConvolutionKind::kFprop) {
    return no("the convolution is written as a gradient");
  }
  if (a.sparsity_config.lhs.has_value() || a.sparsity_config.rhs.has_value()) return no("an operand is sparse");
  const Shape& lhs = instruction.operand(0)->shape();
  const Shape& rhs = instruction.operand(1)->shape();
  const Shape& result = instruction.shape();
  if (lhs.IsDynamic() || rhs.IsDynamic() || result.IsDynamic()) return no("dimensions are dynamic");
  const ConvolutionDimensionNumbers& labels = a.dim_labels;
  const auto size = [](const Shape& shape, int64_t dim) { return shape.dimension(static_cast<int>(dim)); };
  const DimensionVector lhs_strides = ElementStrides(lhs), rhs_strides = ElementStrides(rhs),
                        result_strides = ElementStrides(result);

  DirectConvolution c;
  c.has_batch_groups = a.batch_group_count > 1;
  c.groups = std::max(a.feature_group_count, a.batch_group_count);
  c.batch = size(result, labels.output_batch);
  c.inputs = size(rhs, labels.kernel_input_feature);
  c.outputs = size(rhs, labels.kernel_output_feature) / c.groups;
  c.batch_strides = {lhs_strides[labels.input_batch], 0, result_strides[labels.output_batch]};
  c.input_strides = {lhs_strides[labels.input_feature], rhs_strides[labels.kernel_input_feature], 0};
  c.output_strides = {0, rhs_strides[labels.kernel_output_feature], result_strides[labels.output_feature]};
  c.group_strides = {c.has_batch_groups ? c.batch * c.batch_strides.lhs : c.inputs * c.input_strides.lhs,
                     c.outputs * c.output_strides.rhs, c.outputs * c.output_strides.result};
  for (size_t i = 0; i < labels.input_spatial.size(); ++i) {
    const WindowDimension& window = a.window.dimensions[i];
    ConvolutionAxis axis;
    axis.input = size(lhs, labels.input_spatial[i]);
    axis.output = size(result, labels.output_spatial[i]);
    axis.kernel = window.size;
    axis.stride = window.stride;
    axis.low = window.padding_low;
    axis.base_dilation = window.base_dilation;
    axis.window_dilation = window.window_dilation;
    axis.reversed = window.window_reversal;
    axis.strides = {lhs_strides[labels.input_spatial[i]], rhs_strides[labels.kernel_spatial[i]],
                    result_strides[labels.output_spatial[i]]};
    const bool is_huge = axis.stride > kMaxIndex || axis.low > kMaxIndex || axis.low < -kMaxIndex ||
                         axis.base_dilation > kMaxIndex || axis.window_dilation > kMaxIndex ||
                         static_cast<double>(axis.stride) * static_cast<double>(axis.output) > kMaxElements ||
                         static_cast<double>(axis.window_dilation) * static_cast<double>(axis.kernel) > kMaxElements ||
                         static_cast<double>(axis.base_dilation) * static_cast<double>(axis.input) > kMaxElements;
    if (is_huge) return no("windows are too far apart");
    c.axes.push_back(axis);
  }
  return c;
}

absl::StatusOr<std::vector<AxisSegment>> SegmentsOf(const ConvolutionAxis& axis) {
  std::vector<AxisSegment> segments;
  size_t left = kMaxMeetings;
  const int64_t step = axis.base_dilation / std::gcd(axis.base_dilation, axis.stride);
  const int64_t input_step = axis.stride * step / axis.base_dilation;
  for (int64_t phase = 0; phase < std::min(step, axis.output); ++phase) {
    const int64_t count = (axis.output - phase + step - 1) / step;
    // The outputs of this phase, by number, at which an element of the kernel begins or ceases to meet the input.
    struct Range {
      int64_t kernel, input;  // the input's index at output number 0, which may be outside
      int64_t begin, end;
    };
    std::vector<Range> ranges;
    std::vector<int64_t> cuts = {0, count};
    for (int64_t k = 0; k < axis.kernel; ++k) {
      const int64_t position = phase * axis.stride - axis.low + k * axis.window_dilation;
      if (position % axis.base_dilation != 0) continue;
      const int64_t input = position / axis.base_dilation;
      Range range = {k, input, 0, 0};
      if (input < 0) range.begin = (-input + input_step - 1) / input_step;
      if (input < axis.input) range.end = (axis.input - 1 - input) / input_step + 1;
      range.begin = std::min(range.begin, count);
      range.end = std::min(range.end, count);
      if (range.begin >= range.end) continue;
      ranges.push_back(range);
      cuts.push_back(range.begin);
      cuts.push_back(range.end);
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    const size_t meetings = (cuts.size() - 1) * (ranges.size() + 1) + static_cast<size_t>(axis.kernel);
    if (meetings > left) return absl::UnimplementedError("windows are too long");
    left -= meetings;
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      AxisSegment segment = {phase + cuts[i] * step, step, cuts[i + 1] - cuts[i], input_step, {}};
      for (const Range& range : ranges) {
        if (range.begin > cuts[i] || range.end < cuts[i + 1]) continue;
        segment.meetings.push_back({range.kernel, range.input + cuts[i] * input_step});
      }
      segments.push_back(std::move(segment));
    }
  }
  return segments;
}

}  // namespace xla
