#include "builders/nnef1/operations/convolution.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef1/operations/arrays.h"
#include "builders/nnef1/operations/wrong_argument.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

constexpr int64_t kFirstSpatial = 2;

absl::Span<const int64_t> SpatialOf(absl::Span<const int64_t> extents) { return extents.subspan(kFirstSpatial); }

absl::Status CheckRanks(const OperationCall& call) {
  const Extents& input = call.extents("input");
  const Extents& filter = call.extents("filter");
  if (input.size() <= kFirstSpatial) {
    return WrongArgument("input", "batch, channels and at least one spatial dimension", ShapeText(input));
  }
  if (filter.size() == input.size()) return absl::OkStatus();
  return WrongArgument("filter", absl::StrCat("rank ", input.size(), " as the input ", ShapeText(input), " has"),
                       ShapeText(filter));
}

absl::Status CheckGroups(int64_t groups, int64_t filter_batch) {
  if (groups >= 1 && filter_batch % groups == 0) return absl::OkStatus();
  return WrongArgument("groups", absl::StrCat("a divisor of the ", filter_batch, " filters, extent 0 of the filter"),
                       absl::StrCat(groups));
}

// Channels are dimension 1; all others are 1.
absl::Status CheckBias(const Extents& bias, int64_t channels) {
  for (size_t d = 0; d < bias.size(); ++d) {
    if (bias[d] == 1 || (d == 1 && bias[d] == channels)) continue;
    return WrongArgument("bias", absl::StrCat("shape [1,", channels, "] or one item"), ShapeText(bias));
  }
  return absl::OkStatus();
}

// The product C/G * G, of a filter's extent 1 and the groups.
absl::StatusOr<int64_t> ChannelsOf(const Extents& filter, int64_t groups) {
  int64_t channels;
  if (CheckedMul(filter[1], groups, &channels)) return channels;
  return WrongArgument("groups", "less than 2^63 channels", absl::StrCat(groups, " times ", filter[1]));
}

Extents WithBatchAndChannels(int64_t batch, int64_t channels, const Extents& spatial) {
  Extents extents = {batch, channels};
  extents.insert(extents.end(), spatial.begin(), spatial.end());
  return extents;
}

// ---- HLO

std::vector<int64_t> ChannelsLast(int64_t rank) {
  std::vector<int64_t> order = {0};
  for (int64_t d = kFirstSpatial; d < rank; ++d) order.push_back(d);
  order.push_back(1);
  return order;
}

std::vector<int64_t> ChannelsSecond(int64_t rank) {
  std::vector<int64_t> order = {0, rank - 1};
  for (int64_t d = 1; d < rank - 1; ++d) order.push_back(d);
  return order;
}

ConvolutionDimensionNumbers DimensionNumbers(int64_t rank, int64_t filter_input, int64_t filter_output) {
  ConvolutionDimensionNumbers numbers;
  numbers.input_batch = numbers.output_batch = 0;
  numbers.input_feature = numbers.output_feature = rank - 1;
  numbers.kernel_input_feature = filter_input;
  numbers.kernel_output_feature = filter_output;
  for (int64_t d = kFirstSpatial; d < rank; ++d) {
    numbers.input_spatial.push_back(d - 1);
    numbers.output_spatial.push_back(d - 1);
    numbers.kernel_spatial.push_back(d);
  }
  return numbers;
}

XlaOp AddBias(XlaOp image, XlaOp bias) {
  if (!image.valid() || !bias.valid()) return XlaOp();
  ComputationBuilder& b = *image.builder();
  const std::vector<int64_t> extents = DimensionsOf(image);
  const auto last = static_cast<int64_t>(extents.size()) - 1;
  const std::vector<int64_t> mapping = DimensionsOf(bias).empty() ? std::vector<int64_t>() : std::vector<int64_t>{last};
  return b.Add(image, b.BroadcastInDim(Widen(bias), extents, mapping));
}

struct HloWindow {
  std::vector<int64_t> stride;
  std::vector<std::pair<int64_t, int64_t>> padding;
  std::vector<int64_t> input_dilation;
  std::vector<int64_t> filter_dilation;
};

