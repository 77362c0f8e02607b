#include "passes/expanding/expand_convolution.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "passes/base/rewrite_rule.h"
#include "passes/expanding/convolution_order.h"
#include "passes/expanding/sum_type.h"

namespace xla {
namespace {

class ShiftedDots {
 public:
  ShiftedDots(HloInstruction* root, InstructionBuilder& build)
      : build_(build),
        attributes_(root->attributes<ConvolutionAttributes>()),
        order_(FeaturesLastOrder(attributes_.dim_labels)),
        root_(root),
        spatial_(static_cast<int>(attributes_.window.dimensions.size())),
        sum_type_(SumType(root->shape().element_type())) {
    for (const int64_t d : order_.output) output_.push_back(root->shape().dimension(static_cast<int>(d)));
    const Shape& kernel = root->operand(1)->shape();
    features_ = kernel.dimension(static_cast<int>(attributes_.dim_labels.kernel_input_feature));
    by_batch_ = attributes_.batch_group_count > 1;
    groups_ = by_batch_ ? attributes_.batch_group_count : attributes_.feature_group_count;
    places_ = 1;
    for (int i = 0; i <= spatial_; ++i) places_ *= output_[i];
  }

  // Pads and transposes to the canonical order, adds a dot for each position of the window, and brings the result
  // back into the order of its labels.
  HloInstruction* Run() {
    x_ = Padded(Transposed(root_->operand(0), order_.input), 0);
    kernel_ = Transposed(root_->operand(1), order_.kernel);
    FindHoles();
    HloInstruction* sum = nullptr;
    std::vector<int64_t> position(spatial_, 0);
    do {
      HloInstruction* const term = Term(position);
      sum = sum == nullptr ? term : build_.Add(sum, term);
    } while (Next(position));
    // [groups, places, features] -> batch, spatial.., features.
    HloInstruction* const ordered = groups_ == 1 ? sum : build_.Transpose(sum, {1, 0, 2});
    HloInstruction* const result = build_.Convert(build_.Reshape(ordered, output_), root_->shape().element_type());
    std::vector<int64_t> back(order_.output.size());
    for (size_t i = 0; i < back.size(); ++i) back[order_.output[i]] = static_cast<int64_t>(i);
    return Transposed(result, back);
  }

 private:
  HloInstruction* Transposed(HloInstruction* x, const std::vector<int64_t>& permutation) {
    return std::is_sorted(permutation.begin(), permutation.end()) ? x : build_.Transpose(x, permutation);
  }

  // Spreads and pads the spatial dimensions, which are those from 1 on.
  HloInstruction* Padded(HloInstruction* x, int64_t value) {
    PaddingConfig padding(x->shape().rank());
    bool any = false;
    for (int i = 0; i < spatial_; ++i) {
      const WindowDimension& w = attributes_.window.dimensions[i];
      padding[i + 1] = {w.padding_low, w.padding_high, w.base_dilation - 1};
      any = any || !(padding[i + 1] == PaddingDimension());
    }
    return any ? build_.Pad(x, build_.Scalar(x->shape().element_type(), value), padding) : x;
  }

  // An array like the input that tells what is an element and what is padding, if there is any.
  void FindHoles() {
    const auto& dims = attributes_.window.dimensions;
    const bool has_holes = std::any_of(dims.begin(), dims.end(), [](const WindowDimension& w) {
      return w.padding_low > 0 || w.padding_high > 0 || w.base_dilation > 1;
    });
    if (!has_holes) return;
    std::vector<int64_t> sizes = {1};
    for (int i = 0; i < spatial_; ++i) {
      sizes.push_back(root_->operand(0)->shape().dimension(static_cast<int>(order_.input[i + 1])));
    }
    sizes.push_back(1);
    is_element_ = Padded(build_.Splat(Shape::Array(PRED, sizes), 1), 0);
  }

  // The elements that a position of the window meets, for every output place: batch, spatial.., features.
  HloInstruction* Shifted(HloInstruction* x, const std::vector<int64_t>& position) {
    std::vector<int64_t> starts(x->shape().rank(), 0);
    std::vector<int64_t> limits(x->shape().dimensions().begin(), x->shape().dimensions().end());
    std::vector<int64_t> strides(x->shape().rank(), 1);
    for (int i = 0; i < spatial_; ++i) {
      const WindowDimension& w = attributes_.window.dimensions[i];
      starts[i + 1] = position[i] * w.window_dilation;
      limits[i + 1] = starts[i + 1] + (output_[i + 1] - 1) * w.stride + 1;
      strides[i + 1] = w.stride;
    }
    return build_.Slice(x, starts, limits, strides);
  }

