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
#include "builders/nnef2/recognition/recognisers.h"
#include "builders/nnef2/recognition/window_input.h"

namespace xla {
namespace nnef2 {
namespace {

// The indices of an array, and its extents.
struct IndexedArray {
  std::vector<const NestNode*> nodes;
  std::vector<AffineIndex> indices;
  std::vector<MovedIndex> moved;  // the same with what moves them
  std::vector<int64_t> extents;
  const Shape* shape = nullptr;

  bool Uses(int loop) const {
    return std::any_of(indices.begin(), indices.end(), [&](const AffineIndex& index) { return index.Uses(loop); });
  }
};

absl::optional<IndexedArray> ArrayOf(const NestLowering& lowering, int tensor,
                                     const std::vector<const NestNode*>& nodes, size_t num_loops) {
  IndexedArray array{nodes, {}, {}, lowering.BoundsOf(tensor), &lowering.tensor(tensor).shape};
  for (const NestNode* const node : nodes) {
    absl::optional<MovedIndex> index = MovedIndexOf(*node, num_loops);
    if (!index.has_value()) return absl::nullopt;
    array.indices.push_back(index->affine);
    array.moved.push_back(*std::move(index));
  }
  return array;
}

// Where the dimensions of a convolution are.
struct ConvolutionParts {
  ConvolutionDimensionNumbers numbers;
  int64_t groups = 1;
  std::vector<WindowIndex> windows;
  bool is_transposed = false;
};

class ConvolutionMatcher {
 public:
  ConvolutionMatcher(const StatementNest& nest, const IndexedArray& image, const IndexedArray& filter,
                     const IndexedArray& output)
      : nest_(nest), image_(image), filter_(filter), output_(output) {}

  absl::optional<ConvolutionParts> Match() {
    if (!SortLoops() || !FindSpatial() || !FindBatch() || !FindChannels() || !CheckGuards()) return absl::nullopt;
    return parts_;
  }

 private:
  enum class Role { kBatch, kGroup, kIn, kOut, kPlace, kItem };

  // Batch and places: image and output. Groups: all three. Channels that go in: image and filter. Channels that come
  // out: filter and output. Items of windows: the filter, and either the image or, of transposed ones, the output. The
  // latter two of each pair are distinguished by what they share an index with.
  bool SortLoops() {
    parts_.is_transposed = std::any_of(output_.indices.begin(), output_.indices.end(),
                                       [&](const AffineIndex& index) { return IsWindow(index, image_); });
    const IndexedArray& windowed = parts_.is_transposed ? output_ : image_;
    const IndexedArray& plain = parts_.is_transposed ? image_ : output_;
    for (int i = 0; i < static_cast<int>(nest_.loops.size()); ++i) {
      const bool in_image = image_.Uses(i), in_filter = filter_.Uses(i), in_output = output_.Uses(i);
      const int count = (in_image ? 1 : 0) + (in_filter ? 1 : 0) + (in_output ? 1 : 0);
      if (count < 2) return false;
      Role role = Role::kGroup;
      if (count == 2) role = !in_filter ? Role::kBatch : in_image ? Role::kIn : Role::kOut;
      for (const AffineIndex& index : windowed.indices) {
        if (!index.Uses(i) || !IsWindow(index, plain)) continue;
        role = filter_.Uses(i) ? Role::kItem : Role::kPlace;
      }
      roles_.push_back(role);
    }
    return true;
  }

  // A loop of the image and output, and one of the filter that `plain` does not have, in one index.
  bool IsWindow(const AffineIndex& index, const IndexedArray& plain) const {
    const std::vector<int> loops = index.loops();
    if (loops.size() != 2) return false;
    const auto is_item = [&](int loop) { return filter_.Uses(loop) && !plain.Uses(loop); };
    const auto is_place = [&](int loop) { return !filter_.Uses(loop) && plain.Uses(loop); };
    return (is_item(loops[0]) && is_place(loops[1])) || (is_item(loops[1]) && is_place(loops[0]));
  }

  // The dimension whose index is that loop, which counts through all of it; -1 if there is none.
  int64_t PlainDimension(const IndexedArray& array, int loop) const {
    for (size_t d = 0; d < array.indices.size(); ++d) {
      const bool is_plain = array.indices[d].IsPlain(loop) && array.moved[d].by == nullptr;
      if (is_plain && array.extents[d] == nest_.loops[loop].bound) return static_cast<int64_t>(d);
    }
    return -1;
  }

  // Where an extent that varies ends, so does the loop.
  bool EndsWithLoop(const IndexedArray& array, int64_t dimension, int loop) const {
    return IsStatic(nest_.loops[loop]) || (*array.shape)[static_cast<size_t>(dimension)] == nest_.loops[loop].extent;
  }

