// batchNormalization, instanceNormalization, layerNormalization and softmax. Sums of f16 are made in f32.
#ifndef BUILDERS_WEBNN_LOWERING_NORMALIZATION_H_
#define BUILDERS_WEBNN_LOWERING_NORMALIZATION_H_

#include <cstdint>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "builders/computation_builder/computation_builder.h"

namespace xla {
namespace webnn {

// (input - mean) * (scale / sqrt(variance + epsilon)) + bias; all but the input have one element for each index of
// `axis`.
//   HLO: subtract, multiply, add
XlaOp LowerBatchNormalization(XlaOp input, XlaOp mean, XlaOp variance, absl::optional<XlaOp> scale,
                              absl::optional<XlaOp> bias, int64_t axis, double epsilon);

// (input - mean) / sqrt(variance + epsilon) * scale + bias, where mean and variance are those of the elements along
// `axes`; their squared distances from the mean are added up, which does not cancel. Dimension k of scale and bias is
// dimension `scale_axes[k]` of the input.
//   HLO: reduce, subtract, multiply, reduce, divide, multiply, add
XlaOp LowerNormalization(XlaOp input, absl::optional<XlaOp> scale, absl::optional<XlaOp> bias,
                         absl::Span<const int64_t> axes, absl::Span<const int64_t> scale_axes, double epsilon);

// exp(x - max) / sum of these along the axis.
//   HLO: reduce, subtract, exponential, reduce, divide
XlaOp LowerSoftmax(XlaOp input, int64_t axis);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_LOWERING_NORMALIZATION_H_
