// Rules of expand-dynamic-dimensions for products: dot and convolution, whose sums must not see what is not valid.
#include <memory>
#include <string>
#include <vector>

#include "passes/expanding/dynamic_rules.h"
#include "passes/expanding/dynamic_windows.h"

namespace xla {
namespace {

using Padded = std::vector<PaddedArray>;
using Operands = absl::Span<const PaddedArray>;

// Invalid elements of contracted dimensions become zeros, which add nothing. Where sizes of paired dimensions differ,
// the smaller one counts.
Padded ExpandDot(const HloInstruction& dot, Operands operands, InstructionBuilder& build) {
  const DotAttributes& a = dot.attributes<DotAttributes>();
  PaddedArray lhs = operands[0];
  PaddedArray rhs = operands[1];
  // Paired dimensions are as long as the shorter one.
  const auto pair = [&](const DimensionVector& left, const DimensionVector& right) {
    for (size_t i = 0; i < left.size(); ++i) {
      HloInstruction* const size = SmallerSize(lhs.sizes[left[i]], rhs.sizes[right[i]], build);
      lhs.sizes[left[i]] = rhs.sizes[right[i]] = size;
    }
  };
  pair(a.lhs_batch_dims, a.rhs_batch_dims);
  pair(a.lhs_contracting_dims, a.rhs_contracting_dims);
  const auto masked = [&](const PaddedArray& x, const DimensionVector& contracting) {
    return Masked(x, build.Zero(x.shape().element_type()), contracting, build);
  };
  PaddedArray result{OnBounds(dot, {masked(lhs, a.lhs_contracting_dims), masked(rhs, a.rhs_contracting_dims)}, build),
                     {}};
  for (const int64_t d : a.lhs_batch_dims) result.sizes.push_back(lhs.sizes[d]);
  const auto append_free = [&](const PaddedArray& x, const DimensionVector& batch, const DimensionVector& contracting) {
    for (int64_t d = 0; d < x.shape().rank(); ++d) {
      if (!IsAmong(batch, d) && !IsAmong(contracting, d)) result.sizes.push_back(x.sizes[d]);
    }
  };
  append_free(lhs, a.lhs_batch_dims, a.lhs_contracting_dims);
  append_free(rhs, a.rhs_batch_dims, a.rhs_contracting_dims);
  return {result};
}

constexpr int64_t kMaxWindowPositions = 64;

// Why a convolution cannot be expanded; "" if it can. Windows over dynamic dimensions are written out position by
// position, so that they must be small.
std::string RefuseConvolution(const HloInstruction& convolution) {
  const ConvolutionAttributes& a = convolution.attributes<ConvolutionAttributes>();
  const ConvolutionDimensionNumbers& labels = a.dim_labels;
  const Shape& x = convolution.operand(0)->shape();
  const Shape& kernel = convolution.operand(1)->shape();
  const auto is_dynamic = [](const Shape& shape, int64_t d) { return shape.is_dynamic_dimension(static_cast<int>(d)); };
  if (is_dynamic(x, labels.input_feature) || is_dynamic(kernel, labels.kernel_input_feature)) {
    return "the number of input features is dynamic";
  }
  if (a.batch_group_count != 1 &&
      (is_dynamic(x, labels.input_batch) || is_dynamic(kernel, labels.kernel_output_feature))) {
    return "the size of batch groups is dynamic";
  }
  if (a.feature_group_count != 1 && is_dynamic(kernel, labels.kernel_output_feature)) {
    return "the size of feature groups is dynamic";
  }
  if (a.convolution_kind != ConvolutionKind::kUnset && a.convolution_kind != ConvolutionKind::kFprop) {
    return "it is the gradient of a convolution";
  }
  int64_t positions = 1;
  for (size_t i = 0; i < labels.input_spatial.size(); ++i) {
    const int64_t d = labels.input_spatial[i];
    if (is_dynamic(kernel, labels.kernel_spatial[i])) return "the size of the window is dynamic";
    if (!is_dynamic(x, d)) continue;
    if (!HasSmallNumbers(a.window.dimensions[i], x.dimension(static_cast<int>(d)))) {
      return "the window over a dynamic dimension has too large numbers";
    }
    positions *= a.window.dimensions[i].size;
    if (positions > kMaxWindowPositions) return "the window over dynamic dimensions has more than 64 positions";
  }
  return "";
}

// One position of the window along the dynamic spatial dimensions at a time, so that what it reads past the sizes can
// be left out of the sum, whatever the kernel holds there.
class ConvolutionOfValid {
 public:
  ConvolutionOfValid(const HloInstruction& convolution, Operands operands, InstructionBuilder& build)
      : convolution_(convolution),
        a_(convolution.attributes<ConvolutionAttributes>()),
        x_(operands[0]),
        kernel_(operands[1].array),
        build_(build) {
    for (size_t i = 0; i < a_.dim_labels.input_spatial.size(); ++i) {
      if (x_.sizes[a_.dim_labels.input_spatial[i]] != nullptr) split_.push_back(i);
    }
  }

