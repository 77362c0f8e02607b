#include "builders/webnn/lowering/convolution.h"

#include <utility>
#include <vector>

#include "builders/webnn/lowering/arrays.h"

namespace xla {
namespace webnn {
namespace {

ConvolutionDimensionNumbers DimensionNumbers(const FilterDimensions& filter) {
  ConvolutionDimensionNumbers numbers;
  numbers.input_batch = numbers.output_batch = 0;
  numbers.input_spatial = {1, 2};
  numbers.output_spatial = {1, 2};
  numbers.input_feature = numbers.output_feature = 3;
  numbers.kernel_output_feature = filter.output;
  numbers.kernel_input_feature = filter.input;
  numbers.kernel_spatial = {filter.height, filter.width};
  return numbers;
}

struct WindowOfConvolution {
  std::vector<int64_t> strides;
  std::vector<std::pair<int64_t, int64_t>> padding;
  std::vector<int64_t> input_dilation;
  std::vector<int64_t> filter_dilation;
  bool reversed = false;
};

// The convolution of `input` and the sum with the bias, in the layout and type of `input`.
XlaOp Convolve(XlaOp input, XlaOp filter, absl::optional<XlaOp> bias, const FilterDimensions& filter_dimensions,
               const WindowOfConvolution& window, int64_t groups, bool channels_last) {
  ComputationBuilder& b = *input.builder();
  const PrimitiveType type = TypeOf(input);
  ConvolutionOptions options;
  options.feature_group_count = groups;
  if (window.reversed) options.window_reversal = {true, true};
  if (SumType(type) != type) options.preferred_element_type = SumType(type);
  const XlaOp image = channels_last ? input : b.Transpose(input, {0, 2, 3, 1});
  XlaOp result = b.ConvGeneralDilated(image, filter, window.strides, window.padding, window.input_dilation,
                                      window.filter_dilation, DimensionNumbers(filter_dimensions), options);
  if (bias.has_value()) result = b.Add(result, BroadcastTo(Widen(*bias), DimensionsOf(result)));
  result = ConvertTo(result, type);
  return channels_last ? result : b.Transpose(result, {0, 3, 1, 2});
}

// The filter of a convTranspose2d in groups, as HLO requires it: [input channels of one group, groups * output channels
// of one group, height, width], groups outermost.
XlaOp GroupFilter(XlaOp filter, const FilterDimensions& dimensions, int64_t groups) {
  ComputationBuilder& b = *filter.builder();
  const XlaOp plain = b.Transpose(filter, {dimensions.input, dimensions.output, dimensions.height, dimensions.width});
  const std::vector<int64_t> sizes = DimensionsOf(plain);
  if (sizes.size() != 4) return XlaOp();
  const int64_t inputs = sizes[0] / groups;
  const XlaOp split = b.Reshape(plain, {groups, inputs, sizes[1], sizes[2], sizes[3]});
  return b.Reshape(b.Transpose(split, {1, 0, 2, 3, 4}), {inputs, groups * sizes[1], sizes[2], sizes[3]});
}

}  // namespace

XlaOp LowerConv2d(XlaOp input, XlaOp filter, absl::optional<XlaOp> bias, const Convolution2d& options) {
  if (!input.valid() || !filter.valid()) return XlaOp();
  const auto& padding = options.padding;
  WindowOfConvolution window;
  window.strides = {options.strides[0], options.strides[1]};
  window.padding = {{padding[0], padding[1]}, {padding[2], padding[3]}};
  window.filter_dilation = {options.dilations[0], options.dilations[1]};
  return Convolve(input, filter, bias, options.filter, window, options.groups, options.channels_last);
}

XlaOp LowerConvTranspose2d(XlaOp input, XlaOp filter, absl::optional<XlaOp> bias, const Convolution2d& options) {
  if (!input.valid() || !filter.valid()) return XlaOp();
  ComputationBuilder& b = *input.builder();
  const std::vector<int64_t> filter_sizes = DimensionsOf(filter);
  if (filter_sizes.size() != 4) return XlaOp();
  const int64_t channels = filter_sizes[options.filter.input];
  if (channels % options.groups != 0) {
    return b.ReportError(absl::InvalidArgumentError("input channels must be divisible by groups"));
  }
  // Element i of the input meets tap a of the filter at output i * stride + a * dilation - begin: a window that walks
  // over the spread input, and meets the taps from the last to the first.
  WindowOfConvolution window;
  window.strides = {1, 1};
  window.input_dilation = {options.strides[0], options.strides[1]};
  window.filter_dilation = {options.dilations[0], options.dilations[1]};
  window.reversed = true;
  const int64_t taps[] = {filter_sizes[options.filter.height], filter_sizes[options.filter.width]};
  for (int i = 0; i < 2; ++i) {
    const int64_t reach = (taps[i] - 1) * options.dilations[i];
    window.padding.emplace_back(reach - options.padding[2 * i],
                                reach - options.padding[2 * i + 1] + options.output_padding[i]);
  }
  FilterDimensions dimensions = options.filter;
  if (options.groups > 1) {
    filter = GroupFilter(filter, dimensions, options.groups);
    if (!filter.valid()) return XlaOp();
    dimensions = {/*output=*/1, /*input=*/0, /*height=*/2, /*width=*/3};
  }
  return Convolve(input, filter, bias, dimensions, window, options.groups, options.channels_last);
}

}  // namespace webnn
}  // namespace xla
