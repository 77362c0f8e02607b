// Dots and convolutions: dimensions in the order that NNEF has, and back.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/nnef1/writing/convert_instructions.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

// One side of a dot: dimensions in the order (batch, free, contracted) or (batch, contracted, free), each kind as one.
struct DotSide {
  std::vector<int64_t> order;
  Extents batch;
  int64_t free = 1;
  int64_t contracted = 1;
};

DotSide SideOf(const Shape& shape, const DimensionVector& batch, const DimensionVector& contracted) {
  DotSide side;
  std::vector<bool> is_taken(shape.rank(), false);
  for (const int64_t dimension : batch) {
    side.order.push_back(dimension);
    side.batch.push_back(shape.dimension(dimension));
    is_taken[dimension] = true;
  }
  for (const int64_t dimension : contracted) is_taken[dimension] = true;
  for (int64_t dimension = 0; dimension < shape.rank(); ++dimension) {
    if (is_taken[dimension]) continue;
    side.order.push_back(dimension);
    side.free *= shape.dimension(dimension);
  }
  for (const int64_t dimension : contracted) {
    side.order.push_back(dimension);
    side.contracted *= shape.dimension(dimension);
  }
  return side;
}

// Whether the right side is, as it stands, (batch, contracted, free): the usual form of weights.
bool IsUsual(const DotSide& rhs, const DimensionVector& contracted) {
  const auto free = rhs.order.begin() + rhs.batch.size();
  std::vector<int64_t> usual(rhs.order.begin(), free);
  usual.insert(usual.end(), contracted.begin(), contracted.end());
  usual.insert(usual.end(), free, rhs.order.end() - contracted.size());
  return IsIdentity(usual);
}

// (batch or output channels, channels, spatial...), as NNEF has them.
std::vector<int64_t> Order(int64_t first, int64_t second, const DimensionVector& spatial) {
  std::vector<int64_t> order = {first, second};
  order.insert(order.end(), spatial.begin(), spatial.end());
  return order;
}

std::vector<int64_t> Inverse(absl::Span<const int64_t> permutation) {
  std::vector<int64_t> inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) inverse[permutation[i]] = static_cast<int64_t>(i);
  return inverse;
}

// What a convolution is along its spatial dimensions.
struct SpatialPart {
  std::vector<int64_t> stride, dilation;
  std::vector<std::pair<int64_t, int64_t>> padding;
  std::vector<int64_t> reversed;  // dimensions of the filter in NNEF's order
};

// Items are put between items: `deconv`, which has the steps of its window there.
bool IsTransposed(const ConvolutionAttributes& attributes) {
  const auto& dimensions = attributes.window.dimensions;
  return std::any_of(dimensions.begin(), dimensions.end(),
                     [](const WindowDimension& dimension) { return dimension.base_dilation != 1; });
}

absl::Status CheckConvolution(const HloInstruction& instruction) {
  const ConvolutionAttributes& attributes = instruction.attributes<ConvolutionAttributes>();
  if (PrimitiveOf(instruction.shape()) != Primitive::kScalar) {
    return CannotSay(instruction, "only scalars are convolved");
  }
  if (attributes.batch_group_count != 1) return CannotSay(instruction, "batches have no groups");
  if (attributes.dim_labels.input_spatial.empty()) {
    return CannotSay(instruction, "convolutions have spatial dimensions");
  }
  if (!IsTransposed(attributes)) return absl::OkStatus();
  for (const WindowDimension& dimension : attributes.window.dimensions) {
    if (dimension.stride == 1) continue;
    return CannotSay(instruction, "a window does not go in steps where items are put between items");
  }
  if (attributes.feature_group_count == 1) return absl::OkStatus();
  return CannotSay(instruction, "a transposed convolution in groups has its filter in another order");
}

SpatialPart SpatialPartOf(const HloInstruction& instruction) {
  const ConvolutionAttributes& attributes = instruction.attributes<ConvolutionAttributes>();
  const ConvolutionDimensionNumbers& labels = attributes.dim_labels;
  const bool is_transposed = IsTransposed(attributes);
  SpatialPart part;
  for (size_t i = 0; i < attributes.window.dimensions.size(); ++i) {
    const WindowDimension& dimension = attributes.window.dimensions[i];
    // A transposed convolution goes through its filter backwards.
    if (dimension.window_reversal != is_transposed) part.reversed.push_back(static_cast<int64_t>(i) + 2);
    part.dilation.push_back(dimension.window_dilation);
    if (!is_transposed) {
      part.stride.push_back(dimension.stride);
      part.padding.emplace_back(dimension.padding_low, dimension.padding_high);
      continue;
    }
    const int64_t reach = (dimension.size - 1) * dimension.window_dilation;
    const int64_t before = reach - dimension.padding_low;
    const int64_t small = instruction.operand(0)->shape().dimension(labels.input_spatial[i]);
    const int64_t large = instruction.shape().dimension(labels.output_spatial[i]);
    part.stride.push_back(dimension.base_dilation);
    part.padding.emplace_back(before, (small - 1) * dimension.base_dilation + reach + 1 - before - large);
  }
  return part;
}

}  // namespace

