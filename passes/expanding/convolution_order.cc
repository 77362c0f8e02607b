#include "passes/expanding/convolution_order.h"

namespace xla {

// For each array, the dimensions in the order in which the canonical form has them.
ConvolutionOrder FeaturesLastOrder(const ConvolutionDimensionNumbers& labels) {
  ConvolutionOrder order;
  order.input.push_back(labels.input_batch);
  order.input.insert(order.input.end(), labels.input_spatial.begin(), labels.input_spatial.end());
  order.input.push_back(labels.input_feature);
  order.kernel.assign(labels.kernel_spatial.begin(), labels.kernel_spatial.end());
  order.kernel.push_back(labels.kernel_input_feature);
  order.kernel.push_back(labels.kernel_output_feature);
  order.output.push_back(labels.output_batch);
  order.output.insert(order.output.end(), labels.output_spatial.begin(), labels.output_spatial.end());
  order.output.push_back(labels.output_feature);
  return order;
}

bool IsPlainConvolution(const ConvolutionAttributes& attributes) {
  const bool is_forward =
      attributes.convolution_kind == ConvolutionKind::kUnset || attributes.convolution_kind == ConvolutionKind::kFprop;
  return is_forward && !attributes.sparsity_config.lhs.has_value() && !attributes.sparsity_config.rhs.has_value();
}

}  // namespace xla