  // The sum of one convolution for each position of the window in the dimensions that were split.
  HloInstruction* Sum() {
    std::vector<int64_t> at(split_.size(), 0);
    HloInstruction* sum = nullptr;
    while (true) {
      HloInstruction* const part = At(at);
      sum = sum == nullptr ? part : build_.Add(sum, part);
      size_t i = 0;
      while (i < at.size() && ++at[i] == a_.window.dimensions[split_[i]].size) at[i++] = 0;
      if (i == at.size()) break;
    }
    return build_.Convert(sum, convolution_.shape().element_type());
  }

 private:
  // The product with the kernel's element at one position of the split dimensions: a convolution with windows of one
  // element there, shifted by padding. Results that read no valid element become zero.
  HloInstruction* At(const std::vector<int64_t>& at) {
    auto attributes = std::make_unique<ConvolutionAttributes>(a_);
    HloInstruction* kernel = kernel_;
    Shape shape = BoundsOf(convolution_.shape());
    if (IsNarrowFloatType(shape.element_type())) shape.set_element_type(F32);  // parts are not rounded one by one
    HloInstruction* valid = nullptr;
    for (size_t i = 0; i < split_.size(); ++i) {
      WindowDimension& w = attributes->window.dimensions[split_[i]];
      const int64_t shift = at[i] * w.window_dilation - w.padding_low;
      const int64_t in_kernel = w.window_reversal ? w.size - 1 - at[i] : at[i];
      kernel = build_.SliceInDim(kernel, a_.dim_labels.kernel_spatial[split_[i]], in_kernel, in_kernel + 1);
      HloInstruction* const reads_valid = ReadsValid(split_[i], shift, shape);
      valid = valid == nullptr ? reads_valid : build_.And(valid, reads_valid);
      const int64_t reach = (w.size - 1) * w.window_dilation;
      w.padding_low = -shift;
      w.padding_high += at[i] * a_.window.dimensions[split_[i]].window_dilation - reach;
      w.size = 1;
      w.window_dilation = 1;
      w.window_reversal = false;
    }
    HloInstruction* const part = build_.Convolution(shape, x_.array, kernel, *attributes);
    return valid == nullptr ? part : build_.Select(valid, part, build_.Splat(shape, 0));
  }

  // Which positions of the result read below the size, where the window is shifted by `shift`.
  HloInstruction* ReadsValid(size_t spatial, int64_t shift, const Shape& shape) {
    const WindowDimension& w = a_.window.dimensions[spatial];
    HloInstruction* const position =
        build_.Iota(Shape::Array(S32, shape.dimensions()), a_.dim_labels.output_spatial[spatial]);
    HloInstruction* const read = build_.Add(build_.Mul(position, build_.Splat(position->shape(), w.stride)),
                                            build_.Splat(position->shape(), shift));
    HloInstruction* const last =
        build_.Mul(build_.Sub(x_.sizes[a_.dim_labels.input_spatial[spatial]], build_.Scalar(S32, 1)),
                   build_.Scalar(S32, w.base_dilation));
    return build_.Compare(ComparisonDirection::kLe, read, Spread(last, position, build_));
  }

  const HloInstruction& convolution_;
  const ConvolutionAttributes& a_;
  const PaddedArray& x_;
  HloInstruction* const kernel_;
  InstructionBuilder& build_;
  std::vector<size_t> split_;  // spatial dimensions that are dynamic
};

// A sum over window positions that reads valid elements only. Sizes of spatial dimensions follow from the window.
Padded ExpandConvolution(const HloInstruction& convolution, Operands operands, InstructionBuilder& build) {
  const ConvolutionAttributes& a = convolution.attributes<ConvolutionAttributes>();
  const ConvolutionDimensionNumbers& labels = a.dim_labels;
  const PaddedArray& x = operands[0];
  PaddedArray result = StaticPadded(ConvolutionOfValid(convolution, operands, build).Sum());
  result.sizes[labels.output_batch] = x.sizes[labels.input_batch];
  result.sizes[labels.output_feature] = operands[1].sizes[labels.kernel_output_feature];
  for (size_t i = 0; i < labels.input_spatial.size(); ++i) {
    HloInstruction* const size = x.sizes[labels.input_spatial[i]];
    if (size != nullptr) result.sizes[labels.output_spatial[i]] = WindowPositions(a.window.dimensions[i], size, build);
  }
  return {result};
}

}  // namespace

absl::Span<const DynamicRule> DynamicProductRules() {
  static constexpr DynamicRule kRules[] = {
      {HloOpcode::kDot, &RefuseNothing, &ExpandDot},
      {HloOpcode::kConvolution, &RefuseConvolution, &ExpandConvolution},
  };
  return kRules;
}

}  // namespace xla
