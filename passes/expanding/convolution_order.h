// The dimensions of a convolution's arrays in the order batch, spatial, features.
#ifndef PASSES_EXPANDING_CONVOLUTION_ORDER_H_
#define PASSES_EXPANDING_CONVOLUTION_ORDER_H_

#include <cstdint>
#include <vector>

#include "xla_core/ir/attributes.h"

namespace xla {

// Permutations for `transpose`: dimension i of the reordered array is dimension input[i] of the given one.
struct ConvolutionOrder {
  std::vector<int64_t> input;   // batch, spatial.., feature
  std::vector<int64_t> kernel;  // spatial.., input feature, output feature
  std::vector<int64_t> output;  // batch, spatial.., feature
};
ConvolutionOrder FeaturesLastOrder(const ConvolutionDimensionNumbers& labels);

// Not one of the gradients, which mean something else by their dimensions, and not sparse.
bool IsPlainConvolution(const ConvolutionAttributes& attributes);

}  // namespace xla

#endif  // PASSES_EXPANDING_CONVOLUTION_ORDER_H_
