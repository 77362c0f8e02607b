#include "passes/expanding/canonicalize_convolutions.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "passes/base/rewrite_rule.h"
#include "passes/expanding/convolution_order.h"

namespace xla {
namespace {

// A window of more positions is that of a gradient, whose kernel is as large as an image.
constexpr int64_t kMaxStridedPositions = 128;

// A caller that reorders kernels anyway has no use for another one before.
bool StaysStrided(const ConvolutionAttributes& attributes, const RuleContext& context) {
  if (!context.pass.BoolOption("strided-kernels")) return false;
  double positions = 1;
  for (const WindowDimension& window : attributes.window.dimensions) positions *= static_cast<double>(window.size);
  return positions <= kMaxStridedPositions;
}

bool InOrder(const std::vector<int64_t>& dims) { return std::is_sorted(dims.begin(), dims.end()); }

// convolution(x, transpose(w)) reads w where it is.
HloInstruction* FoldTransposeOfKernel(HloInstruction* root, const RuleContext& context) {
  const ConvolutionAttributes& a = root->attributes<ConvolutionAttributes>();
  const HloInstruction* const transpose = root->operand(1);
  if (transpose->opcode() != HloOpcode::kTranspose || !IsPlainConvolution(a) || !StaysStrided(a, context)) {
    return nullptr;
  }
  const DimensionVector& from = transpose->attributes<DimensionsAttributes>().dimensions;
  ConvolutionAttributes folded = a;
  ConvolutionDimensionNumbers& labels = folded.dim_labels;
  labels.kernel_input_feature = from[labels.kernel_input_feature];
  labels.kernel_output_feature = from[labels.kernel_output_feature];
  for (int64_t& dim : labels.kernel_spatial) dim = from[dim];
  return context.build.Convolution(root->shape().WithoutLayout(), root->operand(0), root->operand(1)->operand(0),
                                   std::move(folded));
}

HloInstruction* CanonicalizeConvolution(HloInstruction* root, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  const ConvolutionAttributes& a = root->attributes<ConvolutionAttributes>();
  if (!IsPlainConvolution(a)) return nullptr;
  const ConvolutionOrder order = FeaturesLastOrder(a.dim_labels);
  const bool moves_kernel = !InOrder(order.kernel) && !StaysStrided(a, context);
  if (InOrder(order.input) && !moves_kernel && InOrder(order.output)) return nullptr;
  const auto transpose = [&](HloInstruction* x, const std::vector<int64_t>& permutation) {
    return InOrder(permutation) ? x : build.Transpose(x, permutation);
  };
  ConvolutionAttributes canonical = a;
  const int64_t spatial = static_cast<int64_t>(a.window.dimensions.size());
  ConvolutionDimensionNumbers& labels = canonical.dim_labels;
  labels.input_batch = labels.output_batch = 0;
  labels.input_feature = labels.output_feature = spatial + 1;
  for (int64_t i = 0; i < spatial; ++i) labels.input_spatial[i] = labels.output_spatial[i] = i + 1;
  if (moves_kernel) {
    labels.kernel_input_feature = spatial;
    labels.kernel_output_feature = spatial + 1;
    for (int64_t i = 0; i < spatial; ++i) labels.kernel_spatial[i] = i;
  }
  Shape shape = root->shape().WithoutLayout();
  std::vector<int64_t> back(order.output.size());
  for (size_t i = 0; i < order.output.size(); ++i) {
    shape.set_dimension(static_cast<int>(i), root->shape().dimension(static_cast<int>(order.output[i])));
    back[order.output[i]] = static_cast<int64_t>(i);
  }
  HloInstruction* const convolution = build.Convolution(
      shape, transpose(root->operand(0), order.input),
      moves_kernel ? transpose(root->operand(1), order.kernel) : root->operand(1), std::move(canonical));
  return transpose(convolution, back);
}

}  // namespace

absl::StatusOr<bool> CanonicalizeConvolutions(HloModule& module, PassContext& context) {
  static const RewriteRule kFold = {"transposed-kernel",
                                    "convolution(x, transpose(w)) => convolution(x, w)",
                                    {HloOpcode::kConvolution},
                                    &FoldTransposeOfKernel};
  static const RewriteRule kOrder = {"features-last",
                                     "convolution(x, w), dim_labels=.. => convolution, dim_labels=b01f_01io->b01f",
                                     {HloOpcode::kConvolution},
                                     &CanonicalizeConvolution};
  return ApplyRules({&kFold, &kOrder}, module, context);
}

}  // namespace xla
