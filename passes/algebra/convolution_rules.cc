// Rules for convolution.
//
// Labels (dim_labels) make transposes of operands and results free, so they are folded into the convolution. Padding
// with zeros, inside or around, becomes padding or dilation of the window, which takes no memory. Windows of one
// element, or of all there are, are dots; depthwise windows of one element are products. Where the kernel has more
// positions than the input, both change places. Padding of the window joins nothing, while a zero takes part in sums:
// 0 * infinity is NaN, hence the rules that need finite operands or the group no-nans.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "passes/algebra/known_finite.h"
#include "passes/algebra/movement.h"
#include "passes/algebra/product_rules.h"
#include "passes/algebra/single_product.h"
#include "passes/base/splat.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

const ConvolutionAttributes& AttributesOf(const HloInstruction& root) {
  return root.attributes<ConvolutionAttributes>();
}

// Gradients give the dimensions other meanings.
bool IsPlain(const ConvolutionAttributes& a) {
  return (a.convolution_kind == ConvolutionKind::kUnset || a.convolution_kind == ConvolutionKind::kFprop) &&
         !a.sparsity_config.lhs.has_value() && !a.sparsity_config.rhs.has_value();
}

HloInstruction* MakeConvolution(const HloInstruction& like, HloInstruction* lhs, HloInstruction* rhs,
                                ConvolutionAttributes attributes, const Shape& shape, InstructionBuilder& build) {
  return build.MakeOfShape(HloOpcode::kConvolution, shape.WithoutLayout(), {lhs, rhs},
                           std::make_unique<ConvolutionAttributes>(std::move(attributes)));
}

// Replaces each dimension by map[dimension].
void Relabel(absl::Span<const int64_t> map, int64_t* first, int64_t* second, DimensionVector* spatial) {
  *first = map[*first];
  *second = map[*second];
  for (int64_t& d : *spatial) d = map[d];
}

// Dimension labels say what each dimension is, so that a transpose of an operand is only a change of labels.
HloInstruction* ConvolutionOfTranspose(HloInstruction* root, const RuleContext& context) {
  if (!IsPlain(AttributesOf(*root))) return nullptr;
  ConvolutionAttributes attributes = AttributesOf(*root);
  ConvolutionDimensionNumbers& labels = attributes.dim_labels;
  HloInstruction* lhs = root->operand(0);
  HloInstruction* rhs = root->operand(1);
  if (lhs->opcode() != HloOpcode::kTranspose && rhs->opcode() != HloOpcode::kTranspose) return nullptr;
  if (lhs->opcode() == HloOpcode::kTranspose) {
    Relabel(DimensionsOf(*lhs), &labels.input_batch, &labels.input_feature, &labels.input_spatial);
    lhs = lhs->operand(0);
  }
  if (rhs->opcode() == HloOpcode::kTranspose) {
    Relabel(DimensionsOf(*rhs), &labels.kernel_input_feature, &labels.kernel_output_feature, &labels.kernel_spatial);
    rhs = rhs->operand(0);
  }
  return MakeConvolution(*root, lhs, rhs, std::move(attributes), root->shape(), context.build);
}

// As for operands: the transpose becomes a change of the output's labels. Only if the result in the old order has no
// other user.
HloInstruction* TransposeOfConvolution(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const convolution = root->operand(0);
  if (convolution->opcode() != HloOpcode::kConvolution || !HasOneUse(*convolution) ||
      !IsPlain(AttributesOf(*convolution))) {
    return nullptr;
  }
  ConvolutionAttributes attributes = AttributesOf(*convolution);
  ConvolutionDimensionNumbers& labels = attributes.dim_labels;
  const DimensionVector place_of = InversePermutation(DimensionsOf(*root));
  Relabel(place_of, &labels.output_batch, &labels.output_feature, &labels.output_spatial);
  return MakeConvolution(*convolution, convolution->operand(0), convolution->operand(1), std::move(attributes),
                         root->shape(), context.build);
}

// A reversed kernel is a window that is read in reverse, as far as the reversed dimensions are spatial.
HloInstruction* ConvolutionOfReverse(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const reverse = root->operand(1);
  if (reverse->opcode() != HloOpcode::kReverse || !IsPlain(AttributesOf(*root))) return nullptr;
  ConvolutionAttributes attributes = AttributesOf(*root);
  const DimensionVector& spatial = attributes.dim_labels.kernel_spatial;
  for (const int64_t d : DimensionsOf(*reverse)) {
    const auto place = std::find(spatial.begin(), spatial.end(), d);
    if (place == spatial.end()) return nullptr;
    bool& reversal = attributes.window.dimensions[place - spatial.begin()].window_reversal;
    reversal = !reversal;
  }
  return MakeConvolution(*root, root->operand(0), reverse->operand(0), std::move(attributes), root->shape(),
                         context.build);
}