XlaOp Convolve(XlaOp input, XlaOp filter, absl::optional<XlaOp> bias, const HloWindow& window,
               const ConvolutionDimensionNumbers& numbers, ConvolutionOptions options) {
  if (!input.valid() || !filter.valid()) return XlaOp();
  ComputationBuilder& b = *input.builder();
  const PrimitiveType type = TypeOf(input);
  if (SumType(type) != type) options.preferred_element_type = SumType(type);
  const auto rank = static_cast<int64_t>(DimensionsOf(input).size());
  const XlaOp image = b.Transpose(input, ChannelsLast(rank));
  XlaOp result = b.ConvGeneralDilated(image, filter, window.stride, window.padding, window.input_dilation,
                                      window.filter_dilation, numbers, options);
  if (bias.has_value()) result = AddBias(result, *bias);
  result = ConvertTo(result, type);
  return result.valid() ? b.Transpose(result, ChannelsSecond(rank)) : result;
}

// `reach` for the spatial dimensions, and nothing for batch and channels.
std::vector<Reach> WithBatchAndChannels(const std::vector<Reach>& reach) {
  std::vector<Reach> all(kFirstSpatial, Reach(0, 0));
  all.insert(all.end(), reach.begin(), reach.end());
  return all;
}

// The filter [c, C/G, f..] of a deconvolution in groups, as HLO requires it: [c/G, C, f..], the groups outermost in C.
XlaOp GroupedFilter(XlaOp filter, int64_t groups) {
  if (!filter.valid()) return filter;
  ComputationBuilder& b = *filter.builder();
  const std::vector<int64_t> extents = DimensionsOf(filter);
  std::vector<int64_t> split = {groups, extents[0] / groups}, merged = {extents[0] / groups, extents[1] * groups};
  split.insert(split.end(), extents.begin() + 1, extents.end());
  merged.insert(merged.end(), extents.begin() + kFirstSpatial, extents.end());
  std::vector<int64_t> order(split.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[0], order[1]);
  return b.Reshape(b.Transpose(b.Reshape(filter, split), order), merged);
}

}  // namespace

// Checks the arguments of conv and computes windows and extents. 0 groups stand for as many as channels.
absl::StatusOr<ConvolutionCall> ConvCall(const OperationCall& call) {
  RETURN_IF_ERROR(CheckRanks(call));
  const Extents& input = call.extents("input");
  const Extents& filter = call.extents("filter");
  ConvolutionCall result;
  result.groups = call.integer("groups") == 0 ? input[1] : call.integer("groups");
  RETURN_IF_ERROR(CheckGroups(result.groups, filter[0]));
  ASSIGN_OR_RETURN(const int64_t channels, ChannelsOf(filter, result.groups));
  if (channels != input[1]) {
    return WrongArgument("filter",
                         absl::StrCat("extent 1 times ", result.groups, " groups to be the ", input[1],
                                      " channels of the input"),
                         absl::StrCat(channels, " of ", ShapeText(filter)));
  }
  RETURN_IF_ERROR(CheckBias(call.extents("bias"), filter[0]));
  ASSIGN_OR_RETURN(result.border, BorderOf(call, /*allow_ignore=*/false));
  const absl::Span<const int64_t> spatial = SpatialOf(input);
  ASSIGN_OR_RETURN(result.windows, BasicWindows(WindowListsOf(call, kFirstSpatial), SpatialOf(filter), spatial));
  RETURN_IF_ERROR(CheckReach(result.border, spatial, BasicReach(result.windows), kFirstSpatial));
  result.output = WithBatchAndChannels(input[0], filter[0], DownExtents(result.windows));
  return result;
}

