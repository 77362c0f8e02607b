// quantizeLinear and dequantizeLinear.
#ifndef BUILDERS_WEBNN_LOWERING_QUANTIZATION_H_
#define BUILDERS_WEBNN_LOWERING_QUANTIZATION_H_

#include "builders/computation_builder/computation_builder.h"

namespace xla {
namespace webnn {

// Scale and zero point have the rank of the input; each of their elements counts for a block of it, of sizes whose
// ratios are those of the dimensions.

// (input - zero_point) * scale, in the type of the scale; the difference is exact.
//   HLO: convert, subtract, multiply
XlaOp LowerDequantizeLinear(XlaOp input, XlaOp scale, XlaOp zero_point);
// input / scale, rounded (ties to even), plus zero_point, within the range of the type of zero_point.
//   HLO: divide, round-nearest-even, add, clamp, convert
XlaOp LowerQuantizeLinear(XlaOp input, XlaOp scale, XlaOp zero_point);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_LOWERING_QUANTIZATION_H_