// A pad with zeros of spatial dimensions only, nothing cut.
bool PadsWithZeros(const HloInstruction& pad, absl::Span<const int64_t> spatial) {
  if (pad.opcode() != HloOpcode::kPad) return false;
  const HloInstruction& value = *pad.operand(1);
  if (!IsSplatOf(value, 0) && !IsSplatOfNegativeZero(value)) return false;
  const PaddingConfig& padding = pad.attributes<PadAttributes>().padding;
  for (size_t d = 0; d < padding.size(); ++d) {
    if (padding[d] == PaddingDimension()) continue;
    const bool is_spatial = HasDimension(spatial, static_cast<int64_t>(d));
    if (!is_spatial || padding[d].low < 0 || padding[d].high < 0) return false;
  }
  return true;
}

// What the window pads meets nothing of rhs, while zeros meet all of it, and 0 * infinity is NaN.
HloInstruction* FoldInputPad(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const pad = root->operand(0);
  ConvolutionAttributes attributes = AttributesOf(*root);
  const DimensionVector& spatial = attributes.dim_labels.input_spatial;
  if (!IsPlain(attributes) || !PadsWithZeros(*pad, spatial)) return nullptr;
  for (size_t i = 0; i < spatial.size(); ++i) {
    const PaddingDimension& padding = pad->attributes<PadAttributes>().padding[spatial[i]];
    if (padding == PaddingDimension()) continue;
    WindowDimension& window = attributes.window.dimensions[i];
    if (window.base_dilation != 1 || pad->operand(0)->shape().dimension(static_cast<int>(spatial[i])) == 0 ||
        !CheckedAdd(padding.interior, 1, &window.base_dilation) ||
        !CheckedAdd(window.padding_low, padding.low, &window.padding_low) ||
        !CheckedAdd(window.padding_high, padding.high, &window.padding_high)) {
      return nullptr;
    }
  }
  return MakeConvolution(*root, pad->operand(0), root->operand(1), std::move(attributes), root->shape(), context.build);
}

// Zeros between the elements of the kernel.
HloInstruction* FoldKernelPad(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const pad = root->operand(1);
  ConvolutionAttributes attributes = AttributesOf(*root);
  const DimensionVector& spatial = attributes.dim_labels.kernel_spatial;
  if (!IsPlain(attributes) || !PadsWithZeros(*pad, spatial)) return nullptr;
  for (size_t i = 0; i < spatial.size(); ++i) {
    const PaddingDimension& padding = pad->attributes<PadAttributes>().padding[spatial[i]];
    if (padding == PaddingDimension()) continue;
    WindowDimension& window = attributes.window.dimensions[i];
    const int64_t size = pad->operand(0)->shape().dimension(static_cast<int>(spatial[i]));
    if (padding.low != 0 || padding.high != 0 || window.window_dilation != 1 || size == 0 ||
        !CheckedAdd(padding.interior, 1, &window.window_dilation)) {
      return nullptr;
    }
    window.size = size;
  }
  return MakeConvolution(*root, root->operand(0), pad->operand(0), std::move(attributes), root->shape(), context.build);
}

HloInstruction* FoldPadExactly(HloInstruction* root, const RuleContext& context) {
  return IsKnownFinite(*root->operand(1)) ? FoldInputPad(root, context) : nullptr;
}

HloInstruction* FoldKernelPadExactly(HloInstruction* root, const RuleContext& context) {
  return IsKnownFinite(*root->operand(0)) ? FoldKernelPad(root, context) : nullptr;
}

// Whether dimensions of these sizes that go to these places keep their order, except for those of size 1.
bool KeepsOrder(absl::Span<const int64_t> sizes, absl::Span<const int64_t> places) {
  int64_t previous = -1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 1) continue;
    if (places[i] < previous) return false;
    previous = places[i];
  }
  return true;
}