  // The dot of one position, [groups, places, output features of a group], or without groups if there is one.
  HloInstruction* Term(const std::vector<int64_t>& position) {
    HloInstruction* const x = Shifted(x_, position);
    std::vector<int64_t> starts = position;
    for (int i = 0; i < spatial_; ++i) {
      const WindowDimension& w = attributes_.window.dimensions[i];
      if (w.window_reversal) starts[i] = w.size - 1 - position[i];
    }
    std::vector<int64_t> limits;
    for (const int64_t start : starts) limits.push_back(start + 1);
    const int64_t outputs = output_.back();
    starts.insert(starts.end(), {0, 0});
    limits.insert(limits.end(), {features_, outputs});
    HloInstruction* const slice = build_.Slice(kernel_, starts, limits);
    DotAttributes dot;
    dot.operand_precision = attributes_.operand_precision;
    dot.algorithm = attributes_.algorithm;
    HloInstruction* left;
    HloInstruction* right;
    Shape shape;
    if (groups_ == 1) {
      left = build_.Reshape(x, {places_, features_});
      right = build_.Reshape(slice, {features_, outputs});
      dot.lhs_contracting_dims = {1};
      dot.rhs_contracting_dims = {0};
      shape = Shape::Array(sum_type_, {places_, outputs});
    } else {
      left = by_batch_ ? build_.Reshape(x, {groups_, places_, features_})
                       : build_.Reshape(x, {places_, groups_, features_});
      right = build_.Reshape(slice, {features_, groups_, outputs / groups_});
      dot.lhs_batch_dims = {by_batch_ ? 0 : 1};
      dot.rhs_batch_dims = {1};
      dot.lhs_contracting_dims = {2};
      dot.rhs_contracting_dims = {0};
      shape = Shape::Array(sum_type_, {groups_, places_, outputs / groups_});
    }
    HloInstruction* const product =
        build_.MakeOfShape(HloOpcode::kDot, shape, {left, right}, std::make_unique<DotAttributes>(std::move(dot)));
    return is_element_ == nullptr ? product : Masked(product, position);
  }

  // Zero where the position lies in padding or a hole.
  HloInstruction* Masked(HloInstruction* product, const std::vector<int64_t>& position) {
    HloInstruction* const mask = Shifted(is_element_, position);  // 1, spatial.., 1
    std::vector<int64_t> spatial(output_.begin() + 1, output_.end() - 1);
    std::vector<int64_t> full = {output_[0]};
    full.insert(full.end(), spatial.begin(), spatial.end());
    std::vector<int64_t> dims;
    for (int i = 0; i < spatial_; ++i) dims.push_back(i + 1);
    HloInstruction* const by_place =
        build_.Reshape(build_.Broadcast(build_.Reshape(mask, spatial), full, dims), {places_});
    HloInstruction* const spread =
        build_.Broadcast(by_place, product->shape().dimensions(), {groups_ == 1 ? int64_t{0} : int64_t{1}});
    return build_.Select(spread, product, build_.Splat(product->shape(), 0));
  }

  bool Next(std::vector<int64_t>& position) const {
    for (int i = spatial_ - 1; i >= 0; --i) {
      if (++position[i] < attributes_.window.dimensions[i].size) return true;
      position[i] = 0;
    }
    return false;
  }

  InstructionBuilder& build_;
  const ConvolutionAttributes& attributes_;
  const ConvolutionOrder order_;
  HloInstruction* const root_;
  const int spatial_;
  const PrimitiveType sum_type_;
  std::vector<int64_t> output_;  // batch, spatial.., features
  int64_t features_;             // that one output feature reads
  int64_t groups_;
  bool by_batch_;   // the groups are of batches, else of features
  int64_t places_;  // batches and spatial positions of the output
  HloInstruction* x_ = nullptr;
  HloInstruction* kernel_ = nullptr;
  HloInstruction* is_element_ = nullptr;
};

// Declines windows of more than max-positions, since code grows with them, and numbers so large that sizes would
// overflow. Empty sums are zeros.
HloInstruction* SumOfDots(HloInstruction* root, const RuleContext& context) {
  const ConvolutionAttributes& a = root->attributes<ConvolutionAttributes>();
  if (!IsPlainConvolution(a)) return nullptr;
  const bool has_groups = a.feature_group_count > 1 || a.batch_group_count > 1;
  if (context.pass.BoolOption("only-groups") && !has_groups) return nullptr;
  const int64_t max_positions = context.pass.IntOption("max-positions");
  int64_t positions = 1;
  for (const WindowDimension& w : a.window.dimensions) {
    if (w.size > max_positions || (positions *= w.size) > max_positions) return nullptr;
    if (std::max({w.stride, w.window_dilation, w.base_dilation, std::abs(w.padding_low), std::abs(w.padding_high)}) >
        kMostElements) {
      return nullptr;
    }
  }
  const auto elements = [](const HloInstruction* x) { return x->shape().ElementCount(); };
  if (positions == 0 || elements(root) == 0 || elements(root->operand(0)) == 0 || elements(root->operand(1)) == 0) {
    return context.build.Splat(root->shape(), 0);
  }
  return ShiftedDots(root, context.build).Run();
}

}  // namespace

absl::StatusOr<bool> ExpandConvolution(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {"convolution-by-dots",
                                    "convolution(x, w) => sum over positions k of dot(shifted x, w[k])",
                                    {HloOpcode::kConvolution},
                                    &SumOfDots};
  return ApplyRules({&kRule}, module, context);
}

}  // namespace xla
