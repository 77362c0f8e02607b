// Convolutions, written as sums of products of an image and a filter (NNEF 2.0 section 9.3 of the guide):
//
//   y[b, g * M + m, i] += x[b, g * C + c, |s * i + d * j - p|] * w[g * M + m, c, j]      a convolution
//   y[b, g * C + c, |s * i + d * j - p|] += x[b, g * M + m, i] * w[g * M + m, c, j]      the transposed one
//
// for loops in any order and dimensions in any order; g may be missing, and there may be any number of spatial
// dimensions. Which loop is which follows from the arrays that it occurs in. Nothing of an operator's name is asked
// for.
#include <algorithm>
#include <utility>

#include "builders/computation_builder/constants.h"
#include "builders/nnef2/recognition/convolution_matcher.h"
#include "builders/nnef2/recognition/recognisers.h"

namespace xla {
namespace nnef2 {
namespace {

// The filter of a transposed convolution in groups, [G * M, C, ..] by roles, as HLO takes it: [M, G * C, ..].
XlaOp GroupedFilter(XlaOp filter, const ConvolutionDimensionNumbers& numbers, int64_t groups) {
  if (groups == 1 || !filter.valid()) return filter;
  ComputationBuilder& b = *filter.builder();
  const xla::Shape shape = b.ShapeOrInvalid(filter);
  if (!b.ok()) return XlaOp();
  const size_t in = static_cast<size_t>(numbers.kernel_input_feature);
  const size_t out = static_cast<size_t>(numbers.kernel_output_feature);
  std::vector<int64_t> split, order, merged;
  for (size_t d = 0; d < shape.dimensions().size(); ++d) {
    if (d == in) split.push_back(groups);
    split.push_back(d == in ? shape.dimensions()[d] / groups : shape.dimensions()[d]);
    merged.push_back(d == in    ? shape.dimensions()[d] / groups
                     : d == out ? shape.dimensions()[d] * groups
                                : shape.dimensions()[d]);
  }
  // The dimension of the groups moves in front of that of the channels that come out.
  for (size_t d = 0; d < split.size(); ++d) {
    const size_t place_of_out = out > in ? out + 1 : out;
    if (d == in) continue;
    if (d == place_of_out) order.push_back(static_cast<int64_t>(in));
    order.push_back(static_cast<int64_t>(d));
  }
  return b.Reshape(b.Transpose(b.Reshape(filter, split), order), merged);
}

// Batch, spatial dimensions, channels: the order in which backends convolve fastest.
std::vector<int64_t> ChannelsLast(int64_t batch, absl::Span<const int64_t> spatial, int64_t feature) {
  std::vector<int64_t> order = {batch};
  order.insert(order.end(), spatial.begin(), spatial.end());
  order.push_back(feature);
  return order;
}

// The image with zeros for what lies past extents that vary, and moved to where windows begin.
XlaOp ImageOf(NestLowering& lowering, int image, ConvolutionParts* parts) {
  XlaOp x = lowering.Array(image);
  if (!x.valid()) return x;
  x = WithoutTheRestOf(lowering, x, image, parts->numbers.input_feature, ScalarLike(x, 0));
  for (size_t i = 0; i < parts->windows.size(); ++i) {
    const int64_t dimension = parts->numbers.input_spatial[i];
    x = WithoutTheRestOf(lowering, x, image, dimension, ScalarLike(x, 0));
    x = MoveToWindows(lowering, x, dimension, &parts->windows[i], ScalarLike(x, 0));
  }
  return x;
}

XlaOp EmitConvolution(NestLowering& lowering, const StatementNest& nest, ConvolutionParts parts, int image, int filter,
                      StartValue start, const std::vector<int64_t>& output_extents) {
  ComputationBuilder& b = lowering.builder();
  const PrimitiveType type = lowering.TypeOf(nest.type);
  const XlaOp x = ImageOf(lowering, image, &parts);
  const xla::Shape image_shape = x.valid() ? b.ShapeOrInvalid(x) : xla::Shape();
  if (!b.ok()) return XlaOp();
  ConvolutionDimensionNumbers numbers = parts.numbers;
  std::vector<int64_t> strides, image_dilations, filter_dilations;
  std::vector<std::pair<int64_t, int64_t>> padding;
  for (size_t i = 0; i < parts.windows.size(); ++i) {
    const WindowIndex& window = parts.windows[i];
    strides.push_back(parts.is_transposed ? 1 : window.stride);
    image_dilations.push_back(parts.is_transposed ? window.stride : 1);
    filter_dilations.push_back(window.dilation);
    if (!parts.is_transposed) {
      padding.push_back(window.Padding(image_shape.dimensions()[numbers.input_spatial[i]]));
      continue;
    }
    // Element k of the image meets item j at s * k + d * j + first: a window that walks over the spread image.
    const int64_t low = window.covered() - 1 + window.first;
    const int64_t spread = (window.places - 1) * window.stride + 1;
    padding.emplace_back(low, output_extents[numbers.output_spatial[i]] - spread - low + window.covered() - 1);
  }
  ConvolutionOptions options;
  options.feature_group_count = parts.groups;
  if (SumType(type) != type) options.preferred_element_type = SumType(type);
  XlaOp kernel = lowering.Array(filter);
  if (kernel.valid()) {
    kernel = WithoutTheRestOf(lowering, kernel, filter, numbers.kernel_input_feature, ScalarLike(kernel, 0));
  }
  if (parts.is_transposed) {
    options.window_reversal.assign(parts.windows.size(), true);
    kernel = GroupedFilter(kernel, numbers, parts.groups);
  }
  const std::vector<int64_t> image_order =
      ChannelsLast(numbers.input_batch, numbers.input_spatial, numbers.input_feature);
  const std::vector<int64_t> output_order =
      ChannelsLast(numbers.output_batch, numbers.output_spatial, numbers.output_feature);
  numbers.input_batch = numbers.output_batch = 0;
  numbers.input_feature = numbers.output_feature = static_cast<int64_t>(image_order.size()) - 1;
  for (size_t i = 0; i < parts.windows.size(); ++i) {
    numbers.input_spatial[i] = numbers.output_spatial[i] = static_cast<int64_t>(i) + 1;
  }
  XlaOp result = b.ConvGeneralDilated(TransposeTo(x, image_order), kernel, strides, padding, image_dilations,
                                      filter_dilations, numbers, options);
  if (!result.valid()) return result;
  // Back: dimension output_order[i] of the target is dimension i here.
  std::vector<int64_t> back(output_order.size()), extents(output_order.size());
  for (size_t i = 0; i < output_order.size(); ++i) {
    back[output_order[i]] = static_cast<int64_t>(i);
    extents[i] = output_extents[output_order[i]];
  }
  if (start.is_given() && !start.IsAll(0)) {
    std::vector<int64_t> dimensions;
    XlaOp part = start.Part(&dimensions);
    for (int64_t& d : dimensions) d = back[d];
    std::vector<int64_t> sorted(dimensions.size());
    for (size_t i = 0; i < sorted.size(); ++i) sorted[i] = static_cast<int64_t>(i);
    std::sort(sorted.begin(), sorted.end(), [&](int64_t x, int64_t y) { return dimensions[x] < dimensions[y]; });
    std::sort(dimensions.begin(), dimensions.end());
    part = ConvertTo(TransposeTo(part, sorted), SumType(type));
    result = b.Add(result, dimensions.size() == extents.size() ? part : b.BroadcastInDim(part, extents, dimensions));
  }
  return TransposeTo(ConvertTo(result, type), back);
}

}  // namespace

XlaOp RecogniseConvolution(NestLowering& lowering, const StatementNest& nest, StartValue start) {
  const NestNode& product = *nest.values[0];
  if (nest.op != Operator::kAdd || nest.condition != nullptr || nest.targets.size() != 1 ||
      nest.target_item != nullptr || product.kind != NestNode::Kind::kBinary || product.op != Operator::kMultiply) {
    return XlaOp();
  }
  const absl::optional<IndexedArray> output = ArrayOf(lowering, nest.targets[0], nest.indices, nest.loops.size());
  std::vector<IndexedArray> factors;
  for (const NestNode* const load : product.operands) {
    if (load->kind != NestNode::Kind::kLoad || load->item != nullptr || load->tensors.size() != 1) return XlaOp();
    absl::optional<IndexedArray> factor = ArrayOf(lowering, load->tensors[0], load->operands, nest.loops.size());
    if (!factor.has_value()) return XlaOp();
    factors.push_back(*std::move(factor));
  }
  if (!output.has_value()) return XlaOp();
  for (const int image : {0, 1}) {
    const absl::optional<ConvolutionParts> parts =
        ConvolutionMatcher(nest, factors[image], factors[1 - image], *output).Match();
    if (!parts.has_value()) continue;
    return EmitConvolution(lowering, nest, *parts, product.operands[image]->tensors[0],
                           product.operands[1 - image]->tensors[0], std::move(start), output->extents);
  }
  return XlaOp();
}

}  // namespace nnef2
}  // namespace xla