// Each spatial dimension is either gone through element by element or covered by the kernel once; the former are free
// dimensions of a dot, the latter contracting ones. Not where the dot's result would have to be transposed.
HloInstruction* ConvolutionToDot(HloInstruction* root, const RuleContext& context) {
  const ConvolutionAttributes& a = AttributesOf(*root);
  if (!IsPlain(a) || a.feature_group_count != 1 || a.batch_group_count != 1) return nullptr;
  HloInstruction* const lhs = root->operand(0);
  HloInstruction* const rhs = root->operand(1);
  const ConvolutionDimensionNumbers& labels = a.dim_labels;
  DotAttributes attributes;
  attributes.operand_precision = a.operand_precision;
  attributes.algorithm = a.algorithm;
  attributes.lhs_contracting_dims = {labels.input_feature};
  attributes.rhs_contracting_dims = {labels.kernel_input_feature};
  // Where dimensions of lhs stand in the convolution's result, and those of rhs that the dot has no use for.
  DimensionVector place_of_lhs(lhs->shape().rank(), -1), dropped;
  place_of_lhs[labels.input_batch] = labels.output_batch;
  for (size_t i = 0; i < a.window.dimensions.size(); ++i) {
    const WindowDimension& window = a.window.dimensions[i];
    const int64_t input = labels.input_spatial[i], kernel = labels.kernel_spatial[i];
    if (window.padding_low != 0 || window.padding_high != 0 || window.base_dilation != 1) return nullptr;
    if (window.size == 1 && window.stride == 1) {
      place_of_lhs[input] = labels.output_spatial[i];
      dropped.push_back(kernel);
    } else if (window.size == lhs->shape().dimension(static_cast<int>(input)) &&
               (window.size == 1 || (window.window_dilation == 1 && !window.window_reversal))) {
      attributes.lhs_contracting_dims.push_back(input);
      attributes.rhs_contracting_dims.push_back(kernel);
    } else {
      return nullptr;
    }
  }
  for (int64_t& d : attributes.rhs_contracting_dims) {
    d -= std::count_if(dropped.begin(), dropped.end(), [d](int64_t other) { return other < d; });
  }
  // The dot's dimensions: those of lhs in order, and the output features after or, if need be, before them.
  DimensionVector sizes, places;
  for (int d = 0; d < lhs->shape().rank(); ++d) {
    if (place_of_lhs[d] == -1) continue;
    sizes.push_back(lhs->shape().dimension(d));
    places.push_back(place_of_lhs[d]);
  }
  const int64_t features = root->shape().dimension(static_cast<int>(labels.output_feature));
  sizes.push_back(features);
  places.push_back(labels.output_feature);
  const bool kernel_last = KeepsOrder(sizes, places);
  if (!kernel_last) {
    std::rotate(sizes.begin(), sizes.end() - 1, sizes.end());
    std::rotate(places.begin(), places.end() - 1, places.end());
    if (!KeepsOrder(sizes, places)) return nullptr;
    std::swap(attributes.lhs_contracting_dims, attributes.rhs_contracting_dims);
    std::reverse(attributes.operand_precision.begin(), attributes.operand_precision.end());
  }
  HloInstruction* const kernel = context.build.Reshape(rhs, Without(rhs->shape().dimensions(), dropped));
  HloInstruction* const dot = context.build.MakeOfShape(
      HloOpcode::kDot, Shape::Array(root->shape().element_type(), sizes),
      {kernel_last ? lhs : kernel, kernel_last ? kernel : lhs}, std::make_unique<DotAttributes>(std::move(attributes)));
  return context.build.Reshape(dot, root->shape().dimensions());
}

// The number of positions in some dimensions.
int64_t PositionCount(const HloInstruction& x, absl::Span<const int64_t> spatial) {
  return Product(Permuted(x.shape().dimensions(), spatial));
}

// The window with which the kernel slides over the input instead of the input over the kernel; false if it does not
// fit. Result o is the sum over the elements i of the input and k of the kernel with  low + i * base = o + k * window.
// Once the kernel, turned around, is what is gone through, element i of the input, turned around by the window, meets
// the same k for the same o if the padding makes up for the two lengths.
bool SwapWindow(int64_t input_size, int64_t result_size, WindowDimension* window) {
  int64_t input_reach, kernel_reach, low, high;
  if (!CheckedMul(input_size - 1, window->base_dilation, &input_reach) ||
      !CheckedMul(window->size - 1, window->window_dilation, &kernel_reach) ||
      !CheckedSub(input_reach, kernel_reach, &low) || !CheckedAdd(low, window->padding_low, &low) ||
      !CheckedSub(input_reach, kernel_reach, &high) || !CheckedAdd(high, result_size - 1, &high) ||
      !CheckedSub(high, low, &high)) {
    return false;
  }
  window->size = input_size;
  window->padding_low = low;
  window->padding_high = high;
  std::swap(window->base_dilation, window->window_dilation);
  window->window_reversal = true;
  return true;
}