// Checks the arguments of deconv, which are those of the conv that it transposes. output_shape settles what the
// strides leave open.
absl::StatusOr<ConvolutionCall> DeconvCall(const OperationCall& call) {
  RETURN_IF_ERROR(CheckRanks(call));
  const Extents& input = call.extents("input");
  const Extents& filter = call.extents("filter");
  const std::vector<int64_t> output = call.integers("output_shape");
  if (!output.empty()) {
    RETURN_IF_ERROR(CheckCount("output_shape", output.size(), call.rank("input"), "dimension of the input"));
    RETURN_IF_ERROR(CheckAtLeast("output_shape", output, 1));
  }
  if (filter[0] != input[1]) {
    return WrongArgument("filter", absl::StrCat("extent 0 to be the ", input[1], " channels of the input"),
                         ShapeText(filter));
  }
  ConvolutionCall result;
  result.groups = call.integer("groups");
  if (result.groups == 0) result.groups = output.empty() ? filter[0] : output[1];
  RETURN_IF_ERROR(CheckGroups(result.groups, filter[0]));
  ASSIGN_OR_RETURN(const int64_t channels, ChannelsOf(filter, result.groups));
  if (!output.empty() && (output[0] != input[0] || output[1] != channels)) {
    return WrongArgument("output_shape", absl::StrCat("batch ", input[0], " and ", channels, " channels"),
                         ShapeText(output));
  }
  RETURN_IF_ERROR(CheckBias(call.extents("bias"), channels));
  ASSIGN_OR_RETURN(result.border, BorderOf(call, /*allow_ignore=*/false));
  const absl::Span<const int64_t> spatial = SpatialOf(input);
  ASSIGN_OR_RETURN(result.windows, ReverseWindows(WindowListsOf(call, kFirstSpatial), SpatialOf(filter), spatial,
                                                  output.empty() ? absl::Span<const int64_t>() : SpatialOf(output)));
  RETURN_IF_ERROR(CheckReach(result.border, spatial, ReverseReach(result.windows), kFirstSpatial));
  result.output = WithBatchAndChannels(input[0], channels, UpExtents(result.windows));
  return result;
}

// A convolution of HLO. Borders other than `constant` are padded before, as HLO only pads with zeros.
XlaOp LowerConvolution(XlaOp input, XlaOp filter, absl::optional<XlaOp> bias, const ConvolutionCall& call) {
  if (!input.valid() || !filter.valid()) return XlaOp();
  HloWindow window;
  window.stride = Field(call.windows, &WindowAxis::stride);
  window.filter_dilation = Field(call.windows, &WindowAxis::dilation);
  window.padding = PaddingOf(call.windows);
  if (call.border != Border::kConstant) {
    input = PadBorder(input, call.border, WithBatchAndChannels(BasicReach(call.windows)));
    window.padding.assign(call.windows.size(), {0, 0});
  }
  ConvolutionOptions options;
  options.feature_group_count = call.groups;
  const auto rank = static_cast<int64_t>(call.output.size());
  return Convolve(input, filter, bias, window, DimensionNumbers(rank, /*filter_input=*/1, /*filter_output=*/0),
                  options);
}

// A convolution over the input with gaps of the stride, by the reversed filter.
XlaOp LowerDeconvolution(XlaOp input, XlaOp filter, absl::optional<XlaOp> bias, const ConvolutionCall& call) {
  if (!input.valid() || !filter.valid()) return XlaOp();
  Windows windows = call.windows;
  if (call.border != Border::kConstant) {
    const std::vector<Reach> reach = ReverseReach(windows);
    input = PadBorder(input, call.border, WithBatchAndChannels(reach));
    windows = AfterPaddingOfReverse(windows, reach);
  }
  // Item k of the input meets item j of the filter at output k*s + j*d - before: a window that walks over the spread
  // input, and meets the items of the filter from the last to the first.
  HloWindow window;
  window.stride.assign(windows.size(), 1);
  window.input_dilation = Field(windows, &WindowAxis::stride);
  window.filter_dilation = Field(windows, &WindowAxis::dilation);
  window.padding = ReversePadding(windows);
  ConvolutionOptions options;
  options.feature_group_count = call.groups;
  options.window_reversal.assign(windows.size(), true);
  if (call.groups > 1) filter = GroupedFilter(filter, call.groups);
  const auto rank = static_cast<int64_t>(call.output.size());
  return Convolve(input, filter, bias, window, DimensionNumbers(rank, /*filter_input=*/0, /*filter_output=*/1),
                  options);
}

absl::optional<XlaOp> BiasOf(const LoweringCall& call) {
  if (call.ConstantOf("bias") == Value::Scalar(0)) return absl::nullopt;
  const XlaOp bias = call.operand("bias");
  if (!bias.valid()) return bias;
  const Extents& extents = call.extents("bias");
  const int64_t channels = extents.size() > 1 ? extents[1] : 1;
  return call.builder().Reshape(bias, channels == 1 ? std::vector<int64_t>() : std::vector<int64_t>{channels});
}

}  // namespace nnef1
}  // namespace xla