absl::Status ConvertDot(const HloInstruction& instruction, Conversion& to) {
  const DotAttributes& attributes = instruction.attributes<DotAttributes>();
  const HloInstruction* const lhs = instruction.operand(0);
  const HloInstruction* const rhs = instruction.operand(1);
  if (PrimitiveOf(instruction.shape()) != Primitive::kScalar || PrimitiveOf(lhs->shape()) != Primitive::kScalar ||
      PrimitiveOf(rhs->shape()) != Primitive::kScalar) {
    return CannotSay(instruction, "only scalars are multiplied");
  }
  const DotSide left = SideOf(lhs->shape(), attributes.lhs_batch_dims, attributes.lhs_contracting_dims);
  const DotSide right = SideOf(rhs->shape(), attributes.rhs_batch_dims, attributes.rhs_contracting_dims);
  Extents left_extents = left.batch, right_extents = right.batch, extents = left.batch;
  left_extents.insert(left_extents.end(), {left.free, left.contracted});
  extents.insert(extents.end(), {left.free, right.free});
  const bool is_usual = IsUsual(right, attributes.rhs_contracting_dims);
  if (is_usual) {
    right_extents.insert(right_extents.end(), {right.contracted, right.free});
  } else {
    right_extents.insert(right_extents.end(), {right.free, right.contracted});
  }
  const std::string& name = instruction.name();
  const int left_matrix = to.Reshaped(to.Transposed(to.Of(lhs), left.order, absl::StrCat(name, "_lhs_order")),
                                      left_extents, absl::StrCat(name, "_lhs"));
  const int right_matrix =
      to.Reshaped(is_usual ? to.Of(rhs) : to.Transposed(to.Of(rhs), right.order, absl::StrCat(name, "_rhs_order")),
                  right_extents, absl::StrCat(name, "_rhs"));
  const bool is_result = extents == ExtentsOf(instruction.shape());
  const int product = to.writer().Add("matmul",
                                      {{"A", Value::Tensor(left_matrix)},
                                       {"B", Value::Tensor(right_matrix)},
                                       {"transposeB", Value::Logical(!is_usual)}},
                                      Primitive::kScalar, extents, is_result ? name : absl::StrCat(name, "_matrix"));
  to.Set(instruction, to.Reshaped(product, ExtentsOf(instruction.shape()), name));
  return absl::OkStatus();
}

absl::Status ConvertConvolution(const HloInstruction& instruction, Conversion& to) {
  RETURN_IF_ERROR(CheckConvolution(instruction));
  const ConvolutionAttributes& attributes = instruction.attributes<ConvolutionAttributes>();
  const ConvolutionDimensionNumbers& labels = attributes.dim_labels;
  const std::string& name = instruction.name();
  const bool is_transposed = IsTransposed(attributes);
  const SpatialPart part = SpatialPartOf(instruction);
  const std::vector<int64_t> input_order = Order(labels.input_batch, labels.input_feature, labels.input_spatial);
  const int input = to.Transposed(to.Of(instruction.operand(0)), input_order, absl::StrCat(name, "_input"));
  const std::vector<int64_t> filter_order =
      is_transposed ? Order(labels.kernel_input_feature, labels.kernel_output_feature, labels.kernel_spatial)
                    : Order(labels.kernel_output_feature, labels.kernel_input_feature, labels.kernel_spatial);
  const int filter = to.Transposed(to.Of(instruction.operand(1)), filter_order, absl::StrCat(name, "_filter"));
  const int turned = to.Reversed(filter, part.reversed, absl::StrCat(name, "_turned_filter"));
  const std::vector<int64_t> output_order = Order(labels.output_batch, labels.output_feature, labels.output_spatial);
  Extents extents;
  for (const int64_t dimension : output_order) extents.push_back(instruction.shape().dimension(dimension));
  const std::vector<int64_t> back = Inverse(output_order);
  const int output =
      to.writer().Add(is_transposed ? "deconv" : "conv",
                      {{"input", Value::Tensor(input)},
                       {"filter", Value::Tensor(turned)},
                       {"padding", PairArray(part.padding)},
                       {"stride", IntegerArray(part.stride)},
                       {"dilation", IntegerArray(part.dilation)},
                       {"groups", Value::Integer(attributes.feature_group_count)}},
                      Primitive::kScalar, extents, IsIdentity(back) ? name : absl::StrCat(name, "_output"));
  to.Set(instruction, to.Transposed(output, back, name));
  return absl::OkStatus();
}

}  // namespace nnef1
}  // namespace xla