// Fewer elements of a window meet each result. Every product is there as before, its factors in the other order.
HloInstruction* SwapOperands(HloInstruction* root, const RuleContext& context) {
  ConvolutionAttributes attributes = AttributesOf(*root);
  HloInstruction* const lhs = root->operand(0);
  HloInstruction* const rhs = root->operand(1);
  ConvolutionDimensionNumbers& labels = attributes.dim_labels;
  if (!IsPlain(attributes) || attributes.feature_group_count != 1 || attributes.batch_group_count != 1 ||
      lhs->shape().ElementCount() == 0 || root->shape().ElementCount() == 0 ||
      PositionCount(*rhs, labels.kernel_spatial) <= PositionCount(*lhs, labels.input_spatial)) {
    return nullptr;
  }
  DimensionVector turned;
  for (size_t i = 0; i < labels.kernel_spatial.size(); ++i) {
    WindowDimension& window = attributes.window.dimensions[i];
    if (window.stride != 1) return nullptr;
    if (!window.window_reversal && window.size != 1) turned.push_back(labels.kernel_spatial[i]);
    if (!SwapWindow(lhs->shape().dimension(static_cast<int>(labels.input_spatial[i])),
                    root->shape().dimension(static_cast<int>(labels.output_spatial[i])), &window)) {
      return nullptr;
    }
  }
  std::swap(labels.input_spatial, labels.kernel_spatial);
  std::swap(labels.input_feature, labels.kernel_input_feature);
  std::swap(labels.input_batch, labels.kernel_output_feature);
  std::swap(labels.output_batch, labels.output_feature);
  std::reverse(attributes.operand_precision.begin(), attributes.operand_precision.end());
  HloInstruction* const input = turned.empty() ? rhs : context.build.Reverse(rhs, turned);
  return MakeConvolution(*root, input, lhs, std::move(attributes), root->shape(), context.build);
}

// Whether each window is one element, and there is one for each element of the input.
bool IsElementByElement(const Window& window) {
  return std::all_of(window.dimensions.begin(), window.dimensions.end(), [](const WindowDimension& d) {
    return d.size == 1 && d.stride == 1 && d.padding_low == 0 && d.padding_high == 0 && d.base_dilation == 1;
  });
}

// Each feature by itself, one output feature for each, so that each result is one product. Not where the input would
// have to be transposed.
HloInstruction* ConvolutionToMultiply(HloInstruction* root, const RuleContext& context) {
  const ConvolutionAttributes& a = AttributesOf(*root);
  const ConvolutionDimensionNumbers& labels = a.dim_labels;
  HloInstruction* const lhs = root->operand(0);
  HloInstruction* const rhs = root->operand(1);
  const PrimitiveType type = root->shape().element_type();
  const int64_t features = lhs->shape().dimension(static_cast<int>(labels.input_feature));
  if (!IsPlain(a) || a.batch_group_count != 1 || a.feature_group_count != features || features < 2 ||
      rhs->shape().dimension(static_cast<int>(labels.kernel_output_feature)) != features ||
      !IsElementByElement(a.window) || labels.input_batch != labels.output_batch ||
      labels.input_feature != labels.output_feature || labels.input_spatial != labels.output_spatial ||
      !HasSingleProduct(lhs->shape().element_type(), rhs->shape().element_type(), type)) {
    return nullptr;
  }
  HloInstruction* const factors = context.build.Broadcast(context.build.Reshape(rhs, {features}),
                                                          root->shape().dimensions(), {labels.output_feature});
  return SingleProduct(lhs, factors, type, context.build);
}

}  // namespace

const RuleList& ConvolutionRules() {
  static const std::vector<HloOpcode> convolution = {HloOpcode::kConvolution};
  static const auto* const rules = new RuleList{
      {"convolution-of-transpose", "convolution(transpose(x), transpose(y)) => convolution(x, y) with other labels",
       convolution, &ConvolutionOfTranspose},
      {"transpose-of-convolution",
       "transpose(convolution(x, y)) => convolution(x, y) with other labels",
       {HloOpcode::kTranspose},
       &TransposeOfConvolution},
      {"convolution-of-reverse", "convolution(x, reverse(y)) => convolution(x, y) with a reversed window", convolution,
       &ConvolutionOfReverse},
      {"fold-input-pad", "convolution(pad(x, 0), y) => convolution(x, y) with that padding  (y is finite)", convolution,
       &FoldPadExactly},
      {"fold-input-pad-without-nans", "convolution(pad(x, 0), y) => convolution(x, y) with that padding", convolution,
       &FoldInputPad, kNoNans},
      {"fold-kernel-pad", "convolution(x, pad(y, 0) within) => convolution(x, y) with a dilated window  (x is finite)",
       convolution, &FoldKernelPadExactly},
      {"fold-kernel-pad-without-nans", "convolution(x, pad(y, 0) within) => convolution(x, y) with a dilated window",
       convolution, &FoldKernelPad, kNoNans},
      {"convolution-to-dot", "convolution(x, y) => dot(x, y)  (where the window is one element, or all there are)",
       convolution, &ConvolutionToDot},
      {"convolution-to-multiply",
       "convolution(x, y) => multiply(x, broadcast(y)) + 0  (feature by feature, the window is one element)",
       convolution, &ConvolutionToMultiply},
      {"swap-operands", "convolution(x, y) => convolution(reverse(y), x)  (the kernel is larger than the input)",
       convolution, &SwapOperands},
  };
  return *rules;
}

}  // namespace xla