  bool FindSpatial() {
    const IndexedArray& windowed = parts_.is_transposed ? output_ : image_;
    const IndexedArray& plain = parts_.is_transposed ? image_ : output_;
    for (size_t d = 0; d < windowed.indices.size(); ++d) {
      if (!IsWindow(windowed.indices[d], plain)) continue;
      const auto window = WindowOf(windowed.moved[d], nest_.loops, [&](int loop) { return !filter_.Uses(loop); });
      if (!window.has_value() || (parts_.is_transposed && window->moves())) return false;
      const int64_t place = PlainDimension(plain, window->place), item = PlainDimension(filter_, window->item);
      if (place < 0 || item < 0 || !EndsWithLoop(plain, place, window->place)) return false;
      bool is_guarded = false;
      if (!StaysInside(nest_, *windowed.nodes[d], *window, (*windowed.shape)[d], windowed.extents[d], &is_guarded)) {
        return false;
      }
      guarded_ += is_guarded ? 1 : 0;
      parts_.windows.push_back(*window);
      ConvolutionDimensionNumbers& numbers = parts_.numbers;
      const auto dimension = static_cast<int64_t>(d);
      numbers.input_spatial.push_back(parts_.is_transposed ? place : dimension);
      numbers.output_spatial.push_back(parts_.is_transposed ? dimension : place);
      numbers.kernel_spatial.push_back(item);
    }
    const size_t spatial = parts_.windows.size();
    return spatial > 0 && image_.extents.size() == spatial + 2 && filter_.extents.size() == spatial + 2 &&
           output_.extents.size() == spatial + 2;
  }

  bool CheckGuards() const { return guarded_ == nest_.guards.size(); }

  bool FindBatch() {
    int batch = -1;
    for (size_t i = 0; i < roles_.size(); ++i) {
      if (roles_[i] != Role::kBatch) continue;
      if (batch >= 0) return false;
      batch = static_cast<int>(i);
    }
    if (batch < 0) return false;
    parts_.numbers.input_batch = PlainDimension(image_, batch);
    parts_.numbers.output_batch = PlainDimension(output_, batch);
    if (parts_.numbers.input_batch < 0 || parts_.numbers.output_batch < 0) return false;
    return EndsWithLoop(output_, parts_.numbers.output_batch, batch);
  }

  // The loop of a role; -1 if there is none, and *is_unique false if there are several.
  int LoopOf(Role role, bool* is_unique) const {
    int found = -1;
    for (size_t i = 0; i < roles_.size(); ++i) {
      if (roles_[i] != role) continue;
      *is_unique = *is_unique && found < 0;
      found = static_cast<int>(i);
    }
    return found;
  }

  // The dimension that counts through groups and, in each, through `loop`; -1 if there is none.
  int64_t ChannelDimension(const IndexedArray& array, int group, int loop) const {
    if (group < 0) return loop < 0 ? -1 : PlainDimension(array, loop);
    for (size_t d = 0; d < array.indices.size(); ++d) {
      const AffineIndex& index = array.indices[d];
      if (!index.Uses(group)) continue;
      const int64_t inner = loop < 0 ? 1 : nest_.loops[loop].bound;
      std::vector<int> loops = {group};
      if (loop >= 0) loops.push_back(loop);
      std::sort(loops.begin(), loops.end());
      // A step of a single group does not matter.
      const bool steps = RunsOnce(nest_.loops[group]) || index.coefficients[group] == inner;
      const bool counts = loop < 0 || RunsOnce(nest_.loops[loop]) || index.coefficients[loop] == 1;
      const bool is_whole = array.extents[d] == nest_.loops[group].bound * inner;
      if (index.offset != 0 || array.moved[d].by != nullptr || index.loops() != loops || !steps || !counts || !is_whole)
        return -1;
      return static_cast<int64_t>(d);
    }
    return -1;
  }

  bool FindChannels() {
    bool is_unique = true;
    const int group = LoopOf(Role::kGroup, &is_unique);
    const int in = LoopOf(Role::kIn, &is_unique), out = LoopOf(Role::kOut, &is_unique);
    if (!is_unique || in < 0 || out < 0) return false;
    for (const int loop : {group, in, out}) {
      if (loop >= 0 && !IsStatic(nest_.loops[loop])) return false;
    }
    ConvolutionDimensionNumbers& numbers = parts_.numbers;
    numbers.input_feature = ChannelDimension(image_, group, in);
    numbers.output_feature = ChannelDimension(output_, group, out);
    // The filter has groups with the channels that come out; of a transposed convolution, with those that go in.
    numbers.kernel_output_feature =
        parts_.is_transposed ? PlainDimension(filter_, out) : ChannelDimension(filter_, group, out);
    numbers.kernel_input_feature =
        parts_.is_transposed ? ChannelDimension(filter_, group, in) : PlainDimension(filter_, in);
    parts_.groups = group < 0 ? 1 : nest_.loops[group].bound;
    return numbers.input_feature >= 0 && numbers.output_feature >= 0 && numbers.kernel_output_feature >= 0 &&
           numbers.kernel_input_feature >= 0;
  }

  const StatementNest& nest_;
  const IndexedArray& image_;
  const IndexedArray& filter_;
  const IndexedArray& output_;
  std::vector<Role> roles_;  // by loop
  size_t guarded_ = 0;
  ConvolutionParts parts_;
};

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
