#include "passes/expanding/canonicalize_convolutions.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "passes/base/rewrite_rule.h"
#include "passes/expanding/convolution_order.h"

namespace xla {
namespace {

HloInstruction* Canonicalize(HloInstruction* root, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  const ConvolutionAttributes& a = root->attributes<ConvolutionAttributes>();
  if (!IsPlainConvolution(a)) return nullptr;
  const ConvolutionOrder order = FeaturesLastOrder(a.dim_labels);
  const auto in_order = [](const std::vector<int64_t>& dims) { return std::is_sorted(dims.begin(), dims.end()); };
  if (in_order(order.input) && in_order(order.kernel) && in_order(order.output)) return nullptr;
  const auto transpose = [&](HloInstruction* x, const std::vector<int64_t>& permutation) {
    return in_order(permutation) ? x : build.Transpose(x, permutation);
  };
  ConvolutionAttributes canonical = a;
  const int64_t spatial = static_cast<int64_t>(a.window.dimensions.size());
  ConvolutionDimensionNumbers& labels = canonical.dim_labels;
  labels.input_batch = labels.output_batch = 0;
  labels.input_feature = labels.output_feature = labels.kernel_output_feature = spatial + 1;
  labels.kernel_input_feature = spatial;
  for (int64_t i = 0; i < spatial; ++i) {
    labels.input_spatial[i] = labels.output_spatial[i] = i + 1;
    labels.kernel_spatial[i] = i;
  }
  Shape shape = root->shape().WithoutLayout();
  std::vector<int64_t> back(order.output.size());
  for (size_t i = 0; i < order.output.size(); ++i) {
    shape.set_dimension(static_cast<int>(i), root->shape().dimension(static_cast<int>(order.output[i])));
    back[order.output[i]] = static_cast<int64_t>(i);
  }
  HloInstruction* const convolution = build.Convolution(
      shape, transpose(root->operand(0), order.input), transpose(root->operand(1), order.kernel), std::move(canonical));
  return transpose(convolution, back);
}

}  // namespace

absl::StatusOr<bool> CanonicalizeConvolutions(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {"features-last",
                                    "convolution(x, w), dim_labels=.. => convolution, dim_labels=b01f_01io->b01f",
                                    {HloOpcode::kConvolution},
                                    &Canonicalize};
  return ApplyRules({&kRule}, module, context);
}

}  // namespace xla
